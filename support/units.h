//===- units.h - Figures for people -----------------------------------------------===//
//
// Three or four significant digits, with the unit that keeps the number short. Machines
// get JSON with plain SI values instead.
//
// Threads: none of it has state.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_SUPPORT_UNITS_H
#define TUNE_SUPPORT_UNITS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_figure {
  char text[32];
} tune_figure;

tune_figure tune_figure_seconds(double seconds);  // "1.234 ms"; "-" for 0 or less
tune_figure tune_figure_duration(double seconds); // for waiting: "8 s", "3 min 05 s", "2 h 10 min"
tune_figure tune_figure_rate(double per_second);  // "118.2 G"; "-" for 0, less, or not finite
tune_figure tune_figure_giga(double value);       // value / 1e9, as a number only: "118.2"; "-"
tune_figure tune_figure_percent(double fraction); // 0.875 is "87.5 %"; "-" where not finite
tune_figure tune_figure_count(uint64_t count);    // "1234567"
tune_figure tune_figure_bytes(double bytes);      // "4.19 MB"; "-" for 0 or less
tune_figure tune_figure_date(int64_t unix_ms);    // local time: "2026-11-21 12:41"; "-" for 0

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_UNITS_H
