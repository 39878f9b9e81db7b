//===- child_test.c - Children that end in their own ways ------------------------------------===//
//
// What a server does with them is in server_test.c. Here a child's body is a function of this
// test's, so that it may be slow to go.
//
//===------------------------------------------------------------------------------------------===//

#include "tools/tune-measure/child.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

#define MOST_DESCRIPTORS 256

// Shared with the children.
typedef struct story {
  volatile int tries;
  int wake; // what the watch looks at: the end to write to
} story;

static int setup(void **state) {
  void *shared =
      mmap(NULL, sizeof(story), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(shared != MAP_FAILED);
  *state = shared;
  return 0;
}

static int teardown(void **state) { return munmap(*state, sizeof(story)); }

static child_limits limits_of(double seconds) {
  return (child_limits){.seconds = seconds, .threads = 1};
}

// The parent sees the end of the report, as it does where the system has begun to take apart a
// child that was killed.
static void close_all_but(int kept) {
  for (int fd = STDERR_FILENO + 1; fd < MOST_DESCRIPTORS; ++fd)
    if (fd != kept)
      close(fd);
}

//===- The end
//---------------------------------------------------------------------------------===//

static tune_status go_slowly_once(void *context, child_notes *notes, json_t **out_report) {
  (void)notes;
  story *s = context;
  if (++s->tries == 1) {
    close_all_but(-1);
    usleep(1200000);
    raise(SIGKILL);
  }
  *out_report = json_object();
  return TUNE_OK;
}

// However long it takes to go, it was killed once, and by somebody else.
static void what_is_slow_to_go_has_another_try(void **state) {
  story *s = *state;
  child_limits limits = limits_of(60);
  child_outcome outcome;
  assert_ok(child_run(go_slowly_once, s, &limits, NULL, &outcome));
  assert_int_equal(outcome.end, CHILD_REPORTED);
  assert_int_equal(s->tries, 2);
  child_outcome_deinit(&outcome);
}

static tune_status stay(void *context, child_notes *notes, json_t **out_report) {
  (void)out_report;
  story *s = context;
  notes->phase = "staying";
  ++s->tries;
  close_all_but(s->wake);
  usleep(50000); // the parent sees that first
  if (s->wake && write(s->wake, "", 1) != 1)
    return TUNE_OK;
  for (;;)
    pause();
}

// What closes the pipe and goes on has all of its time, and is not taken for killed.
static void what_stays_is_out_of_time(void **state) {
  story *s = *state;
  child_limits limits = limits_of(0.3);
  child_outcome outcome;
  assert_ok(child_run(stay, s, &limits, NULL, &outcome));
  assert_int_equal(outcome.end, CHILD_TIMED_OUT);
  assert_string_equal(outcome.error, "still staying after 0.3 s");
  assert_int_equal(s->tries, 1);
  child_outcome_deinit(&outcome);
}

static bool stop_it(void *context) {
  (void)context;
  return true;
}

static void what_stays_may_be_cancelled(void **state) {
  story *s = *state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  s->wake = ends[1];
  child_limits limits = limits_of(60);
  child_watch watch = {.fd = ends[0], .ready = stop_it};
  child_outcome outcome;
  assert_ok(child_run(stay, s, &limits, &watch, &outcome));
  assert_int_equal(outcome.end, CHILD_CANCELLED);
  child_outcome_deinit(&outcome);
  close(ends[0]);
  close(ends[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(what_is_slow_to_go_has_another_try),
      TEST(what_stays_is_out_of_time),
      TEST(what_stays_may_be_cancelled),
  };
  return cmocka_run_group_tests_name("tune-measure children", tests, NULL, NULL);
}
