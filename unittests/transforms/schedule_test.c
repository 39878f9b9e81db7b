//===- schedule_test.c - Spaces read off schedules, and schedules decided ----------===//

#include "transforms/ir/ir.h"
#include "transforms/schedule/instantiate.h"
#include "transforms/schedule/schedule.h"
#include "tuning/space/constraint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"

#define HEAD                                                                                       \
  "module attributes {transform.with_named_sequence} {\n"                                          \
  "transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {\n"
#define TAIL                                                                                       \
  "transform.yield\n"                                                                              \
  "}\n"                                                                                            \
  "}\n"
#define KNOB(value, name, rest)                                                                    \
  value " = transform.tune.knob<\"" name "\"> options = " rest " -> !transform.param<i64>\n"

static tune_schedule *parse(const char *text) {
  tune_schedule *schedule;
  tune_status status = tune_schedule_parse(context, text, "s.mlir", NULL, &schedule);
  if (!tune_status_is_ok(status))
    fail_msg("%s", tune_status_get_message(status));
  return schedule;
}

// The message that parsing `text` ends with.
static void assert_refused(const char *text, tune_status_code code, const char *message) {
  tune_schedule *schedule;
  tune_status status = tune_schedule_parse(context, text, "s.mlir", NULL, &schedule);
  assert_int_equal(tune_status_get_code(status), code);
  if (!strstr(tune_status_get_message(status), message))
    fail_msg("\"%s\" is not in \"%s\"", message, tune_status_get_message(status));
  tune_status_free(status);
}

static const tune_knob *knob_named(const tune_schedule *schedule, const char *name) {
  size_t index = tune_space_find_knob(schedule->space, name);
  assert_true(index != SIZE_MAX);
  return tune_space_knob(schedule->space, index);
}

//===--------------------------------------------------------------------------===//
// Knobs
//===--------------------------------------------------------------------------===//

// Knobs come in the order of the text, with level, order and default from kind and attributes.
static void knobs_are_read_with_their_kind(void **state) {
  (void)state;
  tune_schedule *schedule =
      parse(HEAD KNOB("%a", "mc", "#tune.tile<[128, 32, 64]>")
                KNOB("%b", "u", "#tune.unroll<[1, 2, 4]> {tune.default = 2}")
                    KNOB("%c", "order", "#tune.order<[2, 0, 1]>")
                        KNOB("%d", "w", "[256, 512] {tune.level = \"target\"}") TAIL);
  assert_int_equal(tune_space_knob_count(schedule->space), 4);
  const tune_knob *mc = tune_space_knob(schedule->space, 0);
  assert_string_equal(mc->name, "mc");
  assert_int_equal(mc->level, TUNE_LEVEL_LINALG);
  assert_true(mc->is_ordered);
  assert_int_equal(mc->values[0], 32);
  assert_int_equal(mc->values[2], 128);
  assert_int_equal(mc->values[mc->default_index], 128); // the first as written
  const tune_knob *unroll = tune_space_knob(schedule->space, 1);
  assert_int_equal(unroll->level, TUNE_LEVEL_LOOP);
  assert_int_equal(unroll->values[unroll->default_index], 2);
  const tune_knob *order = tune_space_knob(schedule->space, 2);
  assert_false(order->is_ordered);
  assert_int_equal(order->values[0], 2);
  assert_int_equal(knob_named(schedule, "w")->level, TUNE_LEVEL_TARGET);
  tune_schedule_destroy(schedule);
}

// The same knob in two sequences is one knob; another domain under its name is an error that says
// where.
static void knobs_may_repeat_but_not_change(void **state) {
  (void)state;
  tune_schedule *schedule =
      parse(HEAD KNOB("%a", "mc", "[32, 64]") KNOB("%b", "mc", "[32, 64]") TAIL);
  assert_int_equal(tune_space_knob_count(schedule->space), 1);
  tune_schedule_destroy(schedule);
  assert_refused(HEAD KNOB("%a", "mc", "[32, 64]") KNOB("%b", "mc", "[32, 128]") TAIL,
                 TUNE_INVALID_ARGUMENT,
                 "s.mlir:4:6: error: the knob \"mc\" appears before with another domain");
}

