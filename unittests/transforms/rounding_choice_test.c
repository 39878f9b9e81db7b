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
  const tune_rounding items[COUNT] = {
      {.kind = 0, .gain = 1, .error = 0.02},    {.kind = 1, .gain = 1, .error = 0.01},
      {.kind = 2, .gain = 10, .error = 0.01},   {.kind = 3, .gain = 0.1, .error = 0},
      {.kind = 4, .gain = 100, .error = 0.001}, {.kind = 5, .gain = 0.2, .error = 0}};
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
  const tune_rounding items[COUNT] = {
      {.kind = 0, .gain = 9, .error = 3}, {.kind = 1, .gain = 8, .error = 4},
      {.kind = 2, .gain = 7, .error = 4}, {.kind = 3, .gain = 6, .error = 12},
      {.kind = 4, .gain = 5, .error = 1}, {.kind = 5, .gain = 0, .error = 0}};
  size_t order[COUNT];
  // 1 + 9, and 16 would be 26.
  assert_int_equal(tune_rounding_choose(items, COUNT, 5, order), 2);
  assert_int_equal(order[0], 4);
  assert_int_equal(order[1], 0);
  // What is too large is passed over, and smaller ones behind it are taken.
  const tune_rounding two[] = {{.kind = 0, .gain = 1000, .error = 6},
                               {.kind = 1, .gain = 1, .error = 1}};
  assert_int_equal(tune_rounding_choose(two, 2, 5, order), 1);
  assert_int_equal(order[0], 1);
  assert_int_equal(tune_rounding_choose(two, 2, 6, order), 1);
  assert_int_equal(order[0], 0);
}

static void what_has_no_bound_or_saves_nothing_stays(void **state) {
  (void)state;
  const tune_rounding items[] = {{.kind = 0, .gain = 1, .error = NAN},
                                 {.kind = 1, .gain = 1, .error = INFINITY},
                                 {.kind = 2, .gain = -1, .error = 0},
                                 {.kind = 3, .gain = 0, .error = 0},
                                 {.kind = 4, .gain = NAN, .error = 0}};
  size_t order[5];
  assert_int_equal(tune_rounding_choose(items, 5, 1, order), 0);
  assert_int_equal(tune_rounding_choose(items, 0, 1, order), 0);
}

// Of a kind one is taken; what saves more takes its place where there is room for it.
static void one_of_a_kind_takes_the_place_of_another(void **state) {
  (void)state;
  const tune_rounding items[] = {{.kind = 0, .gain = 4, .error = 1},
                                 {.kind = 0, .gain = 9, .error = 3},
                                 {.kind = 1, .gain = 3, .error = 1},
                                 {.kind = 1, .gain = 30, .error = 2}};
  size_t order[4];
  // The second kind at once: 30 for 4. The first then by its first item, and its second for 8 more.
  assert_int_equal(tune_rounding_choose(items, 4, 4, order), 3);
  assert_int_equal(order[0], 3);
  assert_int_equal(order[1], 0);
  assert_int_equal(order[2], 1);
  // 4 + 9 is too much for 3.5, and 4 + 1 is not.
  assert_int_equal(tune_rounding_choose(items, 4, 3.5, order), 2);
  assert_int_equal(order[1], 0);
  // One that saves less is never taken after one that saves more, whatever its error.
  const tune_rounding worse[] = {{.kind = 0, .gain = 2, .error = 1},
                                 {.kind = 0, .gain = 1, .error = 0.9}};
  assert_int_equal(tune_rounding_choose(worse, 2, 5, order), 1);
  assert_int_equal(order[0], 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_saves_most_for_its_error_goes_first),
      cmocka_unit_test(squares_add_up_to_the_budget),
      cmocka_unit_test(one_of_a_kind_takes_the_place_of_another),
      cmocka_unit_test(what_has_no_bound_or_saves_nothing_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
