//===- server_test.c - tune-measure as a driver sees it -------------------------------------===//

#include "client.h"
#include "support/clock.h"
#include "support/sandbox.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1 // limits on address space mean nothing then
#else
#define HAS_SANITIZER 0
#endif

static void expect(void **state, const char *artifact, const char *more, const char *verdict,
                   const char *error) {
  json_t *reply = client_measure(*state, artifact, more);
  client_assert_verdict(reply, verdict, error);
  json_decref(reply);
}

// A right candidate gets all its figures.
static void good_artifacts_are_timed(void **state) {
  client_open(*state, "GOOD");
  json_t *reply = client_measure(*state, "GOOD", "");
  client_assert_verdict(reply, "ok", NULL);
  double median = client_number(reply, "median");
  assert_true(median > 1e-9 && median < 1);
  assert_true(client_number(reply, "low") <= median && median <= client_number(reply, "high"));
  assert_true(client_number(reply, "repeats") >= 1);
  assert_true(json_array_size(json_object_get(reply, "samples")) >= 6);
  assert_true(client_number(reply, "noise") >= 0 && client_number(reply, "outliers") >= 0);
  assert_true(client_number(reply, "check.max_error") == 0);
  assert_true(client_number(reply, "check.tolerance") > 0);
  // Both sets of inputs give what is exact: then the dense one says more.
  const json_t *check = json_object_get(reply, "check");
  assert_string_equal(client_text(check, "type"), "f32");
  assert_string_equal(client_text(check, "inputs"), "dense");
  assert_true(client_number(check, "reduction") == 1 && client_number(check, "magnitude") > 0);
  assert_null(json_object_get(reply, "counters"));
  json_decref(reply);
  // What a candidate prints does not get in the way of the protocol.
  expect(state, "NUMB", "", "ok", NULL);
}

// What is counted is for one run. Without a processor's counters the system's are there, and the
// reason. What was cut is counted where that is quick, what is wrong is not.
static void runs_are_counted_beside_the_samples(void **state) {
  json_t *reply = client_ask(*state,
                             "{'do': 'open', 'task': 't', 'target': 'cpu', 'signature': %s,"
                             " 'reference': '" ARTIFACTS "/GOOD.so', 'counters': true}",
                             client_signature);
  json_decref(reply);
  reply = client_measure(*state, "GOOD", "");
  client_assert_verdict(reply, "ok", NULL);
  const json_t *counters = json_object_get(reply, "counters");
  assert_true(client_number(counters, "context_switches") >= 0);
  assert_true(client_number(counters, "page_faults") < 1);
  bool has_cycles = json_is_number(json_object_get(counters, "cycles"));
  assert_true(has_cycles || *client_text(counters, "missing"));
  assert_true(!has_cycles || client_number(counters, "cycles") > 100);
  json_decref(reply);
  reply = client_measure(*state, "SLOW", ", 'best': 1e-6");
  client_assert_verdict(reply, "cut", "slower");
  bool is_short = client_number(reply, "median") * client_number(reply, "repeats") <= 0.1;
  assert_true(is_short == (json_object_get(reply, "counters") != NULL));
  json_decref(reply);
  reply = client_measure(*state, "WRONG", "");
  client_assert_verdict(reply, "wrong", "");
  assert_null(json_object_get(reply, "counters"));
  json_decref(reply);
}

// Each output is compared: results, arguments that are written, shapes, NaN.
static void wrong_artifacts_are_found(void **state) {
  client_open(*state, "GOOD");
  expect(state, "WRONG", "", "wrong", "result 0: element [3, 17] is ");
  expect(state, "WRONG", "", "wrong", "1 of 2048 elements are wrong");
  expect(state, "WRONG_NAN", "", "wrong", "result 0: element [0, 5] is nan");
  expect(state, "WRONG_WRITE", "", "wrong", "argument 1: element [63, 31] is ");
  expect(state, "WRONG_SHAPE", "", "wrong", "shape does not fit 64x32xf32");
  expect(state, "BOUNDS", "", "wrong",
         "writes outside of its arguments: argument 1: 4 bytes after the end");
  expect(state, "BEFORE", "", "wrong", "argument 0: 4 bytes before the beginning");
  expect(state, "CLAMPED", "", "wrong", "on sparse inputs: result 0: element ");
  expect(state, "UNWRITTEN", "", "wrong", "is nan where the reference has");
  expect(state, "UNWRITTEN_STACK", "", "wrong", "is nan where the reference has");
  expect(state, "PAST", "", "wrong", "4 bytes around memory that it allocates were overwritten");
  json_t *reply = client_measure(*state, "CLAMPED", "");
  assert_string_equal(client_text(json_object_get(reply, "check"), "inputs"), "sparse");
  json_decref(reply);
  reply = client_measure(*state, "WRONG", "");
  assert_string_equal(client_text(json_object_get(reply, "check"), "inputs"), "dense");
  assert_true(client_number(reply, "check.max_error") > client_number(reply, "check.tolerance"));
  assert_null(json_object_get(reply, "samples"));
  json_decref(reply);
}