// A config is written "name=value,name=value", and MLIR lets a name be empty.
static void names_are_words(void **state) {
  (void)state;
  assert_refused(HEAD KNOB("%a", "", "[32, 64]") TAIL, TUNE_INVALID_ARGUMENT,
                 "s.mlir:3:6: error: the name of the knob is empty");
  assert_refused(HEAD KNOB("%a", "m\\00c", "[32, 64]") TAIL, TUNE_INVALID_ARGUMENT,
                 "s.mlir:3:6: error: the name of the knob is empty or has a zero byte in it");
  assert_refused(HEAD KNOB("%a", "m,c=1", "[32, 64]") TAIL, TUNE_INVALID_ARGUMENT,
                 "s.mlir:3:6: error: 'm,c=1' is no name for a knob");
}

// A knob with a selected value has that value only, by its number also where it has a label.
static void selected_knobs_are_pinned(void **state) {
  (void)state;
  tune_schedule *schedule = parse(
      HEAD
      "%a = transform.tune.knob<\"mc\"> = 64 from options = [32, 64] -> !transform.param<i64>\n"
      "%b = transform.tune.knob<\"how\"> = \"dot\" from options = [\"outer\", \"dot\"] -> "
      "!transform.any_param\n" TAIL);
  const tune_knob *mc = knob_named(schedule, "mc");
  assert_int_equal(mc->value_count, 1);
  assert_int_equal(mc->values[0], 64);
  const tune_knob *how = knob_named(schedule, "how");
  assert_int_equal(how->value_count, 1);
  assert_int_equal(how->values[0], 1);
  assert_string_equal(how->labels[0], "dot");
  tune_schedule_destroy(schedule);
}

static void alternatives_are_knobs(void **state) {
  (void)state;
  tune_schedule *schedule = parse(
      HEAD "transform.tune.alternatives<\"pack\"> attributes {tune.labels = [\"yes\", \"no\"], "
           "tune.default = \"no\"} {\n" KNOB("%p", "inner", "[1, 2]") "}, { }\n" TAIL);
  const tune_knob *pack = knob_named(schedule, "pack");
  assert_int_equal(pack->value_count, 2);
  assert_string_equal(pack->labels[0], "yes");
  assert_int_equal(pack->default_index, 1);
  assert_false(pack->is_ordered);
  assert_non_null(knob_named(schedule, "inner"));
  tune_schedule_destroy(schedule);
}

static void wrong_schedules_are_refused_where_they_are_wrong(void **state) {
  (void)state;
  assert_refused("module {", TUNE_INVALID_ARGUMENT, "s.mlir:1:");
  assert_refused("module {}", TUNE_INVALID_ARGUMENT,
                 "no transform.named_sequence @__transform_main");
  assert_refused(HEAD KNOB("%a", "mc", "[32, 32]") TAIL, TUNE_INVALID_ARGUMENT,
                 "s.mlir:3:6: error");
  assert_refused(HEAD KNOB("%a", "mc", "[]") TAIL, TUNE_INVALID_ARGUMENT, "s.mlir:3:6: error");
  assert_refused(HEAD KNOB("%a", "mc", "[32] {tune.default = 3}") TAIL, TUNE_INVALID_ARGUMENT,
                 "tune.default: the value 3, not in its domain [32]");
  assert_refused(HEAD KNOB("%a", "mc", "[32] {tune.level = \"loops\"}") TAIL, TUNE_INVALID_ARGUMENT,
                 "tune.level");
  assert_refused(HEAD
                 "transform.tune.alternatives<\"p\"> attributes {tune.labels = [\"a\"]} { }, { "
                 "}\n" TAIL,
                 TUNE_INVALID_ARGUMENT, "1 labels for 2 regions");
  assert_refused(HEAD "transform.tune.alternatives<\"p\"> attributes {tune.labels = [\"a\", "
                      "\"b\"], tune.unsplit = \"c\"} { }, { }\n" TAIL,
                 TUNE_INVALID_ARGUMENT, "tune.unsplit: the value \"c\", not in its domain");
}

static void schedules_without_knobs_parse_but_cannot_be_searched(void **state) {
  (void)state;
  tune_schedule *schedule = parse(HEAD TAIL);
  tune_status status = tune_schedule_require_knobs(schedule);
  assert_int_equal(tune_status_get_code(status), TUNE_FAILED_PRECONDITION);
  tune_status_free(status);
  tune_schedule_destroy(schedule);
}

//===--------------------------------------------------------------------------===//
// Constraints
//===--------------------------------------------------------------------------===//

