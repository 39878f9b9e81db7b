//===- measure_test.c -------------------------------------------------------------===//
//
// The protocol on synthetic kernels: a time per run, a clock with a grain, noise, drift.
//
//===--------------------------------------------------------------------------===//

#include "tuning/measure/measure.h"
#include "unittests/common/failing_malloc.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct synthetic {
  double seconds;     // of one run
  double noise;       // relative, uniform
  double grain;       // of the clock
  double first_extra; // that the first run takes longer
  double warms;     // that a run takes longer because it was cold, as a share, before it is halved
  double *drift;    // shared by kernels that run side by side; grows with each run
  uint64_t *slices; // shared by them too; each fourth run is interrupted
  uint64_t random;
  uint64_t runs, calls;
  uint64_t fail_after; // calls, or 0
} synthetic;

static double uniform(uint64_t *random) {
  *random ^= *random >> 12;
  *random ^= *random << 25;
  *random ^= *random >> 27;
  return (double)(*random * 0x2545f4914f6cdd1dull >> 11) * 0x1p-53;
}

static tune_status run_synthetic(void *context, uint64_t repeats, double *out_seconds) {
  synthetic *s = context;
  if (s->fail_after && s->calls == s->fail_after)
    return tune_status_make(TUNE_UNAVAILABLE, "the device fell off the bus");
  double seconds = s->seconds * (double)repeats * (1 + s->noise * uniform(&s->random));
  if (s->drift)
    seconds *= (*s->drift *= 1.01);
  seconds *= 1 + s->warms;
  s->warms /= 2;
  if (s->slices && ++*s->slices % 4 == 0)
    seconds += 4e-3;
  if (s->calls == 0)
    seconds += s->first_extra;
  if (s->grain > 0)
    seconds = floor(seconds / s->grain) * s->grain;
  s->runs += repeats;
  ++s->calls;
  *out_seconds = seconds;
  return TUNE_OK;
}

static tune_measurement measure(synthetic *s, tune_measure_options options) {
  tune_measurement m;
  s->random = 99;
  assert_null(tune_measure(run_synthetic, s, &options, &m));
  return m;
}

// A kernel of 100 ns under a clock of 1 us: the repeats make the grain vanish.
static void short_kernels_are_repeated_until_the_clock_is_fine_enough(void **state) {
  (void)state;
  synthetic s = {.seconds = 100e-9, .grain = 1e-6, .noise = 0.01};
  tune_measurement m = measure(&s, (tune_measure_options){.clock_grain = 1e-6});
  assert_true((double)m.repeats * s.seconds >= 200e-6);
  assert_float_equal(m.summary.median, 100.5e-9, 1e-9);
  tune_measurement_deinit(&m);

  s = (synthetic){.seconds = 100e-9, .grain = 100e-6};
  m = measure(&s, (tune_measure_options){.clock_grain = 100e-6});
  assert_true((double)m.repeats * s.seconds >= 20 * 100e-6);
  tune_measurement_deinit(&m);
}

// The first run takes a thousand times as long as the others: it does not pass for a sample.
static void an_interrupted_calibration_is_repeated(void **state) {
  (void)state;
  synthetic s = {.seconds = 1e-6, .first_extra = 1e-3};
  tune_measurement m = measure(&s, (tune_measure_options){0});
  assert_true((double)m.repeats * s.seconds >= 200e-6);
  tune_measurement_deinit(&m);
}

// Runs get faster for a while, as where a clock rises: what is kept is warm. A change that does not
// end, or noise, does not take all of the budget.
static void cold_samples_are_dropped(void **state) {
  (void)state;
  synthetic s = {.seconds = 1e-3, .noise = 0.002, .warms = 8};
  tune_measurement m = measure(&s, (tune_measure_options){0});
  assert_true(m.count >= 6);
  for (size_t i = 0; i < m.count; ++i)
    assert_true(m.samples[i] < 1.1e-3);
  assert_float_equal(m.summary.median, 1e-3, 0.03e-3);
  tune_measurement_deinit(&m);

  double drift = 1;
  s = (synthetic){.seconds = 1e-3, .drift = &drift};
  m = measure(&s, (tune_measure_options){.budget = 0.1});
  assert_in_range(m.count, 6, 100);
  tune_measurement_deinit(&m);
}

