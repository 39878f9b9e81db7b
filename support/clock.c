//===- clock.c ----------------------------------------------------------------===//

#include "support/clock.h"

#include <errno.h>
#include <time.h>

uint64_t tune_clock_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now); // cannot fail: the clock exists and the pointer is good
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

double tune_clock_seconds(void) { return (double)tune_clock_nanoseconds() * 1e-9; }

int64_t tune_clock_date_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void tune_clock_sleep(double seconds) {
  if (!(seconds > 0))
    return;
  struct timespec left = {.tv_sec = (time_t)seconds};
  left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {
  }
}