// A crash is a verdict that says which signal, when, and where it can be told; the server goes on.
static void crashes_are_verdicts(void **state) {
  client_open(*state, "GOOD");
  expect(state, "NO_ADDRESS", "", "run-crashed",
         "SIGSEGV while running on sparse inputs, at address");
  expect(
      state, "MISALIGNED", "", "run-crashed",
      "SIGSEGV while running on sparse inputs, at an address that is not aligned as the code has "
      "it, or that this machine does not have");
  expect(state, "FAR", "", "run-crashed",
         "SIGSEGV while running on sparse inputs, after the end of argument 1");
  expect(state, "SCRIBBLE", "", "run-crashed",
         "SIGSEGV while running on sparse inputs, in argument 0");
  expect(state, "ILLEGAL", "", "run-crashed", "SIGILL while running");
  expect(state, "DIVIDE", "", "run-crashed", "SIGFPE while running");
  expect(state, "ABORT", "", "run-crashed",
         "SIGABRT while running on sparse inputs; it printed: the artifact gives up");
  if (!HAS_SANITIZER) // it looks for leaks then, in a process of its own
    expect(state, "EXIT", "", "run-crashed", "exited with status 3 while running");
  expect(state, "STACK", "", "run-crashed", "SIGSEGV while running");
  expect(state, "GOOD", "", "ok", NULL);
}

// What candidates have no business with is kept from them, which is a verdict that says what it
// was, and nothing is left behind.
static void candidates_are_confined(void **state) {
  char *missing, path[4096];
  assert_ok(tune_sandbox_describe(&missing));
  bool is_complete = !missing;
  free(missing);
  if (!is_complete || !getenv("HOME"))
    skip();
  snprintf(path, sizeof path, "%s/left-behind", getenv("HOME"));
  assert_int_not_equal(access(path, F_OK), 0);
  client_open(*state, "GOOD");
  expect(state, "SOCKET", "", "run-crashed",
         "SIGSYS while running on sparse inputs: it made the system call ");
  expect(state, "PROGRAM", "", "run-crashed", "(execve), which is forbidden to candidates");
  expect(state, "FORK", "", "run-crashed", "which is forbidden to candidates");
  expect(state, "HOME", "", "run-crashed", "it printed: nothing can be left behind");
  assert_int_not_equal(access(path, F_OK), 0);
  expect(state, "GOOD", "", "ok", NULL);
}

// What the linker let pass and the loader does not is the candidate's fault.
static void artifacts_that_do_not_load_are_verdicts(void **state) {
  client_open(*state, "GOOD");
  expect(state, "LACKING", "", "run-crashed", "undefined symbol: a_function_that_nobody_has");
  json_t *reply = client_ask(*state,
                             "{'do': 'compare', 'task': 't', 'artifacts':"
                             " ['" ARTIFACTS "/GOOD.so', '%s']}",
                             SOURCES "/server_test.c");
  client_assert_verdict(reply, "run-crashed", "not an artifact");
  assert_true(client_number(reply, "artifact") == 1);
  json_decref(reply);
}

// Those of LEFTOVER alone, which have a size of their own: other tests make and leave some
// meanwhile.
static size_t count_openmp_files(void) {
  size_t count = 0;
  DIR *folder = opendir("/dev/shm");
  assert_non_null(folder);
  struct stat status;
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
    count += strncmp(entry->d_name, "__KMP_REGISTERED_LIB_", 21) == 0 &&
             fstatat(dirfd(folder), entry->d_name, &status, 0) == 0 && status.st_size == 12347;
  closedir(folder);
  return count;
}

// Not even what the OpenMP runtime of a candidate forgets about.
static void candidates_leave_no_files(void **state) {
  client_open(*state, "GOOD");
  size_t before = count_openmp_files();
  expect(state, "LEFTOVER", "", "ok", NULL);
  assert_true(count_openmp_files() <= before); // less where an older process had its number
}

