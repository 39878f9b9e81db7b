//===- variant_merge_test.c - Which variants go, and who gets their sizes =========//

#include "transforms/variants/merge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
  tune_variant variants[TUNE_MOST_VARIANTS];
  tune_variant_plan plan;
  tune_neighbour neighbours[TUNE_MOST_VARIANTS][TUNE_MOST_NEIGHBOURS];
  size_t counts[TUNE_MOST_VARIANTS];
  size_t into[TUNE_MOST_VARIANTS];
} fixture;

// `sizes` are by variant, and for each by group.
static void fixture_init_of(fixture *f, size_t groups, size_t count,
                            const tune_variant_sizes *sizes) {
  memset(f, 0, sizeof *f);
  for (size_t v = 0; v < count; ++v) {
    f->variants[v].weight = 1.0 / (double)count;
    for (size_t g = 0; g < groups; ++g)
      f->variants[v].sizes[g] = sizes[v * groups + g];
  }
  f->plan = (tune_variant_plan){.group_count = groups, .variants = f->variants, .count = count};
  for (size_t v = 0; v < count; ++v)
    f->counts[v] = tune_variant_find_neighbours(&f->plan, v, f->neighbours[v]);
}

// The size 1, and a range that was tuned at 16, 32 and 64; all of one group.
static void fixture_init(fixture *f) {
  static const tune_variant_sizes sizes[] = {
      {1, 1, 1, true}, {16, 23, 16, false}, {24, 47, 32, false}, {48, 64, 64, false}};
  fixture_init_of(f, 1, 4, sizes);
}

// 16, and a range around it that was tuned at 8 and 32: what dynamic=16,1-64 has.
enum { SIXTEEN, NEAR_8, NEAR_32, ANY };
static void fixture_init_inside(fixture *f) {
  static const tune_variant_sizes sizes[] = {
      {16, 16, 16, true}, {6, 19, 8, false}, {20, 47, 32, false}};
  fixture_init_of(f, 1, 3, sizes);
}

static void set_ratio(fixture *f, size_t variant, size_t neighbour, double ratio) {
  for (size_t n = 0; n < f->counts[variant]; ++n)
    if (f->neighbours[variant][n].variant == neighbour) {
      f->neighbours[variant][n].ratio = ratio;
      return;
    }
  fail_msg("%zu is no neighbour of %zu", neighbour, variant);
}

static void merge(fixture *f) { tune_variant_merge(&f->plan, f->neighbours, f->counts, f->into); }

static void assert_sizes(const fixture *f, size_t variant, int64_t first, int64_t last) {
  assert_true(variant < f->plan.count);
  assert_int_equal(f->variants[variant].sizes[0].first, first);
  assert_int_equal(f->variants[variant].sizes[0].last, last);
}

// What has one size alone runs no other.
static void neighbours_take_any_size(void **state) {
  (void)state;
  fixture f;
  fixture_init(&f);
  assert_int_equal(f.counts[0], 2);
  assert_int_equal(f.neighbours[0][0].variant, 1);
  assert_int_equal(f.neighbours[0][1].variant, 4); // for any sizes
  assert_int_equal(f.counts[1], 2);
  assert_int_equal(f.neighbours[1][0].variant, 2);
  assert_int_equal(f.counts[2], 3);
  assert_int_equal(f.neighbours[2][0].variant, 1);
  assert_int_equal(f.neighbours[2][1].variant, 3);
}

static void what_is_not_known_or_slower_stays(void **state) {
  (void)state;
  fixture f;
  fixture_init(&f);
  set_ratio(&f, 0, 4, 1.11);
  set_ratio(&f, 1, 2, 3);
  merge(&f);
  assert_int_equal(f.plan.count, 4);
  for (size_t v = 0; v < 4; ++v)
    assert_int_equal(f.into[v], v);
}

static void the_nearest_gets_the_sizes(void **state) {
  (void)state;
  fixture f;
  fixture_init(&f);
  set_ratio(&f, 2, 1, 1.08);
  set_ratio(&f, 2, 3, 1.02);
  set_ratio(&f, 0, 4, 1.09);
  merge(&f);
  assert_int_equal(f.into[2], 3);
  assert_int_equal(f.into[0], 4);
  assert_int_equal(f.plan.count, 2);
  assert_sizes(&f, 0, 16, 23);
  assert_sizes(&f, 1, 24, 64);
  assert_true(f.variants[1].weight == 0.5);
}

