//===- scheduler_test.c -------------------------------------------------------===//

#include "space_fixture.h"

#include "support/clock.h"
#include "tuning/scheduler.h"

#include <math.h>

static void what_matters_most_comes_first(void **state) {
  (void)state;
  const tune_scheduler_task tasks[] = {{1, 1e9, 1e6}, {1, 1e10, 1e6}, {20, 1e9, 1e6},
                                       {1, 0, 5e9},   {1, 1e9, 1e6},  {1, 0, 0}};
  const size_t expected[] = {3, 2, 1, 0, 4, 5}; // 0.5, 0.2, 0.1, 0.01, 0.01 s and next to nothing
  tune_scheduler *scheduler;
  assert_ok(tune_scheduler_create(tasks, 6, 0, &scheduler));
  size_t index;
  double seconds;
  for (size_t i = 0; i < 6; ++i) {
    assert_true(tune_scheduler_next(scheduler, &index, &seconds));
    assert_int_equal(index, expected[i]);
    assert_true(seconds == 0); // no limit
  }
  assert_false(tune_scheduler_next(scheduler, &index, &seconds));
  tune_scheduler_destroy(scheduler);
}

// Two thirds by what they matter, one evenly; what is not used goes to the others; the last one may
// use all that is left.
static void time_is_shared(void **state) {
  (void)state;
  const tune_scheduler_task tasks[] = {{1, 3e9, 0}, {1, 1e9, 0}};
  tune_scheduler *scheduler;
  assert_ok(tune_scheduler_create(tasks, 2, 120, &scheduler));
  size_t index;
  double seconds;
  assert_true(tune_scheduler_next(scheduler, &index, &seconds));
  assert_int_equal(index, 0);
  assert_true(fabs(seconds - (20 + 60)) < 1);
  assert_true(tune_scheduler_next(scheduler, &index, &seconds));
  assert_int_equal(index, 1);
  assert_true(fabs(seconds - 120) < 1);
  tune_scheduler_destroy(scheduler);
}

// When the time is over, the rest still gets some: 0 would mean no limit.
static void no_time_is_not_no_limit(void **state) {
  (void)state;
  const tune_scheduler_task tasks[] = {{1, 3e9, 0}, {1, 1e9, 0}};
  tune_scheduler *scheduler;
  assert_ok(tune_scheduler_create(tasks, 2, 1e-3, &scheduler));
  tune_clock_sleep(0.002);
  size_t index;
  double seconds;
  while (tune_scheduler_next(scheduler, &index, &seconds))
    assert_true(seconds > 0 && seconds < 0.01);
  tune_scheduler_destroy(scheduler);
  assert_fails(tune_scheduler_create(tasks, 2, -1, &scheduler), TUNE_INVALID_ARGUMENT,
               "-1 seconds");
  assert_fails(tune_scheduler_create(tasks, 2, NAN, &scheduler), TUNE_INVALID_ARGUMENT, "seconds");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_matters_most_comes_first),
      cmocka_unit_test(time_is_shared),
      cmocka_unit_test(no_time_is_not_no_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
