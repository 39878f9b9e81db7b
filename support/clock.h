//===- clock.h - Time that only goes forward -------------------------------------===//
//
// Readings of the monotonic clock, comparable within one boot of the machine and across
// its processes; and the date, which may be set meanwhile.
//
// Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_SUPPORT_CLOCK_H
#define TUNE_SUPPORT_CLOCK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Nanoseconds since some moment in the past.
uint64_t tune_clock_nanoseconds(void);
// The same in seconds; exact to some 100 ns after a year of uptime.
double tune_clock_seconds(void);
// The date, in milliseconds since 1970.
int64_t tune_clock_date_milliseconds(void);
// Sleeps for `seconds`, also across signals. Not positive: returns at once.
void tune_clock_sleep(double seconds);

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_CLOCK_H
