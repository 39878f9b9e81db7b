//===- units.c ----------------------------------------------------------------===//

#include "support/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

static const tune_figure none = {"-"};

// Four significant digits without an exponent, for values from 0.001 to 9999.
static tune_figure four_digits(double value, const char *unit) {
  tune_figure figure;
  int decimals = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
  snprintf(figure.text, sizeof figure.text, "%.*f%s", decimals, value, unit);
  return figure;
}

typedef struct scale {
  double factor;
  const char *unit;
} scale;

// `scales` go from the largest to the smallest; the last takes what is smaller too.
static tune_figure scaled(double value, const scale *scales, int count) {
  int i = 0;
  // Rounded up, 999.95 us would be "1000 us".
  while (i + 1 < count && value < scales[i].factor * 0.99995)
    ++i;
  return four_digits(value / scales[i].factor, scales[i].unit);
}

tune_figure tune_figure_seconds(double seconds) {
  static const scale scales[] = {{1, " s"}, {1e-3, " ms"}, {1e-6, " us"}, {1e-9, " ns"}};
  return seconds > 0 && isfinite(seconds) ? scaled(seconds, scales, 4) : none;
}

tune_figure tune_figure_rate(double per_second) {
  static const scale scales[] = {{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}, {1, " "}};
  return per_second > 0 && isfinite(per_second) ? scaled(per_second, scales, 5) : none;
}

tune_figure tune_figure_bytes(double bytes) {
  static const scale scales[] = {
      {1e12, " TB"}, {1e9, " GB"}, {1e6, " MB"}, {1e3, " kB"}, {1, " B"}};
  return bytes > 0 && isfinite(bytes) ? scaled(bytes, scales, 5) : none;
}

tune_figure tune_figure_giga(double value) {
  return value > 0 && isfinite(value) ? four_digits(value / 1e9, "") : none;
}

tune_figure tune_figure_percent(double fraction) {
  if (!isfinite(fraction))
    return none;
  tune_figure figure;
  snprintf(figure.text, sizeof figure.text, "%.1f %%", 100 * fraction);
  return figure;
}

tune_figure tune_figure_duration(double seconds) {
  if (!(seconds >= 0) || !isfinite(seconds))
    return none;
  tune_figure figure;
  uint64_t whole = (uint64_t)(seconds + 0.5);
  if (whole < 60)
    snprintf(figure.text, sizeof figure.text, "%" PRIu64 " s", whole);
  else if (whole < 3600)
    snprintf(figure.text, sizeof figure.text, "%" PRIu64 " min %02" PRIu64 " s", whole / 60,
             whole % 60);
  else
    snprintf(figure.text, sizeof figure.text, "%" PRIu64 " h %02" PRIu64 " min", whole / 3600,
             whole / 60 % 60);
  return figure;
}

tune_figure tune_figure_count(uint64_t count) {
  tune_figure figure;
  snprintf(figure.text, sizeof figure.text, "%" PRIu64, count);
  return figure;
}

tune_figure tune_figure_date(int64_t unix_ms) {
  time_t seconds = (time_t)(unix_ms / 1000);
  struct tm local;
  tune_figure figure;
  if (unix_ms == 0 || !localtime_r(&seconds, &local) ||
      strftime(figure.text, sizeof figure.text, "%Y-%m-%d %H:%M", &local) == 0)
    return none;
  return figure;
}