static void hangs_are_stopped(void **state) {
  client_open(*state, "GOOD");
  expect(state, "ENDLESS", ", 'limits': {'seconds': 2}", "run-timeout",
         "still running on sparse inputs after 2 s");
  expect(state, "GOOD", "", "ok", NULL);
}

// A reference that does not end on sparse inputs is given up on those, long before its limit, and
// artifacts are checked on the others.
static void a_reference_that_hangs_at_times_is_none_then(void **state) {
  double start = tune_clock_seconds();
  json_t *reply = client_ask(*state,
                             "{'do': 'open', 'task': 't', 'target': 'cpu', 'signature': %s,"
                             " 'reference': '" ARTIFACTS "/STUCK.so', 'limits': {'seconds': 600}}",
                             client_signature);
  json_decref(reply);
  assert_true(tune_clock_seconds() - start < 300);
  expect(state, "STUCK", "", "ok", NULL);
}

// The time of a reference is not that of its first run, which is guarded.
static void a_reference_is_timed_awake(void **state) {
  json_t *reply = client_ask(*state,
                             "{'do': 'open', 'task': 't', 'target': 'cpu', 'signature': %s,"
                             " 'reference': '" ARTIFACTS "/WAKING.so'}",
                             client_signature);
  double seconds = client_number(reply, "reference_seconds");
  assert_true(seconds > 0 && seconds < 0.2);
  json_decref(reply);
  expect(state, "GOOD", "", "ok", NULL);
}

// Whatever the limits: by the best time known, or by the reference's where there is none.
static void what_is_no_match_is_stopped(void **state) {
  client_open(*state, "GOOD");
  expect(state, "ENDLESS", ", 'best': 1e-3, 'limits': {'seconds': 60}", "run-timeout",
         "after 5.05 s");
  // Five seconds, and fifty times what the reference took.
  json_t *reply = client_measure(*state, "ENDLESS", ", 'limits': {'seconds': 600}");
  client_assert_verdict(reply, "run-timeout", "still running");
  const char *after = strstr(client_text(reply, "error"), "after ");
  assert_non_null(after);
  double seconds = strtod(after + strlen("after "), NULL);
  assert_true(seconds >= 5 && seconds < 300);
  json_decref(reply);
}

static void memory_is_limited(void **state) {
  if (HAS_SANITIZER)
    skip();
  client_open(*state, "GOOD");
  expect(state, "MEMORY", ", 'best': 1, 'limits': {'bytes': 3e8}", "run-crashed",
         "memory may have run out");
  expect(state, "GOOD", ", 'limits': {'bytes': 3e8}", "ok", NULL);
}

// Surely slower than the best is cut, and still has its figures.
static void slow_artifacts_are_cut(void **state) {
  client_open(*state, "GOOD");
  json_t *reply = client_measure(*state, "SLOW", ", 'best': 1e-6");
  client_assert_verdict(reply, "cut", "slower");
  assert_true(json_array_size(json_object_get(reply, "samples")) <= 3);
  assert_true(client_number(reply, "median") > 1e-4);
  json_decref(reply);
  expect(state, "SLOW", ", 'best': 1", "ok", NULL);
}

// Runs on inputs of their own: the reference adds to an argument, and so does each candidate, each
// from the first contents. One that sets it instead is only right by its own standard.
static void each_run_starts_from_the_same_inputs(void **state) {
  client_open(*state, "GOOD");
  for (int i = 0; i < 3; ++i)
    expect(state, "GOOD", "", "ok", NULL);
  expect(state, "OVERWRITE", "", "wrong", "argument 1");
  json_decref(client_ask(*state, "{'do': 'close', 'task': 't'}"));
  client_open(*state, "OVERWRITE");
  expect(state, "OVERWRITE", "", "ok", NULL);
  expect(state, "GOOD", "", "wrong", "argument 1");
}

// What is right at first and wrong later is wrong, be it a result or an argument that is written,
// timed alone or beside others.
static void outputs_are_checked_after_timing_too(void **state) {
  client_open(*state, "GOOD");
  expect(state, "FADING", "", "wrong",
         "right in the first run, wrong later: result 0: element [0, 9]");
  expect(state, "FADING_WRITE", "", "wrong",
         "right in the first run, wrong later: argument 1: element [0, 9]");
  json_t *reply = client_ask(*state,
                             "{'do': 'compare', 'ticket': 9, 'task': 't', 'artifacts':"
                             " ['%s/GOOD.so', '%s/FADING.so']}",
                             ARTIFACTS, ARTIFACTS);
  client_assert_verdict(reply, "wrong", "wrong later: result 0");
  assert_true(client_number(reply, "artifact") == 1);
  json_decref(reply);
  json_decref(client_ask(*state, "{'do': 'close', 'task': 't'}"));
  client_open(*state, "OVERWRITE");
  expect(state, "FADING_OVERWRITE", "", "wrong", "wrong later: argument 1");
}