// A quiet kernel is done after few samples, long before the budget.
static void quiet_kernels_stop_early(void **state) {
  (void)state;
  synthetic s = {.seconds = 1e-3, .noise = 0.002};
  tune_measurement m = measure(&s, (tune_measure_options){0});
  assert_int_equal(m.repeats, 1);
  assert_int_equal(m.count, 6);
  assert_false(m.was_cut);
  tune_measurement_deinit(&m);
}

// A noisy one takes what the budget gives and no more.
static void noisy_kernels_stop_at_the_budget(void **state) {
  (void)state;
  synthetic s = {.seconds = 1e-3, .noise = 1};
  tune_measurement m = measure(&s, (tune_measure_options){.budget = 0.1, .precision = 1e-5});
  double total = 0;
  for (size_t i = 0; i < m.count; ++i)
    total += m.samples[i];
  assert_true(total > 0.08 && total < 0.105);
  tune_measurement_deinit(&m);

  s = (synthetic){.seconds = 1e-6, .noise = 1};
  m = measure(&s, (tune_measure_options){.precision = 1e-9, .sample_limit = 10, .budget = 1e6});
  assert_int_equal(m.count, 10);
  tune_measurement_deinit(&m);
}

static void slow_kernels_run_a_few_times_only(void **state) {
  (void)state;
  synthetic slow = {.seconds = 0.2};
  tune_measurement m = measure(&slow, (tune_measure_options){.budget = 0.15});
  assert_int_equal(m.count, 3);
  assert_int_equal(slow.runs, 4);
  tune_measurement_deinit(&m);
  synthetic glacial = {.seconds = 10};
  m = measure(&glacial, (tune_measure_options){.budget = 0.15});
  assert_int_equal(m.count, 1);
  assert_int_equal(glacial.runs, 2);
  assert_true(m.summary.median == 10);
  tune_measurement_deinit(&m);
}

// Surely slower is cut, with its few samples; equal, faster and slightly slower ones are not.
static void slower_kernels_are_cut(void **state) {
  (void)state;
  synthetic hopeless = {.seconds = 50e-3};
  tune_measurement m = measure(&hopeless, (tune_measure_options){.best = 5e-3});
  assert_true(m.was_cut);
  assert_int_equal(hopeless.runs, 1);
  assert_true(m.count == 1 && m.samples[0] == 50e-3);
  tune_measurement_deinit(&m);

  synthetic slower = {.seconds = 6e-3, .noise = 0.03};
  m = measure(&slower, (tune_measure_options){.best = 5e-3});
  assert_true(m.was_cut);
  assert_int_equal(m.count, 3);
  tune_measurement_deinit(&m);

  double near[] = {2e-3, 5e-3, 5.2e-3};
  for (int i = 0; i < 3; ++i) {
    synthetic rival = {.seconds = near[i], .noise = 0.03, .first_extra = 6e-3};
    m = measure(&rival, (tune_measure_options){.best = 5e-3});
    assert_false(m.was_cut);
    tune_measurement_deinit(&m);
  }
}

// The first run, cold, is never a sample of a kernel that is measured.
static void the_cold_run_is_no_sample(void **state) {
  (void)state;
  synthetic s = {.seconds = 1e-3, .first_extra = 1};
  tune_measurement m = measure(&s, (tune_measure_options){.budget = 3});
  assert_true(m.summary.maximum < 1.1e-3);
  tune_measurement_deinit(&m);
}

static void a_failing_run_ends_it(void **state) {
  (void)state;
  for (uint64_t calls = 1; calls < 8; ++calls) {
    synthetic s = {.seconds = 1e-5, .fail_after = calls, .random = 5};
    tune_measurement m;
    tune_status status = tune_measure(run_synthetic, &s, &(tune_measure_options){0}, &m);
    assert_int_equal(tune_status_get_code(status), TUNE_UNAVAILABLE);
    tune_status_free(status);
    assert_null(m.samples);
  }
  synthetic broken = {.seconds = NAN};
  tune_measurement m;
  tune_status status = tune_measure(run_synthetic, &broken, &(tune_measure_options){0}, &m);
  assert_int_equal(tune_status_get_code(status), TUNE_INTERNAL);
  tune_status_free(status);
}

