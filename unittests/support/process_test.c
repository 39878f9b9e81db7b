//===- process_test.c -----------------------------------------------------------===//

#include "support/process.h"

#include "support/clock.h"
#include "unittests/common/failing_malloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char *child_program; // support_process_child, beside this test

static int find_child_program(void **state) {
  (void)state;
  tune_status status = tune_process_find_program("support_process_child", &child_program);
  int failed = !tune_status_is_ok(status);
  tune_status_free(status);
  return failed;
}

static int free_child_program(void **state) {
  (void)state;
  free(child_program);
  return 0;
}

static void expect(tune_status status, tune_status_code code, const char *part) {
  if (tune_status_get_code(status) != code || !strstr(tune_status_get_message(status), part))
    fail_msg("unexpected: %s", tune_status_get_message(status));
  tune_status_free(status);
}

static tune_process *start(const char *what, const char *argument, tune_process_options options) {
  const char *arguments[] = {child_program, what, argument, NULL};
  options.arguments = arguments;
  tune_process *process;
  tune_status status = tune_process_start(&options, &process);
  if (!tune_status_is_ok(status))
    fail_msg("%s", tune_status_get_message(status));
  return process;
}

// Runs to the end and gives what was captured.
static char *output_of(const char *what, const char *argument, tune_process_options options) {
  options.out = TUNE_PROCESS_CAPTURE;
  tune_process *process = start(what, argument, options);
  tune_process_exit end;
  assert_null(tune_process_wait(process, 120, &end));
  assert_false(end.by_signal);
  assert_int_equal(end.code, 0);
  char *text;
  assert_null(tune_process_get_captured(process, SIZE_MAX, &text));
  tune_process_destroy(process);
  return text;
}

static int count_descriptors(void) {
  DIR *directory = opendir("/proc/self/fd");
  assert_non_null(directory);
  int count = 0;
  while (readdir(directory))
    ++count;
  closedir(directory);
  return count;
}

static void pipes_carry_both_ways(void **state) {
  (void)state;
  int before = count_descriptors();
  const char *arguments[] = {"/bin/cat", NULL};
  const tune_process_options options = {
      .arguments = arguments, .in = TUNE_PROCESS_PIPE, .out = TUNE_PROCESS_PIPE};
  tune_process *process;
  assert_null(tune_process_start(&options, &process));
  assert_int_equal(write(tune_process_get_stdin(process), "hello", 5), 5);
  tune_process_close_stdin(process);
  assert_int_equal(tune_process_get_stdin(process), -1);
  char bytes[16];
  assert_int_equal(read(tune_process_get_stdout(process), bytes, sizeof bytes), 5);
  assert_memory_equal(bytes, "hello", 5);
  assert_int_equal(read(tune_process_get_stdout(process), bytes, sizeof bytes), 0);
  tune_process_exit end;
  assert_null(tune_process_wait(process, 120, &end));
  assert_int_equal(end.code, 0);
  assert_null(tune_process_wait(process, 0, &end)); // again
  tune_process_destroy(process);
  assert_int_equal(count_descriptors(), before);
}

static void tells_how_it_ended(void **state) {
  (void)state;
  char text[64];
  tune_process_exit end;
  tune_process *process = start("exit", "42", (tune_process_options){0});
  assert_null(tune_process_wait(process, 120, &end));
  tune_process_destroy(process);
  assert_string_equal(tune_process_exit_describe(end, text), "exited with status 42");
  process = start("crash", NULL, (tune_process_options){0});
  assert_null(tune_process_wait(process, 120, &end));
  tune_process_destroy(process);
  assert_string_equal(tune_process_exit_describe(end, text), "was killed by SIGSEGV");
  end.code = 63;
  assert_string_equal(tune_process_exit_describe(end, text), "was killed by signal 63");
}

static void both_streams_share_one_capture_in_order(void **state) {
  (void)state;
  char *text = output_of("both", NULL, (tune_process_options){.error = TUNE_PROCESS_CAPTURE});
  assert_string_equal(text, "one two three");
  free(text);
}