#define CONSTRAIN_TWO(body)                                                                        \
  HEAD KNOB("%x", "mc", "[3, 8, 64]") KNOB(                                                        \
      "%y", "n-r", "[4, 8]") "transform.smt.constrain_params(%x, %y) {tune.why = \"because\"} : "  \
                             "(!transform.param<i64>, !transform.param<i64>) -> () {\n"            \
                             "^bb0(%a: !smt.int, %b: !smt.int):\n"                                 \
                             "%zero = smt.int.constant 0\n" body "}\n" TAIL

// Whether the config of these values satisfies the constraints of `schedule`.
static bool holds(const tune_schedule *schedule, const char *config_text) {
  tune_config config;
  tune_status status = tune_config_from_text(&config, schedule->space, config_text);
  if (!tune_status_is_ok(status))
    fail_msg("%s", tune_status_get_message(status));
  bool valid = tune_config_is_valid(&config, schedule->space, NULL);
  tune_config_deinit(&config);
  return valid;
}

static void constraints_become_expressions(void **state) {
  (void)state;
  tune_schedule *schedule = parse(CONSTRAIN_TWO("%m = smt.int.mod %a, %b\n"
                                                "%e = smt.eq %m, %zero : !smt.int\n"
                                                "smt.assert %e\n"));
  assert_int_equal(tune_space_constraint_count(schedule->space), 1);
  assert_string_equal(tune_constraint_why(tune_space_constraint(schedule->space, 0)), "because");
  assert_true(holds(schedule, "mc=8,n-r=4"));
  assert_false(holds(schedule, "mc=3,n-r=4"));
  tune_schedule_destroy(schedule);
}

// Each op of a constraint, by what it does to configs.
static void every_op_of_a_constraint_means_what_smt_says(void **state) {
  (void)state;
  static const struct {
    const char *body; // ends in %c, the condition
    const char *yes;
    const char *no;
  } CASES[] = {
      {"%k = smt.int.constant 12\n%s = smt.int.add %a, %b, %zero\n%c = smt.int.cmp le %s, %k\n",
       "mc=8,n-r=4", "mc=8,n-r=8"},
      {"%k = smt.int.constant 0\n%s = smt.int.sub %a, %b\n%c = smt.int.cmp ge %s, %k\n",
       "mc=8,n-r=8", "mc=3,n-r=4"},
      {"%k = smt.int.constant 32\n%s = smt.int.mul %a, %b\n%c = smt.int.cmp gt %s, %k\n",
       "mc=8,n-r=8", "mc=8,n-r=4"},
      {"%k = smt.int.constant 2\n%s = smt.int.div %a, %b\n%c = smt.int.cmp lt %s, %k\n",
       "mc=8,n-r=8", "mc=8,n-r=4"},
      {"%k = smt.int.constant -8\n%s = smt.int.sub %zero, %a\n%c = smt.eq %s, %k : !smt.int\n",
       "mc=8,n-r=4", "mc=3,n-r=4"},
      {"%k = smt.int.constant 1\n%d = smt.int.sub %a, %b\n%s = smt.int.abs %d\n"
       "%c = smt.eq %s, %k : !smt.int\n",
       "mc=3,n-r=4", "mc=8,n-r=8"},
      {"%c = smt.distinct %a, %b : !smt.int\n", "mc=8,n-r=4", "mc=8,n-r=8"},
      {"%k = smt.int.constant 8\n%p = smt.eq %a, %k : !smt.int\n%q = smt.eq %b, %k : !smt.int\n"
       "%c = smt.and %p, %q\n",
       "mc=8,n-r=8", "mc=8,n-r=4"},
      {"%k = smt.int.constant 8\n%p = smt.eq %a, %k : !smt.int\n%q = smt.eq %b, %k : !smt.int\n"
       "%c = smt.or %p, %q\n",
       "mc=3,n-r=8", "mc=3,n-r=4"},
      {"%k = smt.int.constant 8\n%p = smt.eq %a, %k : !smt.int\n%q = smt.eq %b, %k : !smt.int\n"
       "%c = smt.xor %p, %q\n",
       "mc=3,n-r=8", "mc=8,n-r=8"},
      {"%k = smt.int.constant 8\n%p = smt.eq %a, %k : !smt.int\n%q = smt.eq %b, %k : !smt.int\n"
       "%c = smt.implies %p, %q\n",
       "mc=3,n-r=4", "mc=8,n-r=4"},
      {"%k = smt.int.constant 8\n%p = smt.eq %a, %k : !smt.int\n%c = smt.not %p\n", "mc=3,n-r=4",
       "mc=8,n-r=4"},
      {"%k = smt.int.constant 8\n%p = smt.eq %a, %k : !smt.int\n%s = smt.ite %p, %b, %a : "
       "!smt.int\n"
       "%c = smt.eq %s, %k : !smt.int\n",
       "mc=8,n-r=8", "mc=8,n-r=4"},
      {"%t = smt.constant false\n%p = smt.eq %a, %b : !smt.int\n%c = smt.or %t, %p\n", "mc=8,n-r=8",
       "mc=8,n-r=4"},
  };
  static const char PATTERN[] = CONSTRAIN_TWO("<body>");
  const char *at = strstr(PATTERN, "<body>");
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    char *whole = NULL;
    assert_true(asprintf(&whole, "%.*s%ssmt.assert %%c\n%s", (int)(at - PATTERN), PATTERN,
                         CASES[i].body, at + strlen("<body>")) > 0);
    tune_schedule *schedule = parse(whole);
    if (!holds(schedule, CASES[i].yes) || holds(schedule, CASES[i].no))
      fail_msg("case %zu: %s", i, tune_constraint_text(tune_space_constraint(schedule->space, 0)));
    tune_schedule_destroy(schedule);
    free(whole);
  }
}

