//===- statistics_test.c ----------------------------------------------------------===//

#include "tuning/measure/statistics.h"
#include "unittests/common/failing_malloc.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

// xorshift64*: tests need no better, and the same on every machine.
static double uniform(uint64_t *random) {
  *random ^= *random >> 12;
  *random ^= *random << 25;
  *random ^= *random >> 27;
  return (double)(*random * 0x2545f4914f6cdd1dull >> 11) * 0x1p-53;
}

static void assert_code(tune_status status, tune_status_code code) {
  assert_int_equal(tune_status_get_code(status), code);
  tune_status_free(status);
}

static tune_summary summarize(const double *samples, size_t count) {
  tune_summary summary;
  assert_null(tune_statistics_summarize(samples, count, &summary));
  return summary;
}

static void median_of_odd_even_and_one(void **state) {
  (void)state;
  assert_true(summarize((double[]){3, 1, 2}, 3).median == 2);
  assert_true(summarize((double[]){4, 1, 2, 3}, 4).median == 2.5);
  tune_summary one = summarize((double[]){7}, 1);
  assert_true(one.median == 7 && one.low == 7 && one.high == 7 && one.mean == 7);
  assert_true(one.confidence == 0);
}

// Ranks from tables of the binomial distribution: with 10 samples the 2nd and the 9th hold the
// median at 97.9 %, with 20 the 6th and the 15th at 95.9 %.
static void interval_matches_published_ranks(void **state) {
  (void)state;
  double samples[20];
  for (int i = 0; i < 20; ++i)
    samples[i] = i + 1;
  tune_summary ten = summarize(samples, 10), twenty = summarize(samples, 20);
  assert_true(ten.low == 2 && ten.high == 9);
  assert_float_equal(ten.confidence, 0.9785, 1e-4);
  assert_true(twenty.low == 6 && twenty.high == 15);
  assert_float_equal(twenty.confidence, 0.9586, 1e-4);
  tune_summary five = summarize(samples, 5);
  assert_true(five.low == 1 && five.high == 5);
  assert_float_equal(five.confidence, 0.9375, 1e-9);
}

// Over many draws from a skewed distribution the interval holds the true median at least 95 % of
// the time, on both sides of the switch to the normal approximation.
static void interval_covers_the_median_of_skewed_samples(void **state) {
  (void)state;
  static double samples[2000];
  size_t counts[] = {6, 13, 100, 499, 500, 501, 2000};
  uint64_t random = 42;
  for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
    int covered = 0, draws = 1000;
    for (int draw = 0; draw < draws; ++draw) {
      for (size_t i = 0; i < counts[c]; ++i)
        samples[i] = 1 - log(1 - uniform(&random)); // median 1 + ln 2
      tune_summary s = summarize(samples, counts[c]);
      covered += s.low <= 1 + log(2) && 1 + log(2) <= s.high;
    }
    assert_in_range(covered, 935, 1000); // 950 expected at least, less two deviations
  }
}

// A far sample is an outlier and moves neither the median nor the noise; equal samples have none.
static void outliers_are_counted_and_do_not_move_the_rest(void **state) {
  (void)state;
  double samples[] = {1.00, 1.01, 0.99, 1.02, 0.98, 1.00, 1.01, 0.99, 9.0};
  tune_summary s = summarize(samples, 9);
  assert_int_equal(s.outlier_count, 1);
  assert_float_equal(s.median, 1, 1e-9);
  assert_float_equal(s.noise, 0.0148, 1e-3);
  assert_true(s.minimum == 0.98 && s.maximum == 9);
  assert_int_equal(summarize((double[]){1, 1, 1, 1, 2}, 5).outlier_count, 0);
}

static void damaged_samples_are_refused(void **state) {
  (void)state;
  tune_summary summary;
  tune_ratio ratio;
  assert_code(tune_statistics_summarize(NULL, 0, &summary), TUNE_INVALID_ARGUMENT);
  assert_code(tune_statistics_summarize((double[]){1, NAN}, 2, &summary), TUNE_INVALID_ARGUMENT);
  assert_code(tune_statistics_ratio((double[]){1}, (double[]){1}, 1, 0.95, &ratio),
              TUNE_INVALID_ARGUMENT);
  assert_code(tune_statistics_ratio((double[]){1, 0}, (double[]){1, 1}, 2, 0.95, &ratio),
              TUNE_INVALID_ARGUMENT);
}

// A drift that doubles all times during the measurement leaves the ratio of pairs where it is.
static void ratio_is_immune_to_drift(void **state) {
  (void)state;
  double a[40], b[40];
  uint64_t random = 7;
  for (int i = 0; i < 40; ++i) {
    double drift = 1 + i / 40.0;
    a[i] = 0.8 * drift * (1 + 0.02 * uniform(&random));
    b[i] = drift * (1 + 0.02 * uniform(&random));
  }
  tune_ratio ratio;
  assert_null(tune_statistics_ratio(a, b, 40, 0.95, &ratio));
  assert_float_equal(ratio.ratio, 0.8, 0.01);
  assert_true(ratio.low < 0.8 && 0.8 < ratio.high && ratio.high - ratio.low < 0.02);
}