// Descriptors that are not close-on-exec, as other libraries in a compiler open them, stay here.
static void inherits_three_descriptors_only(void **state) {
  (void)state;
  int leak = dup(STDERR_FILENO);
  assert_true(leak > 2);
  char *text = output_of("descriptors", NULL, (tune_process_options){.in = TUNE_PROCESS_PIPE});
  assert_string_equal(text, "0 1 2 ");
  free(text);
  close(leak);
}

static void starts_although_standard_streams_are_closed(void **state) {
  (void)state;
  int saved_in = dup(STDIN_FILENO), saved_error = dup(STDERR_FILENO);
  close(STDIN_FILENO);
  close(STDERR_FILENO);
  tune_process *process = start("both", NULL,
                                (tune_process_options){.in = TUNE_PROCESS_PIPE,
                                                       .out = TUNE_PROCESS_CAPTURE,
                                                       .error = TUNE_PROCESS_CAPTURE});
  tune_process_exit end = {.code = -1};
  tune_status status = tune_process_wait(process, 120, &end);
  char *text = NULL;
  tune_status_free(tune_process_get_captured(process, 100, &text));
  tune_process_destroy(process);
  dup2(saved_in, STDIN_FILENO);
  dup2(saved_error, STDERR_FILENO);
  close(saved_in);
  close(saved_error);
  assert_null(status);
  assert_int_equal(end.code, 0);
  assert_string_equal(text, "one two three");
  free(text);
}

static void starts_with_no_signal_blocked(void **state) {
  (void)state;
  sigset_t some, before;
  sigemptyset(&some);
  sigaddset(&some, SIGINT);
  sigaddset(&some, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &some, &before);
  struct sigaction ignore = {.sa_handler = SIG_IGN}, pipe_before;
  sigaction(SIGPIPE, &ignore, &pipe_before);
  char *text = output_of("signals", NULL, (tune_process_options){0});
  sigaction(SIGPIPE, &pipe_before, NULL);
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, &before, &after);
  assert_int_equal(sigismember(&after, SIGINT), 1); // ours is as it was
  assert_string_equal(text, "");
  free(text);
}

static void the_environment_is_added_to(void **state) {
  (void)state;
  setenv("TUNE_TEST_KEPT", "kept", 1);
  setenv("TUNE_TEST_REPLACED", "old", 1);
  const char *environment[] = {"TUNE_TEST_REPLACED=new", "TUNE_TEST=added", NULL};
  const tune_process_options options = {.environment = environment};
  const char *expected[][2] = {
      {"TUNE_TEST_KEPT", "kept"}, {"TUNE_TEST_REPLACED", "new"}, {"TUNE_TEST", "added"}};
  for (int i = 0; i < 3; ++i) {
    char *text = output_of("environment", expected[i][0], options);
    assert_string_equal(text, expected[i][1]);
    free(text);
  }
}

static void starts_in_the_folder_asked_for(void **state) {
  (void)state;
  char *text = output_of("where", NULL, (tune_process_options){.directory = "/proc"});
  assert_string_equal(text, "/proc\n");
  free(text);
}

static void what_cannot_be_started_is_said(void **state) {
  (void)state;
  int before = count_descriptors();
  tune_process *process;
  const char *arguments[] = {"/nowhere/at/all", NULL};
  tune_process_options options = {.arguments = arguments};
  expect(tune_process_start(&options, &process), TUNE_NOT_FOUND, "starting /nowhere/at/all");
  assert_null(process);
  arguments[0] = "/etc/passwd";
  expect(tune_process_start(&options, &process), TUNE_FAILED_PRECONDITION, "/etc/passwd");
  arguments[0] = child_program;
  options.directory = "/nowhere/at/all";
  expect(tune_process_start(&options, &process), TUNE_NOT_FOUND, child_program);
  options.directory = NULL;
  options.in = TUNE_PROCESS_CAPTURE;
  expect(tune_process_start(&options, &process), TUNE_INVALID_ARGUMENT, "stream 0");
  options.in = TUNE_PROCESS_INHERIT;
  options.error = TUNE_PROCESS_PIPE;
  expect(tune_process_start(&options, &process), TUNE_INVALID_ARGUMENT, "stream 2");
  assert_int_equal(count_descriptors(), before);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); // nor is a zombie left
  assert_int_equal(errno, ECHILD);
}

