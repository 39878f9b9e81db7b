//===- measure.c - The measuring protocol ------------------------------------===//

#include "tuning/measure/measure.h"

#include "tuning/space/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GRAINS_PER_SAMPLE 20.0
// Samples of one run each: so many, or as many as what flushes the caches takes so long for. That
// is a millisecond or a hundred, by how large the caches are.
#define MOST_FLUSHED 100.0
#define FEWEST_FLUSHED 12.0
#define FLUSH_SECONDS 2.5
// A kernel this much slower than the best in its fastest sample, of so many, is surely not the
// best: the fastest of three samples lies below the median by less than the usual noise of 3 %.
#define CUT_AT_ONCE 2.0
#define CUT_AFTER_SAMPLES 3
#define CUT_SLOWER 1.1
// Fewest samples for an interval that means something, and for a kernel over its budget.
#define FEWEST_SAMPLES 6
#define FEWEST_OVER_BUDGET 3
// Samples of a window. The first windows are of a kernel, or a clock, that is still warming up
// until two in a row agree; that takes so much of the budget at most.
#define WINDOW (FEWEST_SAMPLES / 2)
#define WINDOWS_AGREE 0.02
#define WARM_UP_SHARE 0.25
// Where even three samples would take so many budgets, one has to do.
#define SLOW_BUDGETS 8.0
// Kernels that are compared are the best few, which differ by little: their ratios are wanted more
// exactly than a time, and over budget they still get so many rounds unless that takes so many
// budgets.
#define RATIO_PRECISION 0.25
#define FEWEST_ROUNDS 12
#define SLOW_ROUNDS_BUDGETS 20.0
// Of one placement of several; where that takes so many of its shares of the budget, it is the only
// one.
#define FEWEST_ROUNDS_IN_PLACEMENT 4
#define SLOW_PLACEMENT_SHARES 4.0
// Seconds, against the one or two thousandths that it takes to fill the caches again.
#define LONG_SAMPLE 0.25

// A kernel being measured.
typedef struct probe {
  tune_measure_run run;
  void *context;
  tune_measurement *measurement;
  size_t capacity;
  double seconds; // spent running it
  double last;    // of it, for as many runs as a sample has
  double fastest; // sample
} probe;

static tune_measure_options with_defaults(const tune_measure_options *options) {
  tune_measure_options filled = *options;
  if (filled.budget <= 0)
    filled.budget = 0.15;
  if (filled.precision <= 0)
    filled.precision = 0.01;
  if (filled.sample_seconds <= 0)
    filled.sample_seconds = 200e-6;
  if (filled.sample_limit == 0 && filled.one_run)
    filled.sample_limit =
        (size_t)fmax(FEWEST_FLUSHED, fmin(MOST_FLUSHED, FLUSH_SECONDS / filled.flush_seconds));
  if (filled.sample_limit == 0)
    filled.sample_limit = 1000;
  if (filled.confidence <= 0)
    filled.confidence = 0.95;
  if (filled.placements == 0)
    filled.placements = 1;
  return filled;
}

static tune_status run_once(probe *p, uint64_t repeats, double *out_seconds) {
  TUNE_RETURN_IF_ERROR(p->run(p->context, repeats, out_seconds));
  if (!isfinite(*out_seconds) || *out_seconds < 0)
    return tune_status_make(TUNE_INTERNAL, "a run took %g seconds", *out_seconds);
  p->seconds += *out_seconds;
  p->last = *out_seconds;
  return TUNE_OK;
}

static tune_status add_sample(probe *p, double seconds) {
  tune_measurement *m = p->measurement;
  if (m->count == p->capacity) {
    size_t capacity = p->capacity ? 2 * p->capacity : 32;
    double *samples = realloc(m->samples, capacity * sizeof *samples);
    if (!samples)
      return tune_status_out_of_memory("keeping %zu samples", capacity);
    m->samples = samples;
    p->capacity = capacity;
  }
  double sample = seconds / (double)m->repeats;
  m->samples[m->count++] = sample;
  if (m->count == 1 || sample < p->fastest)
    p->fastest = sample;
  return TUNE_OK;
}