// A constraint within an alternative binds where the alternative is chosen.
static void constraints_of_an_alternative_hold_within_it(void **state) {
  (void)state;
  tune_schedule *schedule = parse(HEAD KNOB(
      "%x", "mc", "[3, 8]") "transform.tune.alternatives<\"p\"> "
                            "{ }, {\n"
                            "transform.smt.constrain_params(%x) : (!transform.param<i64>) "
                            "-> () {\n"
                            "^bb0(%a: !smt.int):\n"
                            "%k = smt.int.constant 8\n"
                            "%c = smt.eq %a, %k : !smt.int\n"
                            "smt.assert %c\n"
                            "}\n"
                            "}\n" TAIL);
  assert_true(holds(schedule, "mc=3,p=0"));
  assert_false(holds(schedule, "mc=3,p=1"));
  assert_true(holds(schedule, "mc=8,p=1"));
  tune_schedule_destroy(schedule);
}

// Only where an alternative with them is chosen do knobs have values other than their default.
static void knobs_of_alternatives_do_nothing_elsewhere(void **state) {
  (void)state;
  tune_schedule *schedule =
      parse(HEAD KNOB("%a", "all", "[1, 2]") "transform.tune.alternatives<\"p\"> {\n" KNOB(
          "%b", "first", "[1, 2]") KNOB("%c", "both", "[1, 2]")
                KNOB("%d", "all", "[1, 2]") "}, "
                                            "{\n"
                                            "transform.tune.alternatives<\"q\"> { }, {\n" KNOB(
                                                "%e", "both", "[1, 2]")
                                                KNOB("%f", "second", "[1, 2]") "}\n}, { }\n" TAIL);
  assert_null(tune_space_condition(schedule->space, tune_space_find_knob(schedule->space, "all")));
  assert_true(holds(schedule, "p=2,all=2"));
  assert_true(holds(schedule, "p=0,first=2"));
  assert_false(holds(schedule, "p=1,first=2"));
  assert_true(holds(schedule, "p=1,q=1,second=2"));
  assert_false(holds(schedule, "p=1,q=0,second=2"));
  assert_false(holds(schedule, "p=0,q=1"));
  assert_true(holds(schedule, "p=0,both=2"));
  assert_true(holds(schedule, "p=1,q=1,both=2"));
  assert_false(holds(schedule, "p=2,both=2"));
  tune_schedule_destroy(schedule);
}

static void constraints_that_cannot_be_read_say_where(void **state) {
  (void)state;
  assert_refused(CONSTRAIN_TWO("%f = smt.declare_fun : !smt.bool\n"
                               "smt.assert %f\n"),
                 TUNE_INVALID_ARGUMENT, "smt.declare_fun cannot be part of a constraint");
  assert_refused(HEAD "%n = transform.num_associations %root : (!transform.any_op) -> "
                      "!transform.param<i64>\n"
                      "transform.smt.constrain_params(%n) : (!transform.param<i64>) -> () {\n"
                      "^bb0(%a: !smt.int):\n"
                      "%c = smt.eq %a, %a : !smt.int\n"
                      "smt.assert %c\n"
                      "}\n" TAIL,
                 TUNE_INVALID_ARGUMENT, "known only when the schedule runs");
}