// Times that drift by 1 % a run: a kernel 20 % faster is 20 % faster, and its own times, taken
// apart, would not have said so.
static void interleaving_is_immune_to_drift(void **state) {
  (void)state;
  double drift = 1;
  synthetic a = {.seconds = 2e-3, .noise = 0.01, .drift = &drift, .random = 1};
  synthetic b = {.seconds = 1.6e-3, .noise = 0.01, .drift = &drift, .random = 2};
  synthetic c = {.seconds = 2e-3, .noise = 0.01, .drift = &drift, .random = 3};
  tune_measure_subject subjects[] = {{run_synthetic, &a}, {run_synthetic, &b}, {run_synthetic, &c}};
  tune_measurement m[3];
  tune_ratio ratios[3];
  size_t failed;
  assert_null(
      tune_measure_interleaved(subjects, 3, &(tune_measure_options){0}, m, ratios, &failed));
  assert_int_equal(failed, 3);
  assert_true(ratios[0].ratio == 1 && ratios[0].low == 1 && ratios[0].high == 1);
  assert_float_equal(ratios[1].ratio, 0.8, 0.01);
  assert_true(ratios[1].high < 0.85);
  assert_float_equal(ratios[2].ratio, 1, 0.01);
  assert_true(m[0].summary.maximum > 1.2 * m[0].summary.minimum);
  for (int i = 0; i < 3; ++i) {
    assert_true(m[i].count > 24 && m[i].count < 42); // all of the budget
    tune_measurement_deinit(&m[i]);
  }
}

// One placement of nine has a ninth of the budget; where a few rounds take far more than that,
// there are to be no others, and it has all.
static void a_placement_has_its_share(void **state) {
  (void)state;
  const double seconds[] = {1e-3, 20e-3};
  for (int slow = 0; slow < 2; ++slow) {
    synthetic a = {.seconds = seconds[slow], .noise = 0.01, .random = 1};
    synthetic b = {.seconds = seconds[slow], .noise = 0.01, .random = 2};
    tune_measure_subject subjects[] = {{run_synthetic, &a}, {run_synthetic, &b}};
    tune_measurement m[2];
    tune_ratio ratios[2];
    assert_null(tune_measure_interleaved(subjects, 2, &(tune_measure_options){.placements = 9}, m,
                                         ratios, NULL));
    assert_true(m[0].is_whole == (slow == 1));
    assert_true(m[0].count >= (slow ? 24 : 8) && m[0].count <= (slow ? 24 : 20));
    for (int i = 0; i < 2; ++i)
      tune_measurement_deinit(&m[i]);
  }
}

// Something else that runs regularly, in step with the rounds, makes no kernel look slower than an
// equal one beyond doubt.
static void interleaving_does_not_fall_into_step(void **state) {
  (void)state;
  for (uint64_t phase = 0; phase < 4; ++phase) {
    uint64_t slices = phase;
    synthetic a = {.seconds = 1e-3, .noise = 0.01, .slices = &slices, .random = 1};
    synthetic b = {.seconds = 1e-3, .noise = 0.01, .slices = &slices, .random = 2};
    tune_measure_subject subjects[] = {{run_synthetic, &a}, {run_synthetic, &b}};
    tune_measurement m[2];
    tune_ratio ratios[2];
    assert_null(tune_measure_interleaved(subjects, 2, &(tune_measure_options){0}, m, ratios, NULL));
    assert_true(ratios[1].low < 1 && ratios[1].high > 1);
    tune_measurement_deinit(&m[0]);
    tune_measurement_deinit(&m[1]);
  }
}

