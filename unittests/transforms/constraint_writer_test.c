//===- constraint_writer_test.c - Constraints of rules, there and back ------------------===//

#include "transforms/rules/schedule_writer.h"
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

// A writer within the main sequence, with the knobs a of -2 ... 3, b of 1 ... 4 and flag.
static void begin(tune_writer *writer) {
  static const tune_value_set A = {6, {-2, -1, 0, 1, 2, 3}}, B = {4, {1, 2, 3, 4}},
                              FLAG = {2, {0, 1}};
  tune_writer_init(writer);
  tune_writer_line(writer, "module attributes {transform.with_named_sequence} {");
  tune_writer_line(writer, "transform.named_sequence @__transform_main("
                           "%%root: !transform.any_op {transform.readonly}) {");
  tune_writer_knob(writer, "a", NULL, TUNE_LEVEL_LINALG, &A, 0);
  tune_writer_knob(writer, "b", "tile", TUNE_LEVEL_LINALG, &B, 1);
  tune_writer_knob(writer, "flag", NULL, TUNE_LEVEL_GPU, &FLAG, 0);
}

static char *end(tune_writer *writer) {
  char *text;
  tune_writer_line(writer, "transform.yield");
  tune_writer_line(writer, "}");
  tune_writer_line(writer, "}");
  assert_ok(tune_writer_finish(writer, &text));
  tune_writer_deinit(writer);
  return text;
}

static tune_schedule *read_back(tune_writer *writer) {
  tune_schedule *schedule;
  char *text = end(writer);
  tune_status status = tune_schedule_parse(context, text, "s.mlir", NULL, &schedule);
  if (!tune_status_is_ok(status))
    fail_msg("%s\nof\n%s", tune_status_get_message(status), text);
  free(text);
  return schedule;
}

// Writes `infix` and reads it back: the only constraint of the schedule.
static tune_schedule *write_and_read(const char *infix) {
  tune_writer writer;
  begin(&writer);
  tune_writer_constraint(&writer, "of the test", "%s", infix);
  tune_schedule *schedule = read_back(&writer);
  assert_int_equal(tune_space_constraint_count(schedule->space), 1);
  return schedule;
}

static char *print(const tune_space *space, size_t index) {
  char *text;
  assert_ok(
      tune_constraint_print(tune_space_constraint(space, index), tune_space_knobs(space), &text));
  return text;
}

// The same configs are legal by `constraint` as by `infix`.
static void assert_same_meaning(const tune_space *space, const tune_constraint *constraint,
                                const char *infix) {
  tune_constraint *wanted;
  assert_ok(tune_constraint_create(tune_space_knobs(space), infix, NULL, &wanted));
  assert_int_equal(tune_space_knob_count(space), 3);
  for (uint16_t a = 0; a < 6; a++)
    for (uint16_t b = 0; b < 4; b++)
      for (uint16_t flag = 0; flag < 2; flag++) {
        const uint16_t choices[] = {a, b, flag};
        if (tune_constraint_holds(constraint, tune_space_knobs(space), choices) !=
            tune_constraint_holds(wanted, tune_space_knobs(space), choices))
          fail_msg("%s: another answer for a = %d, b = %d, flag = %d", infix, a - 2, b + 1, flag);
      }
  tune_constraint_destroy(wanted);
}

//===--------------------------------------------------------------------------===//
// What is written
//===--------------------------------------------------------------------------===//

static void each_operation_reads_back_as_it_was(void **state) {
  (void)state;
  static const char *const CASES[] = {
      "a == 2",
      "a != b",
      "a < b",
      "a <= b",
      "a > b",
      "a >= -1",
      "a + b == 3",
      "a - b == 1",
      "a * b == 4",
      "a / b == -1",
      "a % b == 1",
      "a > 0 && b > 1",
      "a > 0 || b > 1",
      "a > 0 => b > 1",
      "!(a > b)",
      "a > 0 == b > 1",
      "a > 0 != b > 1",
      // Groups: what is in a row, to the left, to the right.
      "a + b + flag + 1 <= 4",
      "a * b * flag * 2 <= 4",
      "a > 0 && b > 1 && flag == 1",
      "a > 0 || b > 3 || flag == 1",
      "a - b - flag == 0",
      "a - (b - flag) == 0",
      "a * (b * flag) == 2",
      "a + (b + 1) == 4",
      "a * (b + flag) <= 4",
      "12 / b / 2 == 1",
      "a > 0 => flag == 1 => b > 1",
      "(a > 0 => flag == 1) => b > 1",
      "(a > 0 || flag == 1) && b > 1",
      // The same twice.
      "a * ((b + 1) / 2) + (b + 1) / 2 + 1 <= 4",
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    tune_schedule *schedule = write_and_read(CASES[i]);
    char *text = print(schedule->space, 0);
    assert_string_equal(text, CASES[i]);
    assert_same_meaning(schedule->space, tune_space_constraint(schedule->space, 0), CASES[i]);
    free(text);
    tune_schedule_destroy(schedule);
  }
}