//===--------------------------------------------------------------------------===//
// Deciding
//===--------------------------------------------------------------------------===//

// The text of `schedule` decided by `config_text`.
static char *decide(const tune_schedule *schedule, const char *config_text) {
  tune_config config;
  assert_true(tune_status_is_ok(tune_config_from_text(&config, schedule->space, config_text)));
  MlirOperation module = mlirOperationClone(schedule->module);
  tune_status status = tune_schedule_select(module, schedule->space, &config);
  if (!tune_status_is_ok(status))
    fail_msg("%s", tune_status_get_message(status));
  assert_true(mlirOperationVerify(module));
  char *text;
  assert_true(tune_status_is_ok(tune_ir_print(module, false, &text)));
  mlirOperationDestroy(module);
  tune_config_deinit(&config);
  return text;
}

#define FULL_SCHEDULE                                                                              \
  HEAD KNOB("%x", "mc", "#tune.tile<[32, 64]>") KNOB(                                              \
      "%y", "nr", "[16, 32]") "%how = transform.tune.knob<\"how\"> options = "                     \
                              "#tune.alternative<[\"outer\", \"dot\"]> -> "                        \
                              "!transform.any_param\n"                                             \
                              "%half = transform.smt.constrain_params(%x) : "                      \
                              "(!transform.param<i64>) -> !transform.param<i64> {\n"               \
                              "^bb0(%a: !smt.int):\n"                                              \
                              "%two = smt.int.constant 2\n"                                        \
                              "%h = smt.int.div %a, %two\n"                                        \
                              "smt.yield %h : !smt.int\n"                                          \
                              "}\n"                                                                \
                              "%f = transform.structured.match ops{[\"func.func\"]} in "           \
                              "%root : (!transform.any_op) -> !transform.any_op\n"                 \
                              "%r = transform.tune.alternatives<\"which\"> -> "                    \
                              "!transform.param<i64> {\n"                                          \
                              "transform.yield %y : !transform.param<i64>\n"                       \
                              "}, {\n"                                                             \
                              "%k = transform.tune.knob<\"inner\"> options = [5, 7] -> "           \
                              "!transform.param<i64>\n"                                            \
                              "transform.yield %k : !transform.param<i64>\n"                       \
                              "}\n"                                                                \
                              "transform.annotate %f \"tune.got\" = %r : !transform.any_op, "      \
                              "!transform.param<i64>\n"                                            \
                              "transform.annotate %f \"tune.half\" = %half : !transform.any_op, "  \
                              "!transform.param<i64>\n"                                            \
                              "transform.annotate %f \"tune.how\" = %how : !transform.any_op, "    \
                              "!transform.any_param\n" TAIL

// Nothing of ours is left but names, and nothing that upstream cannot run.
static void decided_schedules_are_upstream_scripts(void **state) {
  (void)state;
  tune_schedule *schedule = parse(FULL_SCHEDULE);
  char *text = decide(schedule, "mc=64,nr=16,which=1,inner=7,how=dot");
  assert_null(strstr(text, "#tune"));
  assert_null(strstr(text, "transform.tune"));
  assert_null(strstr(text, "smt"));
  assert_non_null(strstr(text, "transform.param.constant 64 : i64 {tune.knob = \"mc\"}"));
  assert_non_null(strstr(text, "transform.param.constant \"dot\" {tune.knob = \"how\"}"));
  assert_non_null(strstr(text, "transform.param.constant 32 : i64 ->")); // half of mc
  free(text);
  tune_schedule_destroy(schedule);
}

