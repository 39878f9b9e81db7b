//===- task_space_test.c - Spaces of tasks, narrowed by choices ---------------------===//

#include "transforms/spaces/task_space.h"

#include "dialects/choices.h"
#include "transforms/ir/ir.h"
#include "transforms/spaces/module_tasks.h"
#include "unittests/transforms/mlir_context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

static const char schedule_text[] =
    "module attributes {transform.with_named_sequence} {\n"
    "transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {\n"
    "  %mc = transform.tune.knob<\"mc\"> options = #tune.tile<[8, 16, 32, 64]>\n"
    "    {tune.default = 32 : i64} -> !transform.param<i64>\n"
    "  %nc = transform.tune.knob<\"nc\"> options = #tune.tile<[8, 16, 32, 64]>\n"
    "    {tune.default = 8 : i64} -> !transform.param<i64>\n"
    "  transform.smt.constrain_params(%mc, %nc) :\n"
    "    (!transform.param<i64>, !transform.param<i64>) -> () {\n"
    "  ^bb0(%m: !smt.int, %n: !smt.int):\n"
    "    %limit = smt.int.constant 512\n"
    "    %size = smt.int.mul %m, %n\n"
    "    %fits = smt.int.cmp le %size, %limit\n"
    "    smt.assert %fits\n"
    "  }\n"
    "  transform.tune.alternatives<\"order\"> attributes {tune.labels = [\"rows\", \"columns\"]} "
    "{\n"
    "    transform.debug.emit_param_as_remark %mc : !transform.param<i64>\n"
    "  }, {\n"
    "    transform.debug.emit_param_as_remark %nc : !transform.param<i64>\n"
    "  }\n"
    "  transform.yield\n"
    "}\n"
    "}\n";

static MlirContext context;

static int make_context(void **state) {
  (void)state;
  context = make_full_context();
  for (const tune_dialect_getter *getter = tune_module_tasks_dialects; *getter; ++getter)
    mlirDialectHandleLoadDialect((*getter)(), context);
  return tune_status_is_ok(tune_dialect_load(context)) ? 0 : 1;
}

static int destroy_context(void **state) {
  (void)state;
  mlirContextDestroy(context);
  return 0;
}

// A module with one matmul that carries `choices`, and all that is made of it.
typedef struct fixture {
  MlirOperation module;
  tune_extraction *extraction;
  tune_anchors anchors;
  tune_target_facts *facts;
  tune_task_space *space;
} fixture;

static void set_up(fixture *f, const char *choices) {
  char text[2048];
  snprintf(text, sizeof text,
           "func.func @f(%%a: tensor<64x128xbf16>, %%b: tensor<128x32xbf16>,\n"
           "             %%c: tensor<64x32xf32>) -> tensor<64x32xf32> {\n"
           "  %%0 = linalg.matmul {tune.choices = {%s}}\n"
           "    ins(%%a, %%b : tensor<64x128xbf16>, tensor<128x32xbf16>)\n"
           "    outs(%%c : tensor<64x32xf32>) -> tensor<64x32xf32>\n"
           "  return %%0 : tensor<64x32xf32>\n"
           "}\n",
           choices);
  assert_ok(tune_ir_parse(context, text, "in.mlir", &f->module));
  assert_ok(tune_extract(mlirModuleFromOperation(f->module), 1, &f->extraction));
  assert_int_equal(f->extraction->task_count, 1);
  assert_ok(tune_anchors_init(&f->anchors, f->extraction));
  assert_ok(tune_target_facts_create("null", 1, &f->facts));
  assert_ok(tune_target_facts_read_roofline(f->facts, NULL));
}

static tune_status make_space(fixture *f, bool takes_all_chosen) {
  tune_task_space_options options = {.facts = f->facts,
                                     .schedule_text = schedule_text,
                                     .schedule_source = "s.mlir",
                                     .takes_all_chosen = takes_all_chosen};
  return tune_task_space_create(context, &f->anchors, 0, &options, &f->space);
}

static void tear_down(fixture *f) {
  tune_task_space_destroy(f->space);
  tune_target_facts_destroy(f->facts);
  tune_anchors_deinit(&f->anchors);
  tune_extraction_destroy(f->extraction);
  mlirOperationDestroy(f->module);
}

// Checks that `choices` leave the domains written as "mc=[8,16] nc=[8] order=[0,1]", and the config
// "mc=8,nc=8,order=rows".
static void check(const char *choices, bool takes_all_chosen, const char *domains,
                  const char *config, bool is_decided) {
  fixture f = {0};
  set_up(&f, choices);
  assert_ok(make_space(&f, takes_all_chosen));
  const tune_space *space = f.space->space;
  char text[512] = "";
  size_t used = 0;
  for (size_t k = 0; k < tune_space_knob_count(space); ++k) {
    const tune_knob *knob = tune_space_knob(space, k);
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s=[", k ? " " : "", knob->name);
    for (size_t v = 0; v < knob->value_count; ++v)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld", v ? "," : "",
                               (long long)knob->values[v]);
    used += (size_t)snprintf(text + used, sizeof text - used, "]");
  }
  assert_string_equal(text, domains);
  char *chosen;
  assert_ok(tune_config_to_text(&f.space->config, space, &chosen));
  assert_string_equal(chosen, config);
  free(chosen);
  assert_true(tune_config_is_valid(&f.space->config, space, NULL));
  assert_int_equal(f.space->is_decided, is_decided);
  // The schedule is as it was written, whatever was chosen.
  assert_int_equal(tune_space_size(f.space->schedule->space), 32);
  assert_string_equal(f.space->schedule_text, schedule_text);
  tear_down(&f);
}