// Warms up and finds the number of runs that make a sample long enough. The warm-up run becomes the
// only sample where it shows that the kernel is to be cut.
static tune_status calibrate(probe *p, const tune_measure_options *options) {
  double wanted = fmax(options->sample_seconds, GRAINS_PER_SAMPLE * options->clock_grain);
  wanted = fmin(wanted, options->budget / FEWEST_SAMPLES);
  tune_measurement *m = p->measurement;
  m->repeats = 1;
  double seconds;
  TUNE_RETURN_IF_ERROR(run_once(p, 1, &seconds));
  // The first run is the slow one: caches, page faults. It tells of a cut only by a wide margin.
  if (options->best > 0 && seconds > 2 * CUT_AT_ONCE * options->best && seconds > wanted) {
    m->was_cut = true;
    return add_sample(p, seconds);
  }
  if (options->one_run)
    return TUNE_OK;
  // A run that was interrupted, or was cold, seems long enough and is not: a short one has to be
  // long enough twice.
  bool is_confirmed = seconds > 10 * wanted;
  while (seconds < wanted || !is_confirmed) {
    is_confirmed = seconds >= wanted;
    if (!is_confirmed) {
      // A first guess rests on a reading of the clock's grain, so it may be far off.
      double factor = seconds > 0 ? 1.1 * wanted / seconds : 100;
      m->repeats = (uint64_t)ceil((double)m->repeats * fmin(fmax(factor, 1.2), 100));
    }
    TUNE_RETURN_IF_ERROR(run_once(p, m->repeats, &seconds));
  }
  return TUNE_OK;
}

static tune_status take_sample(probe *p) {
  double seconds;
  TUNE_RETURN_IF_ERROR(run_once(p, p->measurement->repeats, &seconds));
  return add_sample(p, seconds);
}

static bool is_surely_slower(const probe *p, double best) {
  if (best <= 0)
    return false;
  return p->fastest > CUT_AT_ONCE * best ||
         (p->measurement->count >= CUT_AFTER_SAMPLES && p->fastest > CUT_SLOWER * best);
}

static bool is_over_budget(double seconds, double budget, size_t count) {
  return seconds >= budget && (count >= FEWEST_OVER_BUDGET || seconds >= SLOW_BUDGETS * budget);
}

static bool are_rounds_over_budget(double seconds, double budget, size_t rounds) {
  return seconds >= budget && (rounds >= FEWEST_ROUNDS || seconds >= SLOW_ROUNDS_BUDGETS * budget);
}

// What as few rounds as a placement has take where nothing comes between.
static double least_of_placement(const probe *probes, size_t count) {
  double seconds = 0;
  for (size_t i = 0; i < count; ++i)
    seconds +=
        2 * FEWEST_ROUNDS_IN_PLACEMENT * probes[i].fastest * (double)probes[i].measurement->repeats;
  return seconds;
}

// Looking at the interval means sorting, so it is done at some counts only.
static bool is_time_to_look(size_t count) {
  return count >= FEWEST_SAMPLES && (count < 24 || count % 8 == 0);
}

typedef struct window {
  double low, median, high;
} window;

static window window_of(const double *samples) {
  double low = samples[0], high = samples[0], sum = 0;
  for (size_t i = 0; i < WINDOW; ++i) {
    low = fmin(low, samples[i]);
    high = fmax(high, samples[i]);
    sum += samples[i];
  }
  return (window){low, sum - low - high, high};
}

// Of three samples each: as far as their noise tells.
static bool do_agree(window a, window b) {
  bool overlap = a.low <= b.high && b.low <= a.high;
  return overlap || fabs(a.median - b.median) <= WINDOWS_AGREE * fmin(a.median, b.median);
}