// What the decided script does to a payload.
static void decided_schedules_apply(void **state) {
  (void)state;
  tune_schedule *schedule = parse(FULL_SCHEDULE);
  static const struct {
    const char *config;
    const char *attributes;
  } CASES[] = {
      {"mc=64,nr=16,which=1,inner=7,how=dot",
       "{tune.got = 7 : i64, tune.half = 32 : i64, tune.how = \"dot\"}"},
      {"mc=32,nr=16,which=0,inner=7,how=outer",
       "{tune.got = 16 : i64, tune.half = 16 : i64, tune.how = \"outer\"}"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    MlirOperation payload;
    assert_true(tune_status_is_ok(
        tune_ir_parse(context, "module { func.func @f() { return } }", "p.mlir", &payload)));
    tune_config config;
    assert_true(
        tune_status_is_ok(tune_config_from_text(&config, schedule->space, CASES[i].config)));
    MlirOperation script = mlirOperationClone(schedule->module);
    assert_true(tune_status_is_ok(tune_schedule_select(script, schedule->space, &config)));
    tune_status status = tune_schedule_apply(payload, script);
    if (!tune_status_is_ok(status))
      fail_msg("%s", tune_status_get_message(status));
    char *text;
    assert_true(tune_status_is_ok(tune_ir_print(payload, false, &text)));
    assert_non_null(strstr(text, CASES[i].attributes));
    free(text);
    tune_config_deinit(&config);
    mlirOperationDestroy(script);
    mlirOperationDestroy(payload);
  }
  tune_schedule_destroy(schedule);
}

static tune_status apply_to_matmul(const char *script_text) {
  static const char PAYLOAD[] =
      "module {\n"
      "func.func @f(%a: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
      "  %r = linalg.matmul ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>)\n"
      "                     outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>\n"
      "  return %r : tensor<8x8xf32>\n"
      "}\n"
      "}\n";
  MlirOperation payload, script;
  assert_true(tune_status_is_ok(tune_ir_parse(context, PAYLOAD, "p.mlir", &payload)));
  assert_true(tune_status_is_ok(tune_ir_parse(context, script_text, "s.mlir", &script)));
  tune_status status = tune_schedule_apply(payload, script);
  mlirOperationDestroy(payload);
  mlirOperationDestroy(script);
  return status;
}

#define MATCH                                                                                      \
  "%m = transform.structured.match ops{[\"linalg.matmul\"]} in %root : (!transform.any_op) -> "    \
  "!transform.any_op\n"

// What the interpreter only warns of makes wrong results, so it is a failure here.
static void racing_tiles_are_refused(void **state) {
  (void)state;
  tune_status status = apply_to_matmul(
      HEAD MATCH "%t, %l = transform.structured.tile_using_forall %m tile_sizes [4, 4, 4] : "
                 "(!transform.any_op) -> (!transform.any_op, !transform.any_op)\n" TAIL);
  assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
  assert_non_null(strstr(tune_status_get_message(status), "race"));
  tune_status_free(status);
  status = apply_to_matmul(
      HEAD MATCH "%t, %l = transform.structured.tile_using_forall %m tile_sizes [4, 4, 0] : "
                 "(!transform.any_op) -> (!transform.any_op, !transform.any_op)\n" TAIL);
  assert_true(tune_status_is_ok(status));
}

// The interpreter's diagnostics, with their places, are the failure.
static void failures_of_the_interpreter_say_where(void **state) {
  (void)state;
  tune_status status = apply_to_matmul(
      HEAD MATCH
      "transform.structured.vectorize %m vector_sizes [4, 4] : !transform.any_op\n" TAIL);
  assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
  if (!strstr(tune_status_get_message(status), "p.mlir:3:8: error"))
    fail_msg("%s", tune_status_get_message(status));
  tune_status_free(status);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(knobs_are_read_with_their_kind),
      cmocka_unit_test(knobs_may_repeat_but_not_change),
      cmocka_unit_test(names_are_words),
      cmocka_unit_test(selected_knobs_are_pinned),
      cmocka_unit_test(alternatives_are_knobs),
      cmocka_unit_test(wrong_schedules_are_refused_where_they_are_wrong),
      cmocka_unit_test(schedules_without_knobs_parse_but_cannot_be_searched),
      cmocka_unit_test(constraints_become_expressions),
      cmocka_unit_test(every_op_of_a_constraint_means_what_smt_says),
      cmocka_unit_test(constraints_of_an_alternative_hold_within_it),
      cmocka_unit_test(knobs_of_alternatives_do_nothing_elsewhere),
      cmocka_unit_test(constraints_that_cannot_be_read_say_where),
      cmocka_unit_test(decided_schedules_are_upstream_scripts),
      cmocka_unit_test(decided_schedules_apply),
      cmocka_unit_test(racing_tiles_are_refused),
      cmocka_unit_test(failures_of_the_interpreter_say_where),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
