//===- representatives_test.c - Which sizes stand for a range, and for which ones ==//

#include "transforms/variants/representatives.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_sizes(const tune_representatives *of, size_t count, const int64_t *sizes) {
  assert_int_equal(of->count, count);
  for (size_t i = 0; i < count; ++i)
    assert_int_equal(of->sizes[i], sizes[i]);
}

static void powers_of_two_stand_for_a_range(void **state) {
  (void)state;
  tune_representatives of = tune_representatives_of(&(tune_size_item){.first = 100, .last = 600});
  assert_sizes(&of, 3, (const int64_t[]){128, 256, 512});
}

// Where there is one power or none, both ends and what is between by ratio.
static void ends_stand_for_a_short_range(void **state) {
  (void)state;
  tune_representatives of = tune_representatives_of(&(tune_size_item){.first = 65, .last = 127});
  assert_sizes(&of, 3, (const int64_t[]){65, 91, 127});
  of = tune_representatives_of(&(tune_size_item){.first = 5, .last = 6});
  assert_sizes(&of, 2, (const int64_t[]){5, 6});
  of = tune_representatives_of(&(tune_size_item){.first = 7, .last = 7});
  assert_sizes(&of, 1, (const int64_t[]){7});
  of = tune_representatives_of(&(tune_size_item){.first = 1, .last = INT32_MAX});
  assert_int_equal(of.count, 31);
}

static void all_sizes_of_a_range_have_one(void **state) {
  (void)state;
  const tune_size_item item = {.first = 100, .last = 600};
  tune_representatives of = tune_representatives_of(&item);
  int64_t next = item.first;
  for (size_t i = 0; i < of.count; ++i) {
    int64_t first, last;
    tune_representatives_get_around(&of, &item, i, &first, &last);
    assert_int_equal(first, next);
    assert_true(first <= of.sizes[i] && of.sizes[i] <= last);
    next = last + 1;
  }
  assert_int_equal(next, item.last + 1);
}

static void few_are_taken_evenly(void **state) {
  (void)state;
  tune_representatives of = tune_representatives_of(&(tune_size_item){.first = 1, .last = 1024});
  assert_int_equal(of.count, 11);
  tune_representatives few = tune_representatives_thin(&of, 6);
  assert_sizes(&few, 6, (const int64_t[]){1, 4, 16, 64, 256, 1024});
  few = tune_representatives_thin(&of, 2);
  assert_sizes(&few, 2, (const int64_t[]){1, 1024});
  few = tune_representatives_thin(&of, 1);
  assert_sizes(&few, 1, (const int64_t[]){32});
  few = tune_representatives_thin(&of, 12);
  assert_int_equal(few.count, 11);
}

// One less each time, they are as even as at once.
static void what_is_left_stays_even(void **state) {
  (void)state;
  const tune_representatives all =
      tune_representatives_of(&(tune_size_item){.first = 1, .last = 64});
  tune_representatives few = all;
  while (few.count > 3)
    few = tune_representatives_thin(&all, few.count - 1);
  assert_sizes(&few, 3, (const int64_t[]){1, 8, 64});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(powers_of_two_stand_for_a_range),
      cmocka_unit_test(ends_stand_for_a_short_range),
      cmocka_unit_test(all_sizes_of_a_range_have_one),
      cmocka_unit_test(few_are_taken_evenly),
      cmocka_unit_test(what_is_left_stays_even),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