// Called when there are two windows of samples: drops the first if the kernel was still warming up.
static bool is_warm(probe *p, double budget) {
  tune_measurement *m = p->measurement;
  if (p->seconds >= WARM_UP_SHARE * budget ||
      do_agree(window_of(m->samples), window_of(m->samples + WINDOW)))
    return true;
  memmove(m->samples, m->samples + WINDOW, WINDOW * sizeof *m->samples);
  m->count = WINDOW;
  return false;
}

static tune_status sample_until_known(probe *p, const tune_measure_options *options) {
  tune_measurement *m = p->measurement;
  bool was_warm = false;
  while (!m->was_cut) {
    TUNE_RETURN_IF_ERROR(take_sample(p));
    m->was_cut = is_surely_slower(p, options->best);
    if (!was_warm && !m->was_cut && m->count == 2 * WINDOW)
      was_warm = is_warm(p, options->budget);
    if (m->count >= options->sample_limit || is_over_budget(p->seconds, options->budget, m->count))
      break;
    if (!is_time_to_look(m->count))
      continue;
    TUNE_RETURN_IF_ERROR(tune_statistics_summarize(m->samples, m->count, &m->summary));
    if (m->summary.high - m->summary.low <= 2 * options->precision * m->summary.median)
      break;
  }
  return tune_statistics_summarize(m->samples, m->count, &m->summary);
}

tune_status tune_measure(tune_measure_run run, void *context, const tune_measure_options *options,
                         tune_measurement *out_measurement) {
  memset(out_measurement, 0, sizeof *out_measurement);
  tune_measure_options filled = with_defaults(options);
  probe p = {.run = run, .context = context, .measurement = out_measurement};
  tune_status status = calibrate(&p, &filled);
  if (tune_status_is_ok(status))
    status = sample_until_known(&p, &filled);
  if (!tune_status_is_ok(status))
    tune_measurement_deinit(out_measurement);
  return status;
}

void tune_measurement_deinit(tune_measurement *measurement) {
  free(measurement->samples);
  memset(measurement, 0, sizeof *measurement);
}

// The time of a kernel in each round: the mean of its two samples there.
static tune_status ratio_by_rounds(const tune_measurement *of, const tune_measurement *to,
                                   double confidence, tune_ratio *out_ratio) {
  size_t rounds = of->count / 2;
  double *pairs = malloc(2 * rounds * sizeof *pairs);
  if (!pairs)
    return tune_status_out_of_memory("comparing %zu rounds", rounds);
  for (size_t i = 0; i < rounds; ++i) {
    pairs[i] = 0.5 * (of->samples[2 * i] + of->samples[2 * i + 1]);
    pairs[rounds + i] = 0.5 * (to->samples[2 * i] + to->samples[2 * i + 1]);
  }
  tune_status status = tune_statistics_ratio(pairs, pairs + rounds, rounds, confidence, out_ratio);
  free(pairs);
  return status;
}

// Forth and back, beginning with the kernel `first`. If `warms`, a run that is not timed comes
// ahead of a sample that another kernel's precedes: it brings code and data back which that
// displaced.
static tune_status run_round(probe *probes, size_t count, size_t first, bool warms,
                             size_t *out_failed) {
  for (size_t i = 0; i < 2 * count; ++i) {
    *out_failed = (first + (i < count ? i : 2 * count - 1 - i)) % count;
    probe *p = &probes[*out_failed];
    double unused;
    if (warms && i != count)
      TUNE_RETURN_IF_ERROR(p->run(p->context, 1, &unused));
    TUNE_RETURN_IF_ERROR(take_sample(p));
  }
  *out_failed = count;
  return TUNE_OK;
}

static tune_status compare_by_rounds(tune_ratio *ratios, const tune_measurement *measurements,
                                     size_t count, const tune_measure_options *options,
                                     bool *out_precise) {
  *out_precise = true;
  ratios[0] = (tune_ratio){1, 1, 1};
  double confidence = count > 1 ? 1 - (1 - options->confidence) / (double)(count - 1) : 0;
  for (size_t i = 1; i < count; ++i) {
    TUNE_RETURN_IF_ERROR(
        ratio_by_rounds(&measurements[i], &measurements[0], confidence, &ratios[i]));
    if (ratios[i].high - ratios[i].low > 2 * RATIO_PRECISION * options->precision * ratios[i].ratio)
      *out_precise = false;
  }
  return TUNE_OK;
}