// What is within what is allowed has to be the same bits each time, but of an artifact that says
// that it adds up in any order.
static void runs_have_to_agree(void **state) {
  client_open(*state, "GOOD");
  expect(state, "WAVERING", "", "wrong",
         "wrong later: result 0: within what is allowed, but not what the first run made");
  expect(state, "WAVERING_TOO", "", "ok", NULL);
}

static void artifacts_are_compared_side_by_side(void **state) {
  client_open(*state, "GOOD");
  json_t *reply = client_ask(*state,
                             "{'do': 'compare', 'ticket': 9, 'task': 't', 'artifacts':"
                             " ['%s/GOOD.so', '%s/SLOW.so', '%s/GOOD.so']}",
                             ARTIFACTS, ARTIFACTS, ARTIFACTS);
  client_assert_verdict(reply, "ok", NULL);
  assert_true(client_number(reply, "ticket") == 9);
  const json_t *results = json_object_get(reply, "results");
  const json_t *ratios = json_object_get(reply, "ratios");
  assert_int_equal(json_array_size(results), 3);
  assert_int_equal(json_array_size(ratios), 3);
  assert_true(client_number(json_array_get(ratios, 0), "ratio") == 1);
  assert_true(client_number(json_array_get(ratios, 1), "ratio") > 10); // of a thousand
  double same = client_number(json_array_get(ratios, 2), "ratio");
  assert_true(same > 0.05 && same < 20);
  double placements = client_number(reply, "placements");
  assert_true(placements >= 1 && placements <= 9);
  assert_null(json_object_get(reply, "whole"));
  for (size_t i = 0; i < 3; ++i)
    client_assert_verdict(json_array_get(results, i), "ok", NULL);
  json_decref(reply);

  reply = client_ask(*state,
                     "{'do': 'compare', 'ticket': 9, 'task': 't', 'artifacts':"
                     " ['%s/GOOD.so', '%s/ILLEGAL.so']}",
                     ARTIFACTS, ARTIFACTS);
  client_assert_verdict(reply, "run-crashed", "SIGILL");
  assert_true(client_number(reply, "artifact") == 1);
  json_decref(reply);
}

static void assert_error(json_t *reply, const char *code, const char *message) {
  const json_t *error = json_object_get(reply, "error");
  bool is_right = strcmp(client_text(error, "code"), code) == 0 &&
                  strstr(client_text(error, "message"), message);
  if (!is_right) {
    char *text = json_dumps(reply, 0);
    print_error("expected %s: %s, got %s\n", code, message, text);
    free(text);
  }
  assert_true(is_right);
  json_decref(reply);
}

// What is wrong with a request is said, with the ticket, and the server goes on.
static void bad_requests_are_answered(void **state) {
  assert_error(client_ask(*state, "{'do': 'dance', 'ticket': 1}"), "invalid argument", "dance");
  assert_error(client_ask(*state, "{}"), "invalid argument", "no request");
  assert_error(client_ask(*state, "{'do': 'measure', 'task': 'x', 'artifact': 'a'}"), "not found",
               "no task 'x'");
  assert_error(client_ask(*state, "{'do': 'open', 'task': 'x', 'target': 'cpi', 'signature': %s}",
                          client_signature),
               "not found", "did you mean 'cpu'");
  assert_error(client_ask(*state, "{'do': 'open', 'task': 'x', 'target': 'cpu'}"),
               "invalid argument", "\"signature\": expected an object");
  assert_error(client_ask(*state,
                          "{'do': 'open', 'task': 'x', 'target': 'cpu', 'signature': %s,"
                          " 'reference': '/nowhere.so'}",
                          client_signature),
               "not found", "/nowhere.so");
  assert_error(client_ask(*state,
                          "{'do': 'open', 'task': 'x', 'target': 'cpu', 'signature': %s,"
                          " 'reference': '" ARTIFACTS "/ILLEGAL.so'}",
                          client_signature),
               "internal", "SIGILL while running the reference");
  assert_error(client_ask(*state,
                          "{'do': 'open', 'task': 'x', 'target': 'cpu', 'signature': %s,"
                          " 'threads': 100000, 'reference': '" ARTIFACTS "/GOOD.so'}",
                          client_signature),
               "invalid argument", "threads");
  client_open(*state, "GOOD");
  assert_error(client_ask(*state, "{'do': 'open', 'task': 't', 'target': 'cpu', 'signature': %s}",
                          client_signature),
               "already exists", "'t'");
  assert_error(client_ask(*state, "{'do': 'measure', 'task': 't', 'artifact': '/nowhere.so'}"),
               "not found", "/nowhere.so");
  assert_error(
      client_ask(*state, "{'do': 'measure', 'task': 't', 'artifact': 'a', 'best': 'fast'}"),
      "invalid argument", "\"best\"");
  assert_error(client_ask(*state, "{'do': 'compare', 'task': 't', 'artifacts': []}"),
               "invalid argument", "artifacts");
}

