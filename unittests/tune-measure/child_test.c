//===- child_test.c - Children that end in their own ways ------------------------------------===//
//
// What a server does with them is in server_test.c. Here a child's body is a function of this
// test's, so that it may be slow to go, or killed between any two of its writes (--wrap=pwrite).
//
//===------------------------------------------------------------------------------------------===//

#include "tools/tune-measure/child.h"
#include "tools/tune-measure/cpu_lock.h"
#include "tools/tune-measure/transfer.h"
#include "tuning/evaluators/cores.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

#define MOST_DESCRIPTORS 256
#define PIECE 5 // bytes that one pwrite takes at most

// Shared with the children.
typedef struct story {
  volatile int tries;
  volatile int writes;  // by all tries
  volatile int kill_at; // the write after which the child is killed; 0: none
  int wake;             // what the watch looks at: the end to write to
  int outputs;          // the file for outputs
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
  child_limits limits = limits_of(2);
  child_outcome outcome;
  assert_ok(child_run(stay, s, &limits, NULL, &outcome));
  assert_int_equal(outcome.end, CHILD_TIMED_OUT);
  assert_string_equal(outcome.error, "still staying after 2 s");
  assert_int_equal(s->tries, 1);
  child_outcome_deinit(&outcome);
}

static tune_status run_often(void *context, child_notes *notes, json_t **out_report) {
  story *s = context;
  while (++s->tries < 5) {
    child_notes_begin(notes);
    usleep(700000);
  }
  *out_report = json_object();
  return TUNE_OK;
}

static tune_status run_often_beside(void *context, child_notes *notes, json_t **out_report) {
  (void)context;
  for (int i = 0; i < 2; ++i) {
    child_notes_begin_beside(notes);
    usleep(1300000);
    assert_true(child_notes_end_beside(notes) >= 1.3);
  }
  *out_report = json_object();
  return TUNE_OK;
}

// What is our own work between runs takes as long as it does.
static void no_limit_counts_what_is_beside(void **state) {
  story *s = *state;
  child_limits limits = limits_of(1);
  child_outcome outcome;
  for (limits.runs = 0; limits.runs < 2; ++limits.runs) {
    assert_ok(child_run(run_often_beside, s, &limits, NULL, &outcome));
    assert_int_equal(outcome.end, CHILD_REPORTED);
    child_outcome_deinit(&outcome);
  }
}

// What runs often has the time for each run, and no more than for as many as there are to be.
static void each_run_has_its_time(void **state) {
  story *s = *state;
  child_limits limits = limits_of(2);
  child_outcome outcome;
  limits.runs = 4;
  assert_ok(child_run(run_often, s, &limits, NULL, &outcome));
  assert_int_equal(outcome.end, CHILD_REPORTED);
  child_outcome_deinit(&outcome);
  s->tries = 0;
  limits.runs = 1;
  assert_ok(child_run(run_often, s, &limits, NULL, &outcome));
  assert_int_equal(outcome.end, CHILD_TIMED_OUT);
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

//===- Outputs
//---------------------------------------------------------------------------------===//

static story *writer; // of the child that writes; else NULL

ssize_t __real_pwrite(int fd, const void *bytes, size_t size, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t at);

ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t at) {
  if (!writer)
    return __real_pwrite(fd, bytes, size, at);
  ssize_t count = __real_pwrite(fd, bytes, size < PIECE ? size : PIECE, at);
  if (++writer->writes == writer->kill_at)
    raise(SIGKILL);
  return count;
}

static tune_value_type types[] = {{.element = TUNE_F32, .rank = 1, .shape = {3}},
                                  {.element = TUNE_I8, .rank = 2, .shape = {3, 3}}};
static const tune_signature signature = {
    .entry = (char *)"tune_entry", .results = types, .result_count = 2};

static tune_status read_output(const tune_kernel *kernel, size_t output, tune_buffer *out_buffer) {
  (void)kernel;
  TUNE_RETURN_IF_ERROR(tune_buffer_init(out_buffer, &types[output]));
  tune_buffer_fill(out_buffer, 7 + output, TUNE_FILL_SIGNED, 1);
  return TUNE_OK;
}

static tune_status write_outputs(void *context, child_notes *notes, json_t **out_report) {
  (void)notes;
  static const tune_target_class methods = {.read = read_output};
  const tune_kernel kernel = {.methods = &methods};
  tune_reference_report report = {.seconds = 1};
  writer = context;
  ++writer->tries;
  TUNE_RETURN_IF_ERROR(transfer_outputs(&kernel, &signature, writer->outputs, &report.outputs));
  return tune_reference_report_to_json(&report, out_report);
}

