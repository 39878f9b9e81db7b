//===- value_set_test.c - Sets of values that knobs take -------------------------------===//

#include "transforms/rules/schedule_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// What is documented, by counting.
static tune_value_set count_divisors(int64_t extent, int64_t low, int64_t high, int64_t step) {
  tune_value_set set = {0};
  for (int64_t value = step; value <= high && value <= extent; value += step)
    if (value >= low && extent % value == 0)
      tune_value_set_add(&set, value);
  return set;
}

static void assert_sets_equal(const tune_value_set *a, const tune_value_set *b) {
  assert_int_equal(a->count, b->count);
  for (size_t i = 0; i < a->count; ++i)
    assert_int_equal(a->values[i], b->values[i]);
}

static void divisors_are_those_that_counting_finds(void **state) {
  (void)state;
  static const int64_t STEPS[] = {1, 2, 3, 8, 32}, LOWS[] = {0, 1, 2, 7, 64, 5000};
  for (int64_t extent = 0; extent < 1500; ++extent)
    for (size_t s = 0; s < sizeof STEPS / sizeof *STEPS; ++s)
      for (size_t l = 0; l < sizeof LOWS / sizeof *LOWS; ++l)
        for (int64_t part = 0; part < 3; ++part) {
          int64_t high = part == 2 ? 100 : extent / (part + 1);
          tune_value_set found = {0}, counted = count_divisors(extent, LOWS[l], high, STEPS[s]);
          tune_value_set_add_divisors(&found, extent, LOWS[l], high, STEPS[s]);
          assert_sets_equal(&found, &counted);
        }
}

// Of more than there is room for the smallest stay.
static void a_full_set_has_the_smallest(void **state) {
  (void)state;
  enum { MANY_DIVISORS = 720720 };
  tune_value_set found = {0};
  tune_value_set counted = count_divisors(MANY_DIVISORS, 1, MANY_DIVISORS, 1);
  tune_value_set_add_divisors(&found, MANY_DIVISORS, 1, MANY_DIVISORS, 1);
  assert_int_equal(found.count, TUNE_MAX_DOMAIN);
  assert_sets_equal(&found, &counted);
}

// By counting they would take years.
static void sizes_over_all_memory_take_no_time(void **state) {
  (void)state;
  static const int64_t EXTENTS[] = {INT64_C(1) << 32,
                                    (INT64_C(1) << 32) - 5,
                                    INT64_C(1000000000000),
                                    INT64_C(999999999989),
                                    INT64_C(1) << 62,
                                    INT64_C(4611686018427387847),
                                    INT64_C(3037000493) * 3037000493,
                                    INT64_MAX};
  for (size_t i = 0; i < sizeof EXTENTS / sizeof *EXTENTS; ++i) {
    tune_value_set found = {0};
    tune_value_set_add_divisors(&found, EXTENTS[i], 2, EXTENTS[i], 1);
    assert_true(found.count > 0);
    for (size_t v = 0; v < found.count; ++v) {
      assert_int_equal(EXTENTS[i] % found.values[v], 0);
      assert_true(found.values[v] >= 2 && (v == 0 || found.values[v] > found.values[v - 1]));
    }
  }
  tune_value_set tiles = {0};
  tune_value_set_add_divisors(&tiles, INT64_C(1) << 62, 64, INT64_C(1) << 61, 32);
  assert_int_equal(tiles.values[0], 64);
  assert_int_equal(tiles.values[1], 128);
  assert_int_equal(tiles.count, TUNE_MAX_DOMAIN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(divisors_are_those_that_counting_finds),
      cmocka_unit_test(a_full_set_has_the_smallest),
      cmocka_unit_test(sizes_over_all_memory_take_no_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
