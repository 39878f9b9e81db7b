//===- constraint_test.c ------------------------------------------------------===//

#include "space_fixture.h"

// a is one of -3 … 3, b of 0 … 4, and there is a knob whose name needs quotes.
static int setup(void **state) {
  tune_space *space = make_space();
  ADD_ORDERED(space, "a", -3, -2, -1, 0, 1, 2, 3);
  ADD_ORDERED(space, "b", 0, 1, 2, 3, 4);
  ADD_ORDERED(space, "odd-name", 7);
  ADD_ORDERED(space, "big", INT64_MIN, INT64_MAX);
  *state = space;
  return 0;
}

static int teardown(void **state) {
  tune_space_destroy(*state);
  return 0;
}

static tune_constraint *parse(const tune_space *space, const char *text) {
  tune_constraint *constraint;
  assert_ok(tune_constraint_create(tune_space_knobs(space), text, NULL, &constraint));
  return constraint;
}

static bool holds(const tune_space *space, const char *text, int64_t a, int64_t b, bool max) {
  tune_constraint *constraint = parse(space, text);
  const uint16_t choices[] = {(uint16_t)(a + 3), (uint16_t)b, 0, max};
  bool result = tune_constraint_holds(constraint, tune_space_knobs(space), choices);
  tune_constraint_destroy(constraint);
  return result;
}

static void assert_holds(const tune_space *space, const char *text) {
  if (!holds(space, text, 0, 0, false))
    fail_msg("%s does not hold", text);
}

static void assert_violated(const tune_space *space, const char *text) {
  if (holds(space, text, 0, 0, false))
    fail_msg("%s holds", text);
}

static void arithmetic(void **state) {
  const tune_space *space = *state;
  assert_holds(space, "1 + 2 * 3 == 7");
  assert_holds(space, "(1 + 2) * 3 == 9");
  assert_holds(space, "10 - 3 - 2 == 5");
  assert_holds(space, "100 / 10 / 2 == 5");
  assert_holds(space, "-2 * -3 == 6");
  assert_holds(space, "--5 == 5");
  assert_holds(space, "min(3, 1, 2) == 1 && max(3, 1, 2) == 3 && min(4) == 4");
  assert_holds(space, "'odd-name' == 7");
  assert_holds(space, "true && !false");
}

// The quotient goes down to the next integer, the remainder has the divisor's sign.
static void division_is_floor(void **state) {
  const tune_space *space = *state;
  assert_holds(space, "7 / 2 == 3 && 7 % 2 == 1");
  assert_holds(space, "-7 / 2 == -4 && -7 % 2 == 1");
  assert_holds(space, "7 / -2 == -4 && 7 % -2 == -1");
  assert_holds(space, "-7 / -2 == 3 && -7 % -2 == -1");
  assert_holds(space, "-6 / 2 == -3 && -6 % 2 == 0");
}

static void comparisons_and_logic(void **state) {
  const tune_space *space = *state;
  assert_holds(space, "1 < 2 && 2 <= 2 && 3 > 2 && 2 >= 2 && 1 != 2 && 2 == 2");
  assert_violated(space, "2 < 2 || 3 <= 2 || 2 > 2 || 1 >= 2 || 2 != 2 || 1 == 2");
  assert_holds(space, "0 => 0");
  assert_holds(space, "0 => 1");
  assert_violated(space, "1 => 0");
  assert_holds(space, "1 => 2"); // a value is true unless 0
  assert_holds(space, "(5 && 3) == 1");
  assert_holds(space, "!0 == 1 && !7 == 0");
  // => groups to the right: 0 => (1 => 0) holds, (0 => 1) => 0 does not.
  assert_holds(space, "0 => 1 => 0");
  assert_violated(space, "(0 => 1) => 0");
  assert_holds(space, "1 || 1 && 0");
  assert_holds(space, "1 < 2 == 1");
}

// Where there is no value, the constraint is violated, and so is its opposite.
static void no_value_is_violated(void **state) {
  const tune_space *space = *state;
  assert_violated(space, "1 / b == 0"); // b is 0
  assert_violated(space, "!(1 / b == 0)");
  assert_violated(space, "1 % b == 0");
  assert_violated(space, "big - 1 < 0"); // overflows
  assert_violated(space, "-big > 0");
  assert_violated(space, "big / -1 > 0");
  assert_violated(space, "big * 2 < 0");
  assert_false(holds(space, "big + 1 > 0", 0, 0, true));
}

static void guards_decide_first(void **state) {
  const tune_space *space = *state;
  assert_holds(space, "b == 0 || 12 % b == 0");
  assert_holds(space, "b != 0 => 12 % b == 0");
  assert_violated(space, "b != 0 && 12 % b == 0");
  assert_true(holds(space, "b == 0 || 12 % b == 0", 0, 3, false));
}