static void choices_narrow_the_space(void **state) {
  (void)state;
  check("", false, "mc=[8,16,32,64] nc=[8,16,32,64] order=[0,1]", "mc=32,nc=8,order=rows", false);
  // A value pins, whatever its form; the label keeps its number.
  check("mc = 16, order = \"columns\"", false, "mc=[16] nc=[8,16,32,64] order=[1]",
        "mc=16,nc=8,order=columns", true);
  check("mc = #tune.chosen<\"tile\", 16, \"user\">, order = 1", false,
        "mc=[16] nc=[8,16,32,64] order=[1]", "mc=16,nc=8,order=columns", true);
  // A domain narrows, and a lost default gives way to the nearest value.
  check("mc = #tune.tile<[8, 16]>", false, "mc=[8,16] nc=[8,16,32,64] order=[0,1]",
        "mc=16,nc=8,order=rows", false);
  check("nc = #tune.tile<[64, 32]>", false, "mc=[8,16,32,64] nc=[32,64] order=[0,1]",
        "mc=16,nc=32,order=rows", false);
  // What a search left counts where it is acted on, not where it is searched again.
  check("mc = #tune.chosen<\"tile\", 64, \"search:grid\">", false,
        "mc=[8,16,32,64] nc=[8,16,32,64] order=[0,1]", "mc=32,nc=8,order=rows", false);
  check("mc = #tune.chosen<\"tile\", 64, \"search:grid\">", true,
        "mc=[64] nc=[8,16,32,64] order=[0,1]", "mc=64,nc=8,order=rows", true);
}

static void refused(const char *choices, tune_status_code code, const char *message) {
  fixture f = {0};
  set_up(&f, choices);
  tune_status status = make_space(&f, true);
  assert_int_equal(tune_status_get_code(status), code);
  if (!strstr(tune_status_get_message(status), message))
    fail_msg("\"%s\" is not in \"%s\"", message, tune_status_get_message(status));
  tune_status_free(status);
  tear_down(&f);
}

static void wrong_choices_are_refused(void **state) {
  (void)state;
  refused("kc = 16", TUNE_NOT_FOUND,
          "tune.choices: no knob \"kc\"; did you mean \"mc\"? The knobs are mc, nc, order");
  refused("mc = 48", TUNE_INVALID_ARGUMENT,
          "tune.choices: knob \"mc\" has the value 48, not in its domain [8, 16, 32, 64]\n"
          "note: the space of 'matmul 64x32x128 bf16->f32' is from s.mlir");
  refused("mc = 64, nc = 64", TUNE_INVALID_ARGUMENT, "mc = 64, nc = 64 violates mc * nc <= 512");
  refused("mc = #tune.tile<[32, 64]>, nc = #tune.tile<[32, 64]>", TUNE_INVALID_ARGUMENT,
          "nothing that these choices allow satisfies mc * nc <= 512; allow more values");
}

// A session and the database learn of the task what they need; its arithmetic is that of what it
// reads.
static void tasks_are_described(void **state) {
  (void)state;
  fixture f = {0};
  set_up(&f, "mc = 16");
  assert_ok(make_space(&f, false));
  tune_task task;
  tune_task_space_get_task(f.space, f.extraction, &task);
  assert_string_equal(task.key, f.extraction->tasks[0].key.text);
  assert_string_equal(task.function, "tune_task");
  assert_non_null(strstr(task.payload, "@tune_task"));
  assert_ptr_equal(task.space, f.space->space);
  assert_true(task.flops == 2.0 * 64 * 32 * 128);
  assert_int_equal(task.reduction, 128);
  assert_true(task.peak_flops == 100e9); // the null target has no unit for bf16
  tune_digest digest = tune_digest_of_bytes(schedule_text, strlen(schedule_text));
  assert_string_equal(task.schedule_digest, digest.text);

  tune_kept_task kept;
  assert_ok(tune_task_space_get_kept_task(f.extraction, 0, &kept));
  assert_string_equal(kept.kind, "contraction");
  assert_string_equal(kept.type, "bf16");
  assert_int_equal(kept.rank, 3);
  assert_int_equal(kept.extents[0], 64);
  assert_int_equal(kept.extents[1], 32);
  assert_int_equal(kept.extents[2], 128);
  tune_kept_task_deinit(&kept);
  tear_down(&f);
}

// The winner goes onto the op but for what the user chose, and the script is decided by it.
static void values_are_written(void **state) {
  (void)state;
  fixture f = {0};
  set_up(&f, "mc = 16, nc = #tune.tile<[8, 16]>");
  assert_ok(make_space(&f, false));
  tune_config config;
  assert_ok(tune_config_from_text(&config, f.space->space, "mc=16,nc=16,order=columns"));
  assert_ok(tune_task_space_write_chosen(f.space, &f.anchors, &config, "search:random"));
  char *text;
  assert_ok(tune_ir_print(f.module, false, &text));
  if (!strstr(text, "tune.choices = {mc = 16 : i64, "
                    "nc = #tune.chosen<\"tile\", 16 : i64, \"search:random\">, "
                    "order = #tune.chosen<\"alternative\", \"columns\", \"search:random\">}"))
    fail_msg("%s", text);
  free(text);

  assert_ok(tune_task_space_write_script(f.space, &config, &text));
  assert_null(strstr(text, "transform.tune"));
  assert_null(strstr(text, "#tune"));
  assert_non_null(strstr(text, "tune.knob = \"mc\""));
  MlirOperation script;
  assert_ok(tune_ir_parse(context, text, "script.mlir", &script));
  mlirOperationDestroy(script);
  free(text);
  tune_config_deinit(&config);
  tear_down(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(choices_narrow_the_space),
      cmocka_unit_test(wrong_choices_are_refused),
      cmocka_unit_test(tasks_are_described),
      cmocka_unit_test(values_are_written),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