// One that has got sizes of another was not measured at these with a third: it stays.
static void sizes_are_given_once(void **state) {
  (void)state;
  fixture f;
  fixture_init(&f);
  set_ratio(&f, 1, 2, 1.01);
  set_ratio(&f, 2, 3, 1.02);
  merge(&f);
  assert_int_equal(f.into[1], 2);
  assert_int_equal(f.into[2], 2);
  assert_int_equal(f.plan.count, 3);
  assert_sizes(&f, 1, 16, 47);
}

// Nor is anything given to one that went.
static void what_went_gets_nothing(void **state) {
  (void)state;
  fixture f;
  fixture_init(&f);
  set_ratio(&f, 2, 4, 1.01);
  set_ratio(&f, 1, 2, 1.02);
  merge(&f);
  assert_int_equal(f.into[2], 4);
  assert_int_equal(f.into[1], 1);
  assert_sizes(&f, 1, 16, 23);
}

// 16 would run what is compared before the one that got it.
static void a_size_in_a_range_goes_to_what_has_it_there(void **state) {
  (void)state;
  fixture f;
  fixture_init_inside(&f);
  set_ratio(&f, SIXTEEN, NEAR_8, 1.5);
  set_ratio(&f, SIXTEEN, NEAR_32, 1.02);
  set_ratio(&f, SIXTEEN, ANY, 1.01);
  merge(&f);
  assert_int_equal(f.into[SIXTEEN], SIXTEEN);
  assert_int_equal(f.plan.count, 3);
  assert_sizes(&f, NEAR_32, 20, 47);

  fixture_init_inside(&f);
  set_ratio(&f, SIXTEEN, NEAR_8, 1.05);
  set_ratio(&f, SIXTEEN, NEAR_32, 1.02);
  set_ratio(&f, SIXTEEN, ANY, 1.01);
  merge(&f);
  assert_int_equal(f.into[SIXTEEN], NEAR_8);
  assert_int_equal(f.plan.count, 2);
  assert_sizes(&f, 0, 6, 19);
}

// Also where what had that part of the range is the second of the two.
static void a_size_in_a_range_does_not_go_down(void **state) {
  (void)state;
  static const tune_variant_sizes sizes[] = {
      {28, 28, 28, true}, {12, 23, 16, false}, {24, 47, 32, false}};
  fixture f;
  fixture_init_of(&f, 1, 3, sizes);
  set_ratio(&f, 0, 1, 1.01);
  merge(&f);
  assert_int_equal(f.into[0], 0);
  assert_sizes(&f, 1, 12, 23);
}

// It waits for the range around it to go, and then nothing else of that range comes along.
static void what_a_range_left_is_for_any_sizes(void **state) {
  (void)state;
  fixture f;
  fixture_init_inside(&f);
  set_ratio(&f, SIXTEEN, ANY, 1.01);
  set_ratio(&f, NEAR_8, ANY, 1.05);
  merge(&f);
  assert_int_equal(f.into[NEAR_8], ANY);
  assert_int_equal(f.into[SIXTEEN], ANY);
  assert_int_equal(f.plan.count, 1);

  fixture_init_inside(&f);
  set_ratio(&f, SIXTEEN, NEAR_32, 1.02);
  set_ratio(&f, NEAR_8, ANY, 1.01);
  merge(&f);
  assert_int_equal(f.into[SIXTEEN], SIXTEEN);
  assert_int_equal(f.plan.count, 2);
  assert_sizes(&f, 1, 20, 47);

  // With all of it a size goes where its range went.
  fixture_init_inside(&f);
  set_ratio(&f, SIXTEEN, NEAR_32, 1.02);
  set_ratio(&f, NEAR_8, NEAR_32, 1.01);
  merge(&f);
  assert_int_equal(f.into[SIXTEEN], NEAR_32);
  assert_int_equal(f.plan.count, 1);
  assert_sizes(&f, 0, 6, 47);
}

// 4 went to the one for any sizes. A range that grew down to 1 would have it.
static void what_went_runs_where_it_was_measured(void **state) {
  (void)state;
  static const tune_variant_sizes sizes[] = {{1, 1, 1, true}, {4, 4, 4, true}, {16, 64, 16, false}};
  fixture f;
  fixture_init_of(&f, 1, 3, sizes);
  set_ratio(&f, 0, 2, 1.02);
  set_ratio(&f, 1, 3, 1.01);
  merge(&f);
  assert_int_equal(f.into[1], 3);
  assert_int_equal(f.into[0], 0);
  fixture_init_of(&f, 1, 3, sizes);
  set_ratio(&f, 0, 2, 1.01);
  set_ratio(&f, 1, 3, 1.02);
  merge(&f);
  assert_int_equal(f.into[0], 2);
  assert_int_equal(f.into[1], 1);
}