static void reads_knobs(void **state) {
  const tune_space *space = *state;
  tune_constraint *constraint = parse(space, "b * b + a < 9 && 'odd-name' > 0");
  size_t count;
  const size_t *knobs = tune_constraint_knobs(constraint, &count);
  assert_int_equal(count, 3);
  assert_int_equal(knobs[0], 0);
  assert_int_equal(knobs[1], 1);
  assert_int_equal(knobs[2], 2);
  assert_string_equal(tune_constraint_text(constraint), "b * b + a < 9 && 'odd-name' > 0");
  assert_null(tune_constraint_why(constraint));
  tune_constraint_destroy(constraint);
  assert_true(holds(space, "b * b + a < 9", 0, 2, false));
  assert_false(holds(space, "b * b + a < 9", 0, 3, false));
}

static void assert_prints(const tune_space *space, const char *text, const char *expected) {
  tune_constraint *constraint = parse(space, text);
  char *printed, *again;
  assert_ok(tune_constraint_print(constraint, tune_space_knobs(space), &printed));
  assert_string_equal(printed, expected);
  tune_constraint_destroy(constraint);
  constraint = parse(space, printed);
  assert_ok(tune_constraint_print(constraint, tune_space_knobs(space), &again));
  assert_string_equal(again, expected);
  tune_constraint_destroy(constraint);
  free(printed);
  free(again);
}

static void prints_with_least_parentheses(void **state) {
  const tune_space *space = *state;
  assert_prints(space, "((a*b))%3==0", "a * b % 3 == 0");
  assert_prints(space, "a*(b%3)==0", "a * (b % 3) == 0");
  assert_prints(space, "a-(b-1)>0&&(a-b)-1>0", "a - (b - 1) > 0 && a - b - 1 > 0");
  assert_prints(space, "(a=>b)=>(a=>b)", "(a => b) => a => b");
  assert_prints(space, "(a<b)==(b<a)", "a < b == b < a");
  assert_prints(space, "(a==b)==1", "(a == b) == 1");
  assert_prints(space, "!(a&&b)||-(-a)==1", "!(a && b) || --a == 1");
  assert_prints(space, "min(a,b,3)", "min(min(a, b), 3)");
  assert_prints(space, "'odd-name'+'a'>true", "'odd-name' + a > 1");
  assert_prints(space, "(a||b)&&!(a<b)", "(a || b) && !(a < b)");
}

// Where a knob with labels is compared, and only there, a value is what people call it.
static void describes_values_by_their_labels(void **state) {
  (void)state;
  static const struct {
    const char *text, *expected;
  } cases[] = {
      {"form == 0", "form == none"},
      {"1 != form => n == 1", "tiles != form => n == 1"},
      {"form == 2", "form == 2"}, // no value of it
      {"form < 1 && form + 1 == 1", "form < 1 && form + 1 == 1"},
      {"(form == 1) == 1", "(form == tiles) == 1"},
  };
  tune_space *space = make_space();
  int64_t values[] = {0, 1};
  char *labels[] = {"none", "tiles"};
  tune_knob knob = {.name = "form", .value_count = 2, .values = values, .labels = labels};
  assert_ok(tune_space_add_knob(space, &knob));
  ADD_ORDERED(space, "n", 0, 1);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tune_constraint *constraint = parse(space, cases[i].text);
    char *text;
    assert_ok(tune_constraint_describe(constraint, tune_space_knobs(space), &text));
    assert_string_equal(text, cases[i].expected);
    free(text);
    assert_ok(tune_constraint_print(constraint, tune_space_knobs(space), &text));
    assert_string_equal(text, cases[i].text);
    free(text);
    tune_constraint_destroy(constraint);
  }
  tune_space_destroy(space);
}

static void assert_error(const tune_space *space, const char *text, const char *expected) {
  tune_constraint *constraint;
  assert_fails(tune_constraint_create(tune_space_knobs(space), text, NULL, &constraint),
               TUNE_INVALID_ARGUMENT, expected);
  assert_null(constraint);
}

// Each error has the expression and a caret under the place.
static void errors_point_at_the_place(void **state) {
  const tune_space *space = *state;
  assert_error(space, "a + ", "expected a number, a knob or a parenthesis\n  a + \n      ^");
  assert_error(space, "a b", "expected an operator or the end\n  a b\n    ^");
  assert_error(space, "(a + 1", "expected ')'\n  (a + 1\n        ^");
  assert_error(space, "min(a", "expected ')'\n  min(a\n       ^");
  assert_error(space, "max()", "expected a number, a knob or a parenthesis\n  max()\n      ^");
  assert_error(space, "a == b == 1", "expected an operator or the end\n  a == b == 1\n         ^");
  assert_error(space, "a & b", "expected an operator or the end\n  a & b\n    ^");
  assert_error(space, "a = b", "expected an operator or the end\n  a = b\n    ^");
  assert_error(space, "9223372036854775808 > a", "the number does not fit 64 bits");
  assert_error(space, "'odd-name > 1", "the quote is not closed\n  'odd-name > 1\n  ^");
  assert_error(space, "", "expected a number");
  tune_constraint *constraint;
  assert_fails(tune_constraint_create(tune_space_knobs(space), "b < odd_name", NULL, &constraint),
               TUNE_NOT_FOUND,
               "no knob 'odd_name'; did you mean 'odd-name'?\n  b < odd_name\n      ^");
  assert_fails(tune_constraint_create(tune_space_knobs(space), "zzzzzzzz", NULL, &constraint),
               TUNE_NOT_FOUND, "no knob 'zzzzzzzz'\n");
}

