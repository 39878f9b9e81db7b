//===- statistics.h - Statistics of samples ----------------------------------===//
//
// Times of a program are not normally distributed: they have a floor, and a tail of
// interruptions. So everything here rests on order: medians, their intervals from order
// statistics (no assumption on the distribution; Hahn and Meeker, Statistical Intervals,
// ch. 5), and the median absolute deviation (MAD) as a measure of spread.
//
// Threads: any; functions of their arguments.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_MEASURE_STATISTICS_H
#define TUNE_TUNING_MEASURE_STATISTICS_H

#include "support/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_summary {
  size_t count;
  double median;
  double low, high;  // 95 % interval of the median; fewer than 6 samples cannot give that much
                     // and then it is their range
  double confidence; // that the interval holds the median: at least 0.95, or what there is
  double minimum, maximum;
  double mean;
  double noise;         // spread of one sample relative to the median: 1.4826 MAD / median, which
                        // is the coefficient of variation if the samples are normal
  size_t outlier_count; // samples further than 10 such spreads from the median, as hyperfine counts
} tune_summary;

// Summarizes `count` >= 1 finite samples, in any order. OUT_OF_MEMORY; INVALID_ARGUMENT for none or
// one that is not finite.
tune_status tune_statistics_summarize(const double *samples, size_t count,
                                      tune_summary *out_summary);

// How much larger one time is than another, with an interval.
typedef struct tune_ratio {
  double ratio;
  double low, high;
} tune_ratio;

// The ratio numerators[i] / denominators[i] of positive times taken close to each other, so that
// what drifts slowly (clock rate, a neighbour) drops out of each pair. `confidence`, above 0.5 and
// below 1, is the interval's: 0.95, or more where it is one of several of which none may be wrong.
// Where there are pairs enough (6 for 0.95) the median of the ratios and its interval by order
// statistics; with fewer their geometric mean and Student's t on the logarithms, which is honest
// about how little that says. INVALID_ARGUMENT for fewer than 2 pairs or a time that is not
// positive.
tune_status tune_statistics_ratio(const double *numerators, const double *denominators,
                                  size_t count, double confidence, tune_ratio *out_ratio);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_MEASURE_STATISTICS_H