// All sizes of three in a square, as first and last ones, are those of the fourth, too.
static void sizes_of_a_third_are_not_taken(void **state) {
  (void)state;
  enum { A, C, B, D };
  static const tune_variant_sizes sizes[] = {
      {1, 3, 2, false}, {16, 31, 16, false}, {1, 3, 2, false}, {32, 64, 64, false},
      {4, 8, 8, false}, {16, 31, 16, false}, {4, 8, 8, false}, {32, 64, 64, false}};
  fixture f;
  fixture_init_of(&f, 2, 4, sizes);
  set_ratio(&f, D, C, 1.01);
  set_ratio(&f, A, C, 1.02);
  merge(&f);
  assert_int_equal(f.into[D], C);
  assert_int_equal(f.into[A], A);
  assert_int_equal(f.plan.count, 3);
  assert_sizes(&f, C, 1, 8);
  assert_int_equal(f.variants[C].sizes[1].first, 32);
}

// Also where the third is compared first, and would lose nothing now.
static void ranges_do_not_meet(void **state) {
  (void)state;
  enum { A, C, B, D };
  static const tune_variant_sizes sizes[] = {
      {1, 3, 2, false}, {16, 31, 16, false}, {1, 3, 2, false}, {32, 64, 64, false},
      {4, 8, 8, false}, {16, 31, 16, false}, {4, 8, 8, false}, {32, 64, 64, false}};
  fixture f;
  fixture_init_of(&f, 2, 4, sizes);
  set_ratio(&f, D, B, 1.01);
  set_ratio(&f, A, B, 1.02);
  merge(&f);
  assert_int_equal(f.into[D], B);
  assert_int_equal(f.into[A], A);
}

// A size of its own in a range of the same group is compared first, and hinders nothing.
static void sizes_in_a_range_hinder_nothing(void **state) {
  (void)state;
  static const tune_variant_sizes sizes[] = {
      {16, 16, 16, true}, {24, 47, 32, false}, {16, 16, 16, true}, {48, 64, 64, false},
      {6, 19, 8, false},  {24, 47, 32, false}, {6, 19, 8, false},  {48, 64, 64, false}};
  fixture f;
  fixture_init_of(&f, 2, 4, sizes);
  set_ratio(&f, 3, 2, 1.01);
  set_ratio(&f, 1, 0, 1.02);
  merge(&f);
  assert_int_equal(f.into[3], 2);
  assert_int_equal(f.into[1], 0);
  assert_int_equal(f.plan.count, 2);
}

// A range whose last size has a variant of its own keeps one that nothing runs at its size.
static void what_never_ran_hinders_nothing(void **state) {
  (void)state;
  static const tune_variant_sizes sizes[] = {
      {1, 1, 1, true}, {5, 5, 5, true}, {6, 6, 6, true}, {5, 6, 6, false}};
  fixture f;
  fixture_init_of(&f, 1, 4, sizes);
  set_ratio(&f, 0, 4, 1.01);
  set_ratio(&f, 2, 3, 1.02);
  merge(&f);
  assert_int_equal(f.into[0], 4);
  assert_int_equal(f.into[2], 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(neighbours_take_any_size),
      cmocka_unit_test(what_is_not_known_or_slower_stays),
      cmocka_unit_test(the_nearest_gets_the_sizes),
      cmocka_unit_test(sizes_are_given_once),
      cmocka_unit_test(what_went_gets_nothing),
      cmocka_unit_test(a_size_in_a_range_goes_to_what_has_it_there),
      cmocka_unit_test(a_size_in_a_range_does_not_go_down),
      cmocka_unit_test(what_a_range_left_is_for_any_sizes),
      cmocka_unit_test(what_went_runs_where_it_was_measured),
      cmocka_unit_test(sizes_of_a_third_are_not_taken),
      cmocka_unit_test(ranges_do_not_meet),
      cmocka_unit_test(sizes_in_a_range_hinder_nothing),
      cmocka_unit_test(what_never_ran_hinders_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