// Expressions of strangers: deep and long ones are refused, not fatal.
static void hostile_expressions(void **state) {
  const tune_space *space = *state;
  const char *openings[] = {"(", "!", "-", "min(", "1=>"};
  char *text = malloc(400001);
  assert_non_null(text);
  for (size_t i = 0; i < sizeof openings / sizeof *openings; ++i) {
    text[0] = '\0';
    for (char *end = text; end < text + 300000;)
      end = stpcpy(end, openings[i]);
    tune_constraint *constraint;
    tune_status status = tune_constraint_create(tune_space_knobs(space), text, NULL, &constraint);
    assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
    tune_status_free(status);
  }
  char *end = stpcpy(text, "1");
  for (int i = 0; i < 2000; ++i)
    end = stpcpy(end, "+1");
  assert_holds(space, text);
  for (int i = 0; i < 20000; ++i)
    end = stpcpy(end, "+1");
  assert_error(space, text, "too long");
  free(text);
}

// Over every way to leave knobs open: where some choice of the open ones satisfies the constraint,
// it may hold. Where all knobs have a value, it may hold if and only if it holds.
static size_t check_open(const tune_space *space, const tune_constraint *constraint) {
  size_t ruled_out = 0;
  for (unsigned open = 0; open < 8; ++open) {
    for (uint16_t fixed = 0; fixed < 125; ++fixed) {
      uint16_t choices[] = {fixed % 5, fixed / 5 % 5, fixed / 25};
      bool is_assigned[3], holds_somehow = false;
      for (int i = 0; i < 3; ++i)
        is_assigned[i] = !(open >> i & 1);
      bool may =
          tune_constraint_may_hold(constraint, tune_space_knobs(space), choices, is_assigned);
      for (uint16_t all = 0; all < 125 && !holds_somehow; ++all) {
        const uint16_t every[] = {all % 5, all / 5 % 5, all / 25};
        bool fits = true;
        for (int i = 0; i < 3; ++i)
          fits = fits && (!is_assigned[i] || every[i] == choices[i]);
        holds_somehow = fits && tune_constraint_holds(constraint, tune_space_knobs(space), every);
      }
      if (holds_somehow && !may)
        fail_msg("%s: ruled out, though it can hold", tune_constraint_text(constraint));
      if (!open)
        assert_int_equal(may, holds_somehow);
      ruled_out += open && !may;
    }
  }
  return ruled_out;
}

static void open_knobs_rule_nothing_out_wrongly(void **state) {
  (void)state;
  static const char *const expressions[] = {
      "x * y * z == 8",
      "x + y < z",
      "x % y == 0",
      "y % x == 1 && z > 0",
      "x / y == -2",
      "z / x >= 2",
      "min(x, y) > z",
      "max(x, y, z) == x - y",
      "!(x > y) && z != 0",
      "x => y => z",
      "x == 0 || y / x > 1",
      "x != 0 && y % x == z",
      "-x * -y > z * z",
      "(x || y) && !z",
      "x % 3 == y % -3",
      "x - y * z == 7",
      "(x > 0) + (y > 0) == 2",
      "x * x * x > 20",
      "1 / x > 0 || z == 3",
      "x == y => y == z",
  };
  const int64_t domains[][5] = {{-3, -1, 0, 2, 4}, {0, 1, 2, 3, 4}, {5, -2, 3, 0, 1}};
  size_t ruled_out = 0;
  for (size_t i = 0; i < sizeof expressions / sizeof *expressions; ++i) {
    for (int turn = 0; turn < 3; ++turn) {
      tune_space *space = make_space();
      add_values(space, "x", turn % 3 != 2, domains[turn % 3], 5);
      add_values(space, "y", (turn + 1) % 3 != 2, domains[(turn + 1) % 3], 5);
      add_values(space, "z", (turn + 2) % 3 != 2, domains[(turn + 2) % 3], 5);
      tune_constraint *constraint = parse(space, expressions[i]);
      ruled_out += check_open(space, constraint);
      tune_constraint_destroy(constraint);
      tune_space_destroy(space);
    }
  }
  assert_true(ruled_out > 5000); // of 52500; or it would be of no use
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arithmetic),
      cmocka_unit_test(division_is_floor),
      cmocka_unit_test(comparisons_and_logic),
      cmocka_unit_test(no_value_is_violated),
      cmocka_unit_test(guards_decide_first),
      cmocka_unit_test(reads_knobs),
      cmocka_unit_test(prints_with_least_parentheses),
      cmocka_unit_test(describes_values_by_their_labels),
      cmocka_unit_test(errors_point_at_the_place),
      cmocka_unit_test(hostile_expressions),
      cmocka_unit_test(open_knobs_rule_nothing_out_wrongly),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