// Two pairs that differ little do not prove a difference; five that agree do.
static void ratio_of_few_pairs_is_cautious(void **state) {
  (void)state;
  tune_ratio ratio;
  assert_null(tune_statistics_ratio((double[]){0.97, 0.99}, (double[]){1, 1}, 2, 0.95, &ratio));
  assert_true(ratio.low < 1 && ratio.high > 1);
  assert_null(tune_statistics_ratio((double[]){0.79, 0.80, 0.81, 0.80, 0.80},
                                    (double[]){1, 1, 1, 1, 1}, 5, 0.95, &ratio));
  assert_float_equal(ratio.ratio, 0.8, 1e-3);
  assert_true(ratio.high < 0.82);
}

// Of ratios of equals, at most one interval in 20 excludes 1: a winner is not named by chance.
static void ratio_of_equals_seldom_differs_from_one(void **state) {
  (void)state;
  uint64_t random = 3;
  for (size_t count = 2; count <= 30; count += 4) {
    int excluded = 0, surely_excluded = 0;
    for (int draw = 0; draw < 2000; ++draw) {
      double a[30], b[30];
      for (size_t i = 0; i < count; ++i) {
        a[i] = 1 + 0.05 * (uniform(&random) + uniform(&random) + uniform(&random));
        b[i] = 1 + 0.05 * (uniform(&random) + uniform(&random) + uniform(&random));
      }
      tune_ratio ratio;
      assert_null(tune_statistics_ratio(a, b, count, 0.95, &ratio));
      excluded += ratio.low > 1 || ratio.high < 1;
      assert_null(tune_statistics_ratio(a, b, count, 0.99, &ratio));
      surely_excluded += ratio.low > 1 || ratio.high < 1;
    }
    assert_in_range(excluded, 1, 120);       // 100 expected at most, plus two deviations
    assert_in_range(surely_excluded, 0, 29); // 20
  }
}

// With few pairs Student's t decides how far an interval reaches: its published quantiles.
static void few_pairs_reach_as_far_as_published(void **state) {
  (void)state;
  static const struct {
    size_t count;
    double confidence, quantile;
  } table[] = {{2, 0.95, 12.7062}, {3, 0.95, 4.3027}, {4, 0.95, 3.1824}, {5, 0.95, 2.7764},
               {2, 0.99, 63.6567}, {3, 0.99, 9.9248}, {6, 0.99, 4.0321}, {7, 0.99, 3.7074}};
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    double a[8], b[8], mean = 0, variance = 0;
    size_t count = table[i].count;
    for (size_t k = 0; k < count; ++k) {
      a[k] = exp(0.001 * (double)(k * k));
      b[k] = 1;
      mean += log(a[k]) / (double)count;
    }
    for (size_t k = 0; k < count; ++k)
      variance += (log(a[k]) - mean) * (log(a[k]) - mean) / (double)(count - 1);
    tune_ratio ratio;
    assert_null(tune_statistics_ratio(a, b, count, table[i].confidence, &ratio));
    double reach = log(ratio.high / ratio.ratio) / sqrt(variance / (double)count);
    assert_float_equal(reach, table[i].quantile, 1e-4 * table[i].quantile);
  }
}

static tune_status summarize_and_compare(void *context) {
  const double *samples = context;
  tune_summary summary;
  tune_ratio ratio;
  TUNE_RETURN_IF_ERROR(tune_statistics_summarize(samples, 8, &summary));
  return tune_statistics_ratio(samples, samples, 8, 0.95, &ratio);
}

static void each_allocation_may_fail(void **state) {
  (void)state;
  double samples[] = {1, 2, 3, 4, 5, 6, 7, 8};
  assert_int_equal(tune_fail_each_allocation(summarize_and_compare, samples), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(median_of_odd_even_and_one),
      cmocka_unit_test(interval_matches_published_ranks),
      cmocka_unit_test(interval_covers_the_median_of_skewed_samples),
      cmocka_unit_test(outliers_are_counted_and_do_not_move_the_rest),
      cmocka_unit_test(damaged_samples_are_refused),
      cmocka_unit_test(ratio_is_immune_to_drift),
      cmocka_unit_test(ratio_of_few_pairs_is_cautious),
      cmocka_unit_test(ratio_of_equals_seldom_differs_from_one),
      cmocka_unit_test(few_pairs_reach_as_far_as_published),
      cmocka_unit_test(each_allocation_may_fail),
  };
  return cmocka_run_group_tests_name("tuning/measure/statistics", tests, NULL, NULL);
}
