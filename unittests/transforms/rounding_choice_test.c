//===- rounding_choice_test.c - What is rounded, within an error -------------===//

#include "transforms/precision/rounding_choice.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT 6

static void what_saves_most_for_its_error_goes_first(void **state) {
  (void)state;
  const tune_rounding items[COUNT] = {{.gain = 1, .error = 0.02},    {.gain = 1, .error = 0.01},
                                      {.gain = 10, .error = 0.01},   {.gain = 0.1, .error = 0},
                                      {.gain = 100, .error = 0.001}, {.gain = 0.2, .error = 0}};
  size_t order[COUNT];
  assert_int_equal(tune_rounding_choose(items, COUNT, 1, order), COUNT);
  // Of those without an error none is before the other, and each before all others.
  assert_int_equal(order[0], 3);
  assert_int_equal(order[1], 5);
  assert_int_equal(order[2], 4);
  assert_int_equal(order[3], 2);
  assert_int_equal(order[4], 1);
  assert_int_equal(order[5], 0);
}

static void squares_add_up_to_the_budget(void **state) {
  (void)state;
  const tune_rounding items[COUNT] = {{.gain = 9, .error = 3}, {.gain = 8, .error = 4},
                                      {.gain = 7, .error = 4}, {.gain = 6, .error = 12},
                                      {.gain = 5, .error = 1}, {.gain = 0, .error = 0}};
  size_t order[COUNT];
  // 1 + 9, and 16 would be 26.
  assert_int_equal(tune_rounding_choose(items, COUNT, 5, order), 2);
  assert_int_equal(order[0], 4);
  assert_int_equal(order[1], 0);
  // What is too large is passed over, and smaller ones behind it are taken.
  const tune_rounding two[] = {{.gain = 1000, .error = 6}, {.gain = 1, .error = 1}};
  assert_int_equal(tune_rounding_choose(two, 2, 5, order), 1);
  assert_int_equal(order[0], 1);
  assert_int_equal(tune_rounding_choose(two, 2, 6, order), 1);
  assert_int_equal(order[0], 0);
}

static void what_has_no_bound_or_saves_nothing_stays(void **state) {
  (void)state;
  const tune_rounding items[] = {{.gain = 1, .error = NAN},
                                 {.gain = 1, .error = INFINITY},
                                 {.gain = -1, .error = 0},
                                 {.gain = 0, .error = 0},
                                 {.gain = NAN, .error = 0}};
  size_t order[5];
  assert_int_equal(tune_rounding_choose(items, 5, 1, order), 0);
  assert_int_equal(tune_rounding_choose(items, 0, 1, order), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_saves_most_for_its_error_goes_first),
      cmocka_unit_test(squares_add_up_to_the_budget),
      cmocka_unit_test(what_has_no_bound_or_saves_nothing_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
