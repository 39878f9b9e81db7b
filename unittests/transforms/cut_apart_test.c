//===- cut_apart_test.c - A task of which no schedule builds ----------------------===//

#include "transforms/ir/ir.h"
#include "transforms/spaces/module_choices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"

#define TENSOR "tensor<32x48xf32>"

// One task, and one beside it that is none of its business.
static const char TEXT[] =
    "func.func @main(%x: tensor<32x64xf32>, %w: tensor<64x48xf32>) -> (" TENSOR
    ", tensor<64x48xf32>) {\n"
    "  %zero = arith.constant 0.0 : f32\n"
    "  %d = tensor.empty() : " TENSOR "\n"
    "  %e = linalg.fill ins(%zero : f32) outs(%d : " TENSOR ") -> " TENSOR "\n"
    "  %p = linalg.matmul ins(%x, %w : tensor<32x64xf32>, tensor<64x48xf32>)\n"
    "      outs(%e : " TENSOR ") -> " TENSOR "\n"
    "  %t = linalg.tanh ins(%p : " TENSOR ") outs(%d : " TENSOR ") -> " TENSOR "\n"
    "  %o = tensor.empty() : tensor<64x48xf32>\n"
    "  %n = linalg.negf ins(%w : tensor<64x48xf32>) outs(%o : tensor<64x48xf32>) -> "
    "tensor<64x48xf32>\n"
    "  return %t, %n : " TENSOR ", tensor<64x48xf32>\n"
    "}\n";

// A builder that takes no task of both a product and a tanh, and no module with such a task.
typedef struct fussy {
  const char *target; // NULL: the CPU
  bool takes_host;    // it takes whatever is a step on the host
  bool refuses_tanh;  // it takes no tanh at all but there
  bool has_host;      // a task of the module that was built last is such a step
  size_t tells;
  char from[128], to[128], why[128];
  size_t task;
} fussy;

static bool has(MlirOperation op, const char *words) {
  char *text;
  assert_ok(tune_ir_print(op, false, &text));
  bool is_there = strstr(text, words);
  free(text);
  return is_there;
}

// The tasks that a script schedules.
static size_t count_scheduled(MlirOperation script) {
  static const char BEFORE[] = "attributes {tune.task = \"";
  char *text;
  assert_ok(tune_ir_print(script, false, &text));
  const char *keys[16];
  size_t count = 0;
  for (const char *at = text; (at = strstr(at, BEFORE));) {
    at += strlen(BEFORE);
    size_t i = 0;
    while (i < count && strncmp(keys[i], at, 32) != 0)
      ++i;
    if (i == count)
      keys[count++] = at;
    assert_true(count < 16);
  }
  free(text);
  return count;
}

static tune_status build(void *user, MlirOperation module, MlirOperation script, size_t task) {
  fussy *f = user;
  bool is_host = has(script, "\"tune.host\"");
  bool is_refused = task == TUNE_WHOLE_MODULE
                        ? count_scheduled(script) < (is_host ? 2 : 3)
                        : has(module, "math.tanh") && has(module, "arith.mulf");
  if (f->refuses_tanh && task != TUNE_WHOLE_MODULE)
    is_refused = has(module, "math.tanh");
  if (f->takes_host && is_host)
    is_refused = false;
  if (task == TUNE_WHOLE_MODULE)
    f->has_host = is_host;
  return is_refused ? tune_status_make(TUNE_INTERNAL, "no tanh beside a product") : TUNE_OK;
}

static void tell(void *user, const tune_fallback *fallback) {
  fussy *f = user;
  ++f->tells;
  f->task = fallback->task;
  snprintf(f->from, sizeof f->from, "%s", fallback->from);
  snprintf(f->to, sizeof f->to, "%s", fallback->to);
  snprintf(f->why, sizeof f->why, "%s", fallback->why);
}

static tune_status make_script(fussy *f, const char *text, bool is_strict,
                               MlirOperation *out_script) {
  MlirModule module = mlirModuleCreateParse(context, tune_ir_string(text));
  assert_false(mlirModuleIsNull(module));
  tune_module_tasks_load_dialects(context);
  const tune_module_choices_options options = {
      .tasks = {.target = f->target ? f->target : "cpu", .threads = 1},
      .is_strict = is_strict,
      .build = build,
      .tell_fallback = tell,
      .user = f};
  tune_status status =
      tune_module_choices_make_script(mlirModuleGetOperation(module), &options, false, out_script);
  mlirModuleDestroy(module);
  return status;
}

// Its parts are in the script, it is told once, under the index that it has in the module, and the
// other task is as it was.
static void the_parts_take_its_place(void **state) {
  (void)state;
  fussy f = {0};
  MlirOperation script;
  assert_ok(make_script(&f, TEXT, false, &script));
  assert_int_equal(f.tells, 1);
  assert_int_equal(f.task, 0);
  assert_non_null(strstr(f.from, "rule 'contraction'"));
  assert_string_equal(f.to, "its parts, each for itself");
  assert_non_null(strstr(f.why, "no tanh beside a product"));
  assert_int_equal(count_scheduled(script), 3);
  mlirOperationDestroy(script);
}

// Where it may not fall back, the failure is told.
static void strict_means_it(void **state) {
  (void)state;
  fussy f = {0};
  MlirOperation script;
  tune_status status = make_script(&f, TEXT, true, &script);
  assert_int_equal(tune_status_get_code(status), TUNE_INTERNAL);
  assert_non_null(strstr(tune_status_get_message(status), "no tanh beside a product"));
  assert_int_equal(f.tells, 0);
  tune_status_free(status);
}

// On a device a step on the host would take the whole task: its parts come before that, and stay
// where they are.
static void the_parts_come_before_the_host(void **state) {
  (void)state;
  fussy f = {.target = "cuda:sm_90", .takes_host = true};
  MlirOperation script;
  assert_ok(make_script(&f, TEXT, false, &script));
  assert_int_equal(f.tells, 1);
  assert_string_equal(f.to, "its parts, each for itself");
  assert_int_equal(count_scheduled(script), 3);
  assert_false(f.has_host);
  mlirOperationDestroy(script);
}

// What has no parts goes there, and that alone.
static void one_op_goes_to_the_host(void **state) {
  (void)state;
  fussy f = {.target = "cuda:sm_90", .takes_host = true, .refuses_tanh = true};
  MlirOperation script;
  assert_ok(make_script(&f, TEXT, false, &script));
  assert_int_equal(f.tells, 2);
  assert_non_null(strstr(f.to, "rule 'host'"));
  assert_int_equal(count_scheduled(script), 3);
  assert_true(f.has_host);
  mlirOperationDestroy(script);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_parts_take_its_place),
      cmocka_unit_test(strict_means_it),
      cmocka_unit_test(the_parts_come_before_the_host),
      cmocka_unit_test(one_op_goes_to_the_host),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