static tune_status measure_rounds(probe *probes, size_t count, const tune_measure_options *options,
                                  tune_measurement *measurements, tune_ratio *ratios,
                                  size_t *out_failed) {
  for (size_t i = 0; i < count; ++i) {
    *out_failed = i;
    TUNE_RETURN_IF_ERROR(calibrate(&probes[i], options));
  }
  *out_failed = count;
  // Not worth it where all take long; but what is done for one is done for all.
  bool warms = false;
  for (size_t i = 0; i < count && count > 1 && !options->one_run; ++i)
    warms = warms || probes[i].last < LONG_SAMPLE;
  bool is_precise = false, is_share = options->placements > 1;
  double budget = options->budget * (double)count, share = budget / (double)options->placements;
  // A round of equal order each time can fall into step with what else the machine does, a time
  // slice of another process each 4 ms: then one kernel alone pays for it, with great certainty.
  tune_random random;
  tune_random_init(&random, 0);
  for (size_t rounds = 1; !is_precise; ++rounds) {
    size_t first = (size_t)tune_random_below(&random, count);
    TUNE_RETURN_IF_ERROR(run_round(probes, count, first, warms, out_failed));
    double seconds = 0;
    for (size_t i = 0; i < count; ++i)
      seconds += probes[i].seconds;
    if (rounds < 2)
      continue;
    if (rounds < FEWEST_ROUNDS_IN_PLACEMENT)
      is_share = is_share && least_of_placement(probes, count) < SLOW_PLACEMENT_SHARES * share;
    if ((is_share && rounds >= FEWEST_ROUNDS_IN_PLACEMENT && seconds >= share) ||
        2 * rounds >= options->sample_limit || are_rounds_over_budget(seconds, budget, rounds))
      break;
    if (is_time_to_look(rounds))
      TUNE_RETURN_IF_ERROR(compare_by_rounds(ratios, measurements, count, options, &is_precise));
    // One kernel alone has no ratio to wait for, but a median.
    if (count == 1 && is_precise) {
      const tune_measurement *m = &measurements[0];
      tune_summary summary;
      TUNE_RETURN_IF_ERROR(tune_statistics_summarize(m->samples, m->count, &summary));
      is_precise = summary.high - summary.low <= 2 * options->precision * summary.median;
    }
  }
  for (size_t i = 0; i < count; ++i) {
    measurements[i].is_whole = !is_share;
    TUNE_RETURN_IF_ERROR(tune_statistics_summarize(measurements[i].samples, measurements[i].count,
                                                   &measurements[i].summary));
  }
  return compare_by_rounds(ratios, measurements, count, options, &is_precise);
}

tune_status tune_measure_interleaved(const tune_measure_subject *subjects, size_t count,
                                     const tune_measure_options *options,
                                     tune_measurement *out_measurements, tune_ratio *out_ratios,
                                     size_t *out_failed) {
  memset(out_measurements, 0, count * sizeof *out_measurements);
  size_t failed = count;
  tune_measure_options filled = with_defaults(options);
  filled.best = 0;
  probe *probes = calloc(count, sizeof *probes);
  tune_status status = probes ? TUNE_OK : tune_status_out_of_memory("measuring %zu kernels", count);
  for (size_t i = 0; i < count && probes; ++i)
    probes[i] = (probe){.run = subjects[i].run,
                        .context = subjects[i].context,
                        .measurement = &out_measurements[i]};
  if (tune_status_is_ok(status))
    status = measure_rounds(probes, count, &filled, out_measurements, out_ratios, &failed);
  free(probes);
  if (!tune_status_is_ok(status))
    for (size_t i = 0; i < count; ++i)
      tune_measurement_deinit(&out_measurements[i]);
  if (out_failed)
    *out_failed = failed;
  return status;
}