static void waiting_has_a_deadline(void **state) {
  (void)state;
  tune_process *process = start("hang", NULL, (tune_process_options){0});
  tune_process_exit end;
  expect(tune_process_wait(process, 0, &end), TUNE_DEADLINE_EXCEEDED, "still runs");
  double began = tune_clock_seconds();
  expect(tune_process_wait(process, 0.05, &end), TUNE_DEADLINE_EXCEEDED, "still runs after 0.05");
  double waited = tune_clock_seconds() - began;
  assert_true(waited >= 0.05);
  began = tune_clock_seconds();
  tune_process_destroy(process); // kills it
  assert_true(tune_clock_seconds() - began < 120);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

// What the program leaves in the background holds its stdout; it ends with it.
static void the_whole_group_goes(void **state) {
  (void)state;
  tune_process *process =
      start("leave-a-child", NULL, (tune_process_options){.out = TUNE_PROCESS_PIPE});
  assert_int_equal(getpgid(tune_process_get_id(process)), tune_process_get_id(process));
  tune_process_exit end;
  assert_null(tune_process_wait(process, 120, &end));
  assert_int_equal(end.code, 0);
  char byte;
  assert_int_equal(read(tune_process_get_stdout(process), &byte, 1), 0);
  tune_process_destroy(process);
}

// It is killed alone then.
static void a_program_may_leave_its_group(void **state) {
  (void)state;
  tune_process *process =
      start("leave-its-group", NULL, (tune_process_options){.out = TUNE_PROCESS_PIPE});
  char byte; // says that it has
  assert_int_equal(read(tune_process_get_stdout(process), &byte, 1), 1);
  assert_int_equal(getpgid(tune_process_get_id(process)), getpgid(0));
  tune_process_destroy(process);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

// The middle process is killed with -9 and cannot clean up; its program goes with it.
static void dies_with_its_parent(void **state) {
  (void)state;
  // So that the orphan's end is ours to see.
  assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  pid_t middle = fork();
  assert_true(middle >= 0);
  if (middle == 0) {
    tune_process *process = start("refuse", NULL, (tune_process_options){.out = TUNE_PROCESS_PIPE});
    pid_t id = tune_process_get_id(process);
    char ready[8];
    if (read(tune_process_get_stdout(process), ready, sizeof ready) == 6 &&
        write(ends[1], &id, sizeof id) == sizeof id)
      raise(SIGKILL);
    _exit(1);
  }
  pid_t id;
  assert_int_equal(read(ends[0], &id, sizeof id), sizeof id);
  int how;
  assert_int_equal(waitpid(middle, &how, 0), middle);
  assert_int_equal(waitpid(id, &how, 0), id);
  assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
  close(ends[0]);
  close(ends[1]);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static void a_flood_is_bounded(void **state) {
  (void)state;
  tune_process *process =
      start("flood", NULL, (tune_process_options){.error = TUNE_PROCESS_CAPTURE});
  tune_process_exit end;
  assert_null(tune_process_wait(process, 60, &end));
  assert_int_equal(end.code, 7); // it got an error, and was not blocked
  char *text;
  assert_null(tune_process_get_captured(process, 10, &text));
  assert_string_equal(text, "xxxxxxxxxx");
  free(text);
  tune_process_destroy(process);
}

static void running_reports_failure_with_the_last_words(void **state) {
  (void)state;
  const char *arguments[] = {child_program, "say", "undefined symbol: f", NULL};
  const tune_process_options options = {.arguments = arguments};
  expect(tune_process_run(&options, 120), TUNE_INTERNAL,
         "exited with status 1: undefined symbol: f");
  arguments[1] = "exit";
  arguments[2] = "0";
  assert_null(tune_process_run(&options, INFINITY));
  arguments[1] = "hang";
  expect(tune_process_run(&options, 0.05), TUNE_DEADLINE_EXCEEDED, child_program);
}

static void what_somebody_kills_is_run_once_more(void **state) {
  (void)state;
  char path[] = "/tmp/process_test.XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  const char *arguments[] = {child_program, "killed", path, NULL};
  const tune_process_options options = {.arguments = arguments};
  assert_null(tune_process_run(&options, INFINITY));
  assert_int_equal(access(path, F_OK), -1);
  arguments[2] = "";
  expect(tune_process_run(&options, INFINITY), TUNE_INTERNAL, "killed twice");
}

static void finds_programs(void **state) {
  (void)state;
  char *path;
  assert_null(tune_process_find_program("sh", &path)); // on the PATH
  assert_int_equal(access(path, X_OK), 0);
  free(path);
  assert_null(tune_process_find_program("/bin/sh", &path));
  assert_string_equal(path, "/bin/sh");
  free(path);
  expect(tune_process_find_program("no-such-program", &path), TUNE_UNAVAILABLE,
         "no program no-such-program; looked in /");
  assert_null(path);
  expect(tune_process_find_program("/etc/passwd", &path), TUNE_UNAVAILABLE, "not a program");
}

// Many threads start at once, while others allocate: a child that took a lock would hang.
static void *start_many(void *context) {
  for (int i = 0; i < 10; ++i) {
    const char *arguments[] = {child_program, "exit", "0", NULL};
    const tune_process_options options = {.arguments = arguments};
    tune_status status = tune_process_run(&options, 60);
    *(bool *)context &= tune_status_is_ok(status);
    tune_status_free(status);
  }
  return NULL;
}

static void threads_may_start_at_once(void **state) {
  (void)state;
  pthread_t threads[4];
  bool all_ok[4] = {true, true, true, true};
  for (int i = 0; i < 4; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, start_many, &all_ok[i]), 0);
  for (int i = 0; i < 4; ++i) {
    pthread_join(threads[i], NULL);
    assert_true(all_ok[i]);
  }
}

static tune_status find_and_run(void *context) {
  (void)context;
  char *path;
  TUNE_RETURN_IF_ERROR(tune_process_find_program("support_process_child", &path));
  const char *arguments[] = {path, "exit", "0", NULL};
  const char *environment[] = {"A=b", NULL};
  tune_status status = tune_process_run(
      &(tune_process_options){.arguments = arguments, .environment = environment}, 60);
  free(path);
  return status;
}

static void running_out_of_memory_is_said(void **state) {
  (void)state;
  assert_true(tune_fail_each_allocation(find_and_run, NULL) >= 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pipes_carry_both_ways),
      cmocka_unit_test(tells_how_it_ended),
      cmocka_unit_test(both_streams_share_one_capture_in_order),
      cmocka_unit_test(inherits_three_descriptors_only),
      cmocka_unit_test(starts_although_standard_streams_are_closed),
      cmocka_unit_test(starts_with_no_signal_blocked),
      cmocka_unit_test(the_environment_is_added_to),
      cmocka_unit_test(starts_in_the_folder_asked_for),
      cmocka_unit_test(what_cannot_be_started_is_said),
      cmocka_unit_test(waiting_has_a_deadline),
      cmocka_unit_test(the_whole_group_goes),
      cmocka_unit_test(a_program_may_leave_its_group),
      cmocka_unit_test(dies_with_its_parent),
      cmocka_unit_test(a_flood_is_bounded),
      cmocka_unit_test(running_reports_failure_with_the_last_words),
      cmocka_unit_test(what_somebody_kills_is_run_once_more),
      cmocka_unit_test(finds_programs),
      cmocka_unit_test(threads_may_start_at_once),
      cmocka_unit_test(running_out_of_memory_is_said),
  };
  return cmocka_run_group_tests(tests, find_child_program, free_child_program);
}