// Has the outputs written by a child that is killed after so many writes (0: is not), and compares
// all of them with what they are to be. Returns how many writes there were.
static int transfer(story *s, int kill_at) {
  *s = (story){.kill_at = kill_at};
  assert_ok(transfer_open(&s->outputs));
  child_limits limits = limits_of(60);
  child_outcome outcome;
  assert_ok(child_run(write_outputs, s, &limits, NULL, &outcome));
  assert_int_equal(outcome.end, CHILD_REPORTED);
  assert_int_equal(s->tries, kill_at ? 2 : 1);
  tune_buffer outputs[2], wanted;
  tune_reference_report report;
  assert_ok(tune_reference_report_from_json(outcome.report, &report));
  assert_ok(transfer_read(s->outputs, &report.outputs, &signature, outputs));
  tune_reference_report_deinit(&report);
  for (size_t i = 0; i < 2; ++i) {
    assert_ok(read_output(NULL, i, &wanted));
    assert_int_equal(outputs[i].size, wanted.size);
    assert_memory_equal(outputs[i].data, wanted.data, wanted.size);
    tune_buffer_deinit(&wanted);
    tune_buffer_deinit(&outputs[i]);
  }
  child_outcome_deinit(&outcome);
  transfer_close(s->outputs);
  return s->writes;
}

// Wherever the first try ends, the second one leaves what an undisturbed one does.
static void a_writer_that_is_killed_is_written_over(void **state) {
  int writes = transfer(*state, 0);
  assert_true(writes >= 5);
  for (int i = 1; i <= writes; ++i)
    assert_int_equal(transfer(*state, i), writes + i);
}

//===- Cores
//-----------------------------------------------------------------------------------===//

static char lock_path[64];

// Of this test alone, which others that time do not disturb.
int __wrap_tune_lock_file_open(void);

int __wrap_tune_lock_file_open(void) { return open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600); }

typedef struct waiting_note {
  int end; // of a pipe, to tell of it
  char holder[CPU_LOCK_HOLDER];
} waiting_note;

static void note_waiting(void *context, double seconds, const char *holder) {
  (void)seconds;
  waiting_note *note = context;
  snprintf(note->holder, sizeof note->holder, "%s", holder);
  assert_int_equal(write(note->end, "", 1), 1);
}

// In a child of its own, which tells of it when it has them or waits, and keeps them.
static pid_t start_locking(const int *cpus, size_t count, int end) {
  fflush(NULL);
  pid_t child = fork();
  if (child != 0)
    return child;
  waiting_note note = {.end = end};
  child_watch watch = {.fd = -1, .waiting = note_waiting, .context = &note, .driver = getpid()};
  cpu_lock lock;
  tune_status_free(cpu_lock_acquire(cpus, count, &watch, &lock));
  for (ssize_t written = write(end, "", 1); written == 1;)
    pause();
  _exit(1);
}

static void stop_locking(pid_t child) {
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, NULL, 0), child);
}

// One that has a core, and waits for another, is told to those that wait for the first.
static void whoever_waits_with_a_core_is_named(void **state) {
  (void)state;
  const int cpus[] = {0, 1};
  int cores[2], ends[2];
  for (size_t i = 0; i < 2; ++i)
    tune_status_free(tune_cores_find_core(cpus[i], &cores[i]));
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2 || cores[0] == cores[1])
    skip();
  strcpy(lock_path, "/tmp/tune-child-test-XXXXXX");
  close(mkstemp(lock_path));
  assert_int_equal(pipe(ends), 0);
  char byte, name[32];
  pid_t first = start_locking(&cpus[1], 1, ends[1]);
  assert_int_equal(read(ends[0], &byte, 1), 1);
  pid_t second = start_locking(cpus, 2, ends[1]);
  assert_int_equal(read(ends[0], &byte, 1), 1);
  waiting_note note = {.end = ends[1]};
  child_watch watch = {.fd = ends[0], .ready = stop_it, .waiting = note_waiting, .context = &note};
  cpu_lock lock;
  assert_ok(cpu_lock_acquire(cpus, 1, &watch, &lock));
  assert_true(lock.was_cancelled);
  snprintf(name, sizeof name, "(process %d)", (int)second);
  assert_non_null(strstr(note.holder, name));
  stop_locking(first);
  stop_locking(second);
  close(ends[0]);
  close(ends[1]);
  unlink(lock_path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(what_is_slow_to_go_has_another_try),
      TEST(what_stays_is_out_of_time),
      TEST(each_run_has_its_time),
      TEST(no_limit_counts_what_is_beside),
      TEST(what_stays_may_be_cancelled),
      TEST(a_writer_that_is_killed_is_written_over),
      TEST(whoever_waits_with_a_core_is_named),
  };
  return cmocka_run_group_tests_name("tune-measure children", tests, NULL, NULL);
}
