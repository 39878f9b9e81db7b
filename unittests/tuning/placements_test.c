//===- placements_test.c - Ratios over several placements ------------------------===//

#include "tuning/measure/placements.h"
#include "unittests/common/failing_malloc.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define assert_ok(status) assert_null(status)

// Adds a placement in which kernel 1 takes `ratio` times as long as kernel 0. By its rounds it
// seems twice as fast, which counts where there is no other placement.
static void add(tune_placements *placements, double ratio, bool is_whole) {
  const double medians[] = {2e-3, 2e-3 * ratio};
  const tune_ratio by_rounds[] = {{1, 1, 1}, {0.5, 0.4, 0.6}};
  tune_placements_add(placements, medians, by_rounds, is_whole);
}

// All have to agree: an interval of their extremes, as order statistics give it.
static void the_interval_is_that_of_the_placements(void **state) {
  (void)state;
  tune_placements placements;
  assert_ok(tune_placements_init(&placements, 2));
  for (size_t i = 0; i < TUNE_PLACEMENTS; ++i) {
    assert_false(tune_placements_are_enough(&placements, true));
    add(&placements, 0.9 + 0.01 * (double)i, false);
  }
  assert_true(tune_placements_are_enough(&placements, false));
  tune_ratio ratios[2];
  assert_ok(tune_placements_get_ratios(&placements, 0.983, ratios));
  assert_true(ratios[0].ratio == 1);
  assert_float_equal(ratios[1].ratio, 0.94, 1e-9);
  assert_float_equal(ratios[1].low, 0.90, 1e-9);
  assert_float_equal(ratios[1].high, 0.98, 1e-9);
  tune_placements_deinit(&placements);
}

// Nobody is faster any more after a placement in which it was not; who asks for the ratio goes on.
static void it_ends_where_nobody_can_be_faster(void **state) {
  (void)state;
  tune_placements placements;
  assert_ok(tune_placements_init(&placements, 2));
  add(&placements, 0.99, false);
  assert_false(tune_placements_are_enough(&placements, true));
  add(&placements, 1, false);
  assert_true(tune_placements_are_enough(&placements, true));
  assert_false(tune_placements_are_enough(&placements, false));
  tune_ratio ratios[2];
  assert_ok(tune_placements_get_ratios(&placements, 0.983, ratios));
  assert_true(ratios[1].low < 1 && ratios[1].high > 1);
  tune_placements_deinit(&placements);
}

// Five placements that agree, and one that does not, are none that all agree.
static void one_placement_can_doubt_the_others(void **state) {
  (void)state;
  tune_placements placements;
  assert_ok(tune_placements_init(&placements, 2));
  for (int i = 0; i < 5; ++i)
    add(&placements, 0.8, false);
  add(&placements, 1, false);
  assert_true(tune_placements_are_enough(&placements, true));
  tune_ratio ratios[2];
  assert_ok(tune_placements_get_ratios(&placements, 0.983, ratios));
  assert_true(ratios[1].high >= 1);
  tune_placements_deinit(&placements);
}

// A placement that had the whole budget is the only one, and what it found by itself is the result.
static void a_whole_placement_is_enough(void **state) {
  (void)state;
  tune_placements placements;
  assert_ok(tune_placements_init(&placements, 2));
  add(&placements, 0.99, true);
  assert_true(tune_placements_are_enough(&placements, false));
  tune_ratio ratios[2];
  assert_ok(tune_placements_get_ratios(&placements, 0.95, ratios));
  assert_true(ratios[1].ratio == 0.5 && ratios[1].low == 0.4 && ratios[1].high == 0.6);
  tune_placements_deinit(&placements);
}

// Nothing to compare it with.
static void a_kernel_alone_needs_one_placement(void **state) {
  (void)state;
  tune_placements placements;
  assert_ok(tune_placements_init(&placements, 1));
  assert_false(tune_placements_are_enough(&placements, false));
  const double median = 1;
  const tune_ratio ratio = {1, 1, 1};
  tune_placements_add(&placements, &median, &ratio, false);
  assert_true(tune_placements_are_enough(&placements, false));
  tune_placements_deinit(&placements);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_interval_is_that_of_the_placements),
      cmocka_unit_test(it_ends_where_nobody_can_be_faster),
      cmocka_unit_test(one_placement_can_doubt_the_others),
      cmocka_unit_test(a_whole_placement_is_enough),
      cmocka_unit_test(a_kernel_alone_needs_one_placement),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
