//===- measure.h - The measuring protocol ------------------------------------===//
//
// How a kernel's time is found, given no more than a function that runs it a number of
// times in a row and says how long that took:
//
// 1. Warm-up and calibration: one run, then more at once until a sample (the mean of so
//    many runs) is well above the clock's grain and the cost of reading it. Where caches are
//    flushed ahead of each run a sample is one run, whatever the grain: their median is to be
//    looked at, and the caller's work between them, in no budget, is why they are fewer, the more
//    so the longer it takes.
//    Then windows of three samples, until two in a row agree: their ranges overlap, or their
//    medians differ by no more than 2 %. Those before these two are of a cold kernel and dropped;
//    a quarter of the budget may go that way.
// 2. Samples, until the 95 % interval of their median is within the wanted precision, or
//    the time budget is spent. All of these are kept, in the order taken.
// 3. Cut: a kernel that is surely slower than the best one known stops early; what was
//    measured by then is still returned.
//
// Two kernels are compared by interleaving (A B B A), never by figures of different
// minutes: what drifts slowly is the same for both.
//
// Nothing here reads a clock or knows a device, so that it runs on synthetic times.
//
// Threads: one at a time per measurement.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_MEASURE_MEASURE_H
#define TUNE_TUNING_MEASURE_MEASURE_H

#include "tuning/measure/statistics.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Runs the kernel `repeats` >= 1 times in a row; `*out_seconds` is the time of all of them.
typedef tune_status (*tune_measure_run)(void *context, uint64_t repeats, double *out_seconds);

typedef struct tune_measure_options {
  double budget;         // seconds of running one kernel, warm-up included; 0 is 0.15
  double precision;      // half the interval, relative to the median, that is enough; 0 is 0.01
  double sample_seconds; // a sample is at least so long if the budget allows; 0 is 200 us
  double clock_grain;    // seconds; a sample is at least 20 of them
  size_t sample_limit;   // at most so many samples; 0 is 1000, or 12 to 100 of one run each
  double best;           // seconds of one run of the best kernel known, or 0: never cut
  bool one_run;          // a sample is one run, since the caches are flushed ahead of each
  double flush_seconds;  // that this takes ahead of a run; 0: next to none
  double confidence;     // that all ratios of interleaved kernels are in their intervals; 0 is 0.95
  size_t placements;     // interleaved: this is one of so many, which share the budget; 0 is 1
} tune_measure_options;

typedef struct tune_measurement {
  double *samples; // seconds of one run each, owned
  size_t count;    // at least 1
  uint64_t repeats;
  bool was_cut;
  bool is_whole; // it had the whole budget, and not the share of one placement
  tune_summary summary;
} tune_measurement;

// Measures one kernel. One whose run exceeds the budget gets three samples, or a single one if even
// those would take many budgets; one whose warm-up run shows it cut is run no more. An error of
// `run` ends it and is returned.
tune_status tune_measure(tune_measure_run run, void *context, const tune_measure_options *options,
                         tune_measurement *out_measurement);
void tune_measurement_deinit(tune_measurement *measurement);

typedef struct tune_measure_subject {
  tune_measure_run run;
  void *context;
} tune_measure_subject;

// Measures `count` >= 1 kernels interleaved: rounds of all kernels forth, then back, each beginning
// with another one drawn at random, so that each round gives each kernel two samples. Unless all
// take long, or samples are to be of one run, each runs once ahead of a sample, which no budget
// counts: what the others displaced from the caches comes back, and the times are those that
// kernels have alone. Ends when all ratios are known to a quarter of the wanted precision, since
// the best few differ by little, or the budget of `count` kernels measured alone is spent; slow
// kernels get 12 rounds or 20 budgets, and at least 2 rounds. Of several placements each ends with
// its share of the budget and at least 4 rounds; where these take so many shares that more
// placements would take far longer than rounds do, it goes on as if it were the only one.
// `out_ratios[i]` is the time of kernel i relative to kernel 0, paired by rounds; their intervals
// are so wide that all of them hold together with the wanted confidence (Bonferroni), since the
// best is picked by them. `options->best` is ignored. Both arrays are the caller's, of `count`
// elements; on failure there is nothing in them to release. *`out_failed` (may be NULL) is the
// index of the kernel whose run failed, or `count`.
tune_status tune_measure_interleaved(const tune_measure_subject *subjects, size_t count,
                                     const tune_measure_options *options,
                                     tune_measurement *out_measurements, tune_ratio *out_ratios,
                                     size_t *out_failed);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_MEASURE_MEASURE_H