// SMT tells numbers from truths, and has no min; what is made of these means the same.
static void what_smt_lacks_keeps_its_meaning(void **state) {
  (void)state;
  static const char *const CASES[][2] = {
      {"-a < b", "0 - a < b"},
      {"--a < b", "0 - (0 - a) < b"},
      {"-(a + b) == -3", "0 - (a + b) == -3"},
      {"flag", "flag != 0"},
      {"!a", "!(a != 0)"},
      {"flag => a > 0", "flag != 0 => a > 0"},
      {"true", "1"},
      {"false", "0"},
      {"2 && a > 0", "1 && a > 0"},
      {"min(a, b) == 1", NULL},
      {"max(a, b) <= 2", NULL},
      {"min(a, b, 2) + max(a, 1) == 3", NULL},
      {"(a > 0) + (b > 1) + flag == 2", NULL},
      {"(a > 0) == flag", NULL},
      {"a + !flag == 2", NULL},
      {"max(flag, a > 0) => b > 1", NULL},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    tune_schedule *schedule = write_and_read(CASES[i][0]);
    char *text = print(schedule->space, 0);
    if (CASES[i][1])
      assert_string_equal(text, CASES[i][1]);
    assert_same_meaning(schedule->space, tune_space_constraint(schedule->space, 0), CASES[i][0]);
    free(text);
    tune_schedule_destroy(schedule);
  }
}

static void the_text_has_constants_first_and_each_value_once(void **state) {
  (void)state;
  tune_writer writer;
  begin(&writer);
  size_t before = writer.text.length;
  tune_writer_constraint(&writer, "the vectors fit", "b * ((a + 7) / 8) + (a + 7) / 8 <= 32");
  assert_string_equal(writer.text.text + before,
                      "transform.smt.constrain_params(%b, %a) {tune.why = \"the vectors fit\"} : "
                      "(!transform.param<i64>, !transform.param<i64>) -> () {\n"
                      "^bb0(%b_: !smt.int, %a_: !smt.int):\n"
                      "  %c7 = smt.int.constant 7\n"
                      "  %c8 = smt.int.constant 8\n"
                      "  %c32 = smt.int.constant 32\n"
                      "  %0 = smt.int.add %a_, %c7\n"
                      "  %1 = smt.int.div %0, %c8\n"
                      "  %2 = smt.int.mul %b_, %1\n"
                      "  %3 = smt.int.add %2, %1\n"
                      "  %4 = smt.int.cmp le %3, %c32\n"
                      "  smt.assert %4\n"
                      "}\n");
  tune_schedule_destroy(read_back(&writer));
}

// Numbers and names are arguments; the reason comes along; a prefix is the space's affair.
static void constraints_are_formatted(void **state) {
  (void)state;
  tune_writer writer;
  tune_value_set values = {3, {2, 4, 8}};
  begin(&writer);
  writer.knob_prefix = "inner_";
  tune_writer_knob(&writer, "c", NULL, TUNE_LEVEL_VECTOR, &values, 2);
  tune_writer_constraint(&writer, "c divides", "%d %% %s == %zu", 24, "c", (size_t)0);
  tune_writer_constraint(&writer, "and is small", "c <= %lld", 4LL);
  tune_schedule *schedule = read_back(&writer);
  const tune_space *space = schedule->space;
  assert_int_equal(tune_space_constraint_count(space), 2);
  char *first = print(space, 0), *second = print(space, 1);
  assert_string_equal(first, "24 % inner_c == 0");
  assert_string_equal(tune_constraint_why(tune_space_constraint(space, 0)), "c divides");
  assert_string_equal(second, "inner_c <= 4");
  assert_string_equal(tune_constraint_why(tune_space_constraint(space, 1)), "and is small");
  free(first);
  free(second);
  tune_schedule_destroy(schedule);
}

//===--------------------------------------------------------------------------===//
// What is refused
//===--------------------------------------------------------------------------===//

static void assert_refused(const char *infix, const char *message) {
  tune_writer writer;
  char *text;
  begin(&writer);
  tune_writer_constraint(&writer, "tiles fit", "%s", infix);
  tune_writer_constraint(&writer, "a later one", "a <");
  tune_status status = tune_writer_finish(&writer, &text);
  assert_int_equal(tune_status_get_code(status), TUNE_INTERNAL);
  assert_string_equal(tune_status_get_message(status), message);
  assert_null(text);
  tune_status_free(status);
  tune_writer_deinit(&writer);
}

static void a_wrong_constraint_is_told_at_the_end(void **state) {
  (void)state;
  assert_refused("a * <= 3",
                 "the constraint \"tiles fit\": expected a number, a knob or a parenthesis\n"
                 "  a * <= 3\n"
                 "      ^");
  assert_refused("a + flagg <= 3", "the constraint \"tiles fit\": no knob 'flagg'; did you mean "
                                   "'flag'?\n"
                                   "  a + flagg <= 3\n"
                                   "      ^");
  assert_refused("", "the constraint \"tiles fit\": expected a number, a knob or a parenthesis\n"
                     "  \n"
                     "  ^");
}

// The writer keeps the failure where nobody asks for it.
static void a_writer_may_be_left_with_a_failure(void **state) {
  (void)state;
  tune_writer writer;
  begin(&writer);
  tune_writer_constraint(&writer, "tiles fit", "a <= 3 )");
  tune_writer_deinit(&writer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_operation_reads_back_as_it_was),
      cmocka_unit_test(what_smt_lacks_keeps_its_meaning),
      cmocka_unit_test(the_text_has_constants_first_and_each_value_once),
      cmocka_unit_test(constraints_are_formatted),
      cmocka_unit_test(a_wrong_constraint_is_told_at_the_end),
      cmocka_unit_test(a_writer_may_be_left_with_a_failure),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