static void interleaving_names_the_kernel_that_failed(void **state) {
  (void)state;
  synthetic good = {.seconds = 1e-3}, bad = {.seconds = 1e-3, .fail_after = 4};
  tune_measure_subject subjects[] = {{run_synthetic, &good}, {run_synthetic, &bad}};
  tune_measurement m[2];
  tune_ratio ratios[2];
  size_t failed;
  tune_status status =
      tune_measure_interleaved(subjects, 2, &(tune_measure_options){0}, m, ratios, &failed);
  assert_int_equal(tune_status_get_code(status), TUNE_UNAVAILABLE);
  assert_int_equal(failed, 1);
  assert_null(m[0].samples);
  tune_status_free(status);
}

// Quiet kernels need few rounds; slow ones get two and no more, those that are not as slow twelve;
// one alone works too.
static void interleaving_keeps_to_the_budget(void **state) {
  (void)state;
  synthetic a = {.seconds = 5, .noise = 0.01, .random = 1};
  synthetic b = {.seconds = 6, .noise = 0.01, .random = 2};
  tune_measure_subject subjects[] = {{run_synthetic, &a}, {run_synthetic, &b}};
  tune_measurement m[2];
  tune_ratio ratios[2];
  assert_null(tune_measure_interleaved(subjects, 2, &(tune_measure_options){0}, m, ratios, NULL));
  assert_int_equal(a.runs, 5);
  tune_measurement_deinit(&m[0]);
  tune_measurement_deinit(&m[1]);
  a = (synthetic){.seconds = 1e-3, .noise = 0.001, .random = 1};
  b = (synthetic){.seconds = 1e-3, .noise = 0.001, .random = 2};
  assert_null(tune_measure_interleaved(subjects, 2, &(tune_measure_options){0}, m, ratios, NULL));
  assert_int_equal(m[0].count, 12);
  assert_true(ratios[1].high - ratios[1].low <= 0.005);
  tune_measurement_deinit(&m[0]);
  tune_measurement_deinit(&m[1]);
  a = (synthetic){.seconds = 0.1, .noise = 0.1, .random = 1};
  b = (synthetic){.seconds = 0.1, .noise = 0.1, .random = 2};
  assert_null(tune_measure_interleaved(subjects, 2, &(tune_measure_options){0}, m, ratios, NULL));
  assert_int_equal(m[0].count, 24);
  tune_measurement_deinit(&m[0]);
  tune_measurement_deinit(&m[1]);
  synthetic alone = {.seconds = 1e-3, .noise = 0.001, .random = 1};
  tune_measure_subject one = {run_synthetic, &alone};
  assert_null(tune_measure_interleaved(&one, 1, &(tune_measure_options){0}, m, ratios, NULL));
  assert_int_equal(m[0].count, 12);
  tune_measurement_deinit(&m[0]);
}

// A kernel that is slow right after another one, and fast in a row, as caches make it.
typedef struct displaced {
  double seconds, first; // of a run, and of the one after others
  struct displaced **last;
} displaced;

static tune_status run_displaced(void *context, uint64_t repeats, double *out_seconds) {
  displaced *self = context;
  *out_seconds = (double)repeats * self->seconds + (*self->last == self ? 0 : self->first);
  *self->last = self;
  return TUNE_OK;
}

static void interleaving_tells_the_time_of_a_warm_kernel(void **state) {
  (void)state;
  displaced *last = NULL, a = {1e-3, 1e-3, &last}, b = {2e-3, 4e-3, &last}, c = {0.3, 1e-3, &last},
            d = {0.3, 1e-3, &last};
  tune_measure_subject subjects[] = {
      {run_displaced, &a}, {run_displaced, &b}, {run_displaced, &c}, {run_displaced, &d}};
  tune_measurement m[3];
  tune_ratio ratios[3];
  assert_null(tune_measure_interleaved(subjects, 3, &(tune_measure_options){0}, m, ratios, NULL));
  assert_float_equal(m[0].summary.maximum, 1e-3, 1e-9);
  assert_float_equal(ratios[1].ratio, 2, 1e-9);
  assert_float_equal(m[2].summary.maximum, 0.3, 1e-9); // long, but not for itself alone
  for (int i = 0; i < 3; ++i)
    tune_measurement_deinit(&m[i]);
  // A run ahead would take as long as the sample.
  assert_null(
      tune_measure_interleaved(subjects + 2, 2, &(tune_measure_options){0}, m, ratios, NULL));
  assert_float_equal(m[0].summary.maximum, 0.301, 1e-9);
  for (int i = 0; i < 2; ++i)
    tune_measurement_deinit(&m[i]);
}

