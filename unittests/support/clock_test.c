//===- clock_test.c -------------------------------------------------------------===//

#include "support/clock.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include <cmocka.h>

static void goes_forward_in_both_units(void **state) {
  (void)state;
  double seconds = tune_clock_seconds();
  uint64_t before = tune_clock_nanoseconds();
  for (int i = 0; i < 1000; ++i) {
    uint64_t now = tune_clock_nanoseconds();
    assert_true(now >= before);
    before = now;
  }
  assert_true(fabs((double)before * 1e-9 - seconds) < 10);
}

static volatile sig_atomic_t alarms;
static void count_alarm(int number) {
  (void)number;
  ++alarms;
}

// A timer interrupts the sleep every 5 ms; it lasts its 60 ms all the same.
static void sleeps_across_signals(void **state) {
  (void)state;
  struct sigaction action = {.sa_handler = count_alarm}, before;
  sigaction(SIGALRM, &action, &before);
  const struct itimerval often = {{0, 5000}, {0, 5000}}, never = {{0, 0}, {0, 0}};
  double start = tune_clock_seconds();
  setitimer(ITIMER_REAL, &often, NULL);
  tune_clock_sleep(0.06);
  setitimer(ITIMER_REAL, &never, NULL);
  double seconds = tune_clock_seconds() - start;
  sigaction(SIGALRM, &before, NULL);
  assert_true(alarms > 0);
  assert_true(seconds >= 0.06);
}

static void no_time_is_no_sleep(void **state) {
  (void)state;
  double start = tune_clock_seconds();
  tune_clock_sleep(0);
  tune_clock_sleep(-100);
  tune_clock_sleep(NAN);
  assert_true(tune_clock_seconds() - start < 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(goes_forward_in_both_units),
      cmocka_unit_test(sleeps_across_signals),
      cmocka_unit_test(no_time_is_no_sleep),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
