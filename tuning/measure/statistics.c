//===- statistics.c - Statistics of samples ----------------------------------===//

#include "tuning/measure/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONFIDENCE 0.95
#define MAD_TO_DEVIATION 1.4826 // of a normal distribution
#define OUTLIER_DEVIATIONS 10.0 // hyperfine's threshold on the modified Z-score, 14.826 MAD
// Above this count binomial probabilities come from the normal approximation; their sum below is
// exact to double precision, and 2^-count is still a normal number.
#define EXACT_COUNT 500
// Halvings of an interval around a quantile: as close as doubles come.
#define BISECTIONS 60

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_of_sorted(const double *sorted, size_t count) {
  return count % 2 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

// How many deviations around its mean hold so much of a normal distribution.
static double normal_quantile(double confidence) {
  double low = 0, high = 40;
  for (int i = 0; i < BISECTIONS; ++i) {
    double middle = 0.5 * (low + high);
    *(erf(middle * M_SQRT1_2) < confidence ? &low : &high) = middle;
  }
  return high;
}

// The rank k such that [sorted[k], sorted[count-1-k]] holds the median with at least `confidence`
// and is the narrowest such; 0 where none does.
static size_t interval_rank(size_t count, double confidence, double *out_confidence) {
  if (count > EXACT_COUNT) {
    double reach = 0.5 * normal_quantile(confidence) * sqrt((double)count);
    *out_confidence = confidence;
    return (size_t)(floor(0.5 * (double)count - reach) - 1);
  }
  // P(the median lies below sorted[k]) is that of at most k of `count` fair coins.
  double term = ldexp(1, -(int)count), tail = term;
  size_t rank = 0;
  *out_confidence = 1 - 2 * tail;
  for (size_t k = 1; 2 * k < count; ++k) {
    term *= (double)(count - k + 1) / (double)k;
    tail += term;
    if (1 - 2 * tail < confidence)
      break;
    rank = k;
    *out_confidence = 1 - 2 * tail;
  }
  return rank;
}

static tune_status summarize(const double *samples, size_t count, double confidence,
                             tune_summary *out_summary) {
  memset(out_summary, 0, sizeof *out_summary);
  if (count == 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "no samples to summarize");
  for (size_t i = 0; i < count; ++i)
    if (!isfinite(samples[i]))
      return tune_status_make(TUNE_INVALID_ARGUMENT, "sample %zu is %g", i, samples[i]);
  double *sorted = malloc(count * sizeof *sorted);
  if (!sorted)
    return tune_status_out_of_memory("sorting %zu samples", count);
  memcpy(sorted, samples, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_doubles);

  tune_summary *s = out_summary;
  s->count = count;
  s->median = median_of_sorted(sorted, count);
  size_t rank = interval_rank(count, confidence, &s->confidence);
  s->low = sorted[rank];
  s->high = sorted[count - 1 - rank];
  s->minimum = sorted[0];
  s->maximum = sorted[count - 1];
  for (size_t i = 0; i < count; ++i)
    s->mean += sorted[i] / (double)count;

  for (size_t i = 0; i < count; ++i)
    sorted[i] = fabs(samples[i] - s->median);
  qsort(sorted, count, sizeof *sorted, compare_doubles);
  double deviation = MAD_TO_DEVIATION * median_of_sorted(sorted, count);
  s->noise = s->median != 0 ? deviation / fabs(s->median) : 0;
  // With a spread of zero (a clock too coarse) every other value would count.
  for (size_t i = 0; i < count && deviation > 0; ++i)
    s->outlier_count += sorted[i] > OUTLIER_DEVIATIONS * deviation;
  free(sorted);
  return TUNE_OK;
}

tune_status tune_statistics_summarize(const double *samples, size_t count,
                                      tune_summary *out_summary) {
  return summarize(samples, count, CONFIDENCE, out_summary);
}

// P(|t| <= sqrt(freedom) tan(angle)) for Student's t (Abramowitz and Stegun 26.7.3 and 26.7.4).
static double student_share(double angle, size_t freedom) {
  double cosine = cos(angle), term = freedom % 2 ? cosine : 1, sum = 0;
  for (size_t k = freedom % 2 ? 3 : 2; k <= freedom; k += 2) {
    sum += term;
    term *= cosine * cosine * (double)(k - 1) / (double)k;
  }
  return freedom % 2 ? M_2_PI * (angle + sin(angle) * sum) : sin(angle) * sum;
}

static double student_quantile(size_t freedom, double confidence) {
  double low = 0, high = M_PI_2;
  for (int i = 0; i < BISECTIONS; ++i) {
    double middle = 0.5 * (low + high);
    *(student_share(middle, freedom) < confidence ? &low : &high) = middle;
  }
  return sqrt((double)freedom) * tan(high);
}

static tune_ratio ratio_of_few(const double *ratios, size_t count, double confidence) {
  double mean = 0, variance = 0;
  for (size_t i = 0; i < count; ++i)
    mean += log(ratios[i]) / (double)count;
  for (size_t i = 0; i < count; ++i)
    variance += (log(ratios[i]) - mean) * (log(ratios[i]) - mean) / (double)(count - 1);
  double reach = student_quantile(count - 1, confidence) * sqrt(variance / (double)count);
  return (tune_ratio){exp(mean), exp(mean - reach), exp(mean + reach)};
}

tune_status tune_statistics_ratio(const double *numerators, const double *denominators,
                                  size_t count, double confidence, tune_ratio *out_ratio) {
  *out_ratio = (tune_ratio){0};
  if (count < 2)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "a ratio needs 2 pairs of samples, not %zu",
                            count);
  double *ratios = malloc(count * sizeof *ratios);
  if (!ratios)
    return tune_status_out_of_memory("comparing %zu samples", count);
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < count && tune_status_is_ok(status); ++i) {
    if (numerators[i] > 0 && denominators[i] > 0)
      ratios[i] = numerators[i] / denominators[i];
    else
      status = tune_status_make(TUNE_INVALID_ARGUMENT, "pair %zu is not of positive times: %g, %g",
                                i, numerators[i], denominators[i]);
  }
  tune_summary summary;
  if (tune_status_is_ok(status))
    status = summarize(ratios, count, confidence, &summary);
  if (tune_status_is_ok(status))
    *out_ratio = summary.confidence < confidence
                     ? ratio_of_few(ratios, count, confidence)
                     : (tune_ratio){summary.median, summary.low, summary.high};
  free(ratios);
  return status;
}