// Where caches are flushed ahead of each run a sample is one run, however short, none is made ahead
// of it to warm them, and there are so many that what lies between them does not take long.
static void flushed_samples_are_single_runs(void **state) {
  (void)state;
  synthetic s = {.seconds = 100e-9, .noise = 0.01};
  tune_measurement m =
      measure(&s, (tune_measure_options){.one_run = true, .precision = 1e-9, .clock_grain = 1e-6});
  assert_int_equal(m.repeats, 1);
  assert_int_equal(m.count, 100);
  assert_int_equal(s.runs, 101); // the first is of no cache, but of pages
  tune_measurement_deinit(&m);

  synthetic a = {.seconds = 1e-4, .noise = 0.5, .random = 1}, b = a;
  b.random = 2;
  tune_measure_subject subjects[] = {{run_synthetic, &a}, {run_synthetic, &b}};
  tune_measurement pair[2];
  tune_ratio ratios[2];
  tune_measure_options options = {.one_run = true, .precision = 1e-9};
  assert_null(tune_measure_interleaved(subjects, 2, &options, pair, ratios, NULL));
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(pair[i].repeats, 1);
    assert_int_equal(pair[i].count, 100);
    tune_measurement_deinit(&pair[i]);
  }
  assert_int_equal(a.runs, 101);

  // What flushes large caches takes long: fewer samples, but enough for an interval.
  const struct {
    double flush_seconds;
    size_t count;
  } cases[] = {{0.01, 100}, {0.0625, 40}, {1, 12}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    options.flush_seconds = cases[i].flush_seconds;
    a.noise = 0.5;
    m = measure(&a, options);
    assert_int_equal(m.count, cases[i].count);
    tune_measurement_deinit(&m);
  }
}

static tune_status measure_and_compare(void *context) {
  (void)context;
  synthetic a = {.seconds = 1e-3, .noise = 0.5, .random = 1}, b = a;
  tune_measure_subject subjects[] = {{run_synthetic, &a}, {run_synthetic, &b}};
  tune_measurement m[2];
  tune_ratio ratios[2];
  TUNE_RETURN_IF_ERROR(tune_measure(run_synthetic, &a, &(tune_measure_options){0}, &m[0]));
  tune_measurement_deinit(&m[0]);
  TUNE_RETURN_IF_ERROR(
      tune_measure_interleaved(subjects, 2, &(tune_measure_options){0}, m, ratios, NULL));
  tune_measurement_deinit(&m[0]);
  tune_measurement_deinit(&m[1]);
  return TUNE_OK;
}

static void each_allocation_may_fail(void **state) {
  (void)state;
  assert_true(tune_fail_each_allocation(measure_and_compare, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(short_kernels_are_repeated_until_the_clock_is_fine_enough),
      cmocka_unit_test(an_interrupted_calibration_is_repeated),
      cmocka_unit_test(cold_samples_are_dropped),
      cmocka_unit_test(quiet_kernels_stop_early),
      cmocka_unit_test(noisy_kernels_stop_at_the_budget),
      cmocka_unit_test(slow_kernels_run_a_few_times_only),
      cmocka_unit_test(slower_kernels_are_cut),
      cmocka_unit_test(the_cold_run_is_no_sample),
      cmocka_unit_test(a_failing_run_ends_it),
      cmocka_unit_test(interleaving_is_immune_to_drift),
      cmocka_unit_test(a_placement_has_its_share),
      cmocka_unit_test(interleaving_does_not_fall_into_step),
      cmocka_unit_test(interleaving_names_the_kernel_that_failed),
      cmocka_unit_test(interleaving_keeps_to_the_budget),
      cmocka_unit_test(interleaving_tells_the_time_of_a_warm_kernel),
      cmocka_unit_test(flushed_samples_are_single_runs),
      cmocka_unit_test(each_allocation_may_fail),
  };
  return cmocka_run_group_tests_name("tuning/measure/measure", tests, NULL, NULL);
}