// A request to cancel stops what runs and what waits; what comes after it is served.
static void cancelling_stops_what_was_asked_before(void **state) {
  client_open(*state, "GOOD");
  const char *const format =
      "{'do': 'measure', 'ticket': %d, 'task': 't', 'artifact': '" ARTIFACTS "/%s.so'}";
  client_send(*state, format, 1, "ENDLESS");
  client_send(*state, format, 2, "GOOD");
  usleep(100000);
  client_send(*state, "{'do': 'cancel'}");
  client_send(*state, format, 3, "GOOD");
  const char *const verdicts[] = {"cancelled", "cancelled", "ok"};
  for (int i = 0; i < 3; ++i) {
    json_t *reply = client_receive(*state);
    assert_true(client_number(reply, "ticket") == i + 1);
    client_assert_verdict(reply, verdicts[i], NULL);
    json_decref(reply);
  }
}

static void the_device_is_described(void **state) {
  json_t *reply = client_ask(*state, "{'do': 'fingerprint', 'target': 'cpu', 'ticket': 3}");
  assert_true(client_number(reply, "ticket") == 3);
  assert_int_equal(strlen(client_text(reply, "digest")), 32);
  assert_string_equal(client_text(json_object_get(reply, "fingerprint"), "target"), "cpu");
  json_decref(reply);
  reply = client_ask(*state, "{'do': 'roofline', 'target': 'null', 'threads': 1}");
  assert_true(client_number(json_object_get(reply, "roofline"), "peak.f32") == 100);
  json_decref(reply);
}

// The whole conversation works without a device.
static void the_null_target_needs_no_device(void **state) {
  char path[] = "/tmp/null-artifact-XXXXXX";
  int fd = mkstemp(path);
  const char artifact[] = "{\"seconds\": 0.002, \"noise\": 0.01}";
  assert_int_equal(write(fd, artifact, strlen(artifact)), strlen(artifact));
  close(fd);
  json_t *reply = client_ask(*state,
                             "{'do': 'open', 'task': 'n', 'target': 'null', 'signature': %s,"
                             " 'reference': '%s'}",
                             client_signature, path);
  assert_true(client_number(reply, "reference_seconds") >= 0.002);
  json_decref(reply);
  reply = client_ask(*state, "{'do': 'measure', 'ticket': 1, 'task': 'n', 'artifact': '%s'}", path);
  client_assert_verdict(reply, "ok", NULL);
  assert_true(client_number(reply, "median") >= 0.002 && client_number(reply, "median") < 0.0021);
  json_decref(reply);
  unlink(path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, client_setup, client_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(good_artifacts_are_timed),
      TEST(runs_are_counted_beside_the_samples),
      TEST(wrong_artifacts_are_found),
      TEST(crashes_are_verdicts),
      TEST(candidates_are_confined),
      TEST(artifacts_that_do_not_load_are_verdicts),
      TEST(candidates_leave_no_files),
      TEST(hangs_are_stopped),
      TEST(a_reference_is_timed_awake),
      TEST(a_reference_that_hangs_at_times_is_none_then),
      TEST(what_is_no_match_is_stopped),
      TEST(memory_is_limited),
      TEST(slow_artifacts_are_cut),
      TEST(each_run_starts_from_the_same_inputs),
      TEST(outputs_are_checked_after_timing_too),
      TEST(runs_have_to_agree),
      TEST(artifacts_are_compared_side_by_side),
      TEST(bad_requests_are_answered),
      TEST(cancelling_stops_what_was_asked_before),
      TEST(the_device_is_described),
      TEST(the_null_target_needs_no_device),
  };
  return cmocka_run_group_tests_name("tune-measure server", tests, NULL, NULL);
}
