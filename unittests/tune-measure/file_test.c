//===- file_test.c - Candidates in a file -------------------------------------------------===//

#include "client.h"

#include "support/clock.h"
#include "support/file.h"
#include "tuning/evaluators/process_messages.h"
#include "tuning/remote/export_file.h"
#include "tuning/remote/results_file.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

typedef struct fixture {
  char folder[64];
  char export_path[96], results_path[96];
  double run_seconds; // what a candidate may take; short where one of them has no end
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  strcpy(f->folder, "/tmp/tune_measure_file.XXXXXX");
  assert_non_null(mkdtemp(f->folder));
  snprintf(f->export_path, sizeof f->export_path, "%s/a.export", f->folder);
  snprintf(f->results_path, sizeof f->results_path, "%s/a.results", f->folder);
  f->run_seconds = 300;
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  assert_ok(tune_file_remove_tree(f->folder));
  free(f);
  return 0;
}

//===- Exports and runs -------------------------------------------------------------------===//

static json_t *parse(const char *text) {
  char *copy = strdup(text);
  for (char *at = copy; *at; ++at)
    if (*at == '\'')
      *at = '"';
  json_t *object = json_loads(copy, 0, NULL);
  assert_non_null(object);
  free(copy);
  return object;
}

// An export of the artifacts named, in order; one without a name failed to build. `device` may be
// NULL. With a `confidence` above 0 they are finalists.
static void write_candidates(const fixture *f, const json_t *device, const char *reference,
                             const char *const *names, size_t count, double confidence) {
  tune_export_source source = {.target = "cpu",
                               .device = device,
                               .threads = 1,
                               .run_seconds = f->run_seconds,
                               .run_bytes = 4e9,
                               .reference_seconds = 10};
  json_t *signature = parse(client_signature);
  json_t *line = parse("{'kind': 'task', 'key': 'k1', 'class': 'other', 'name': 'a task', 'type': "
                       "'f32', 'payload': '', 'flops': 1.0, 'bytes': 1.0, 'extents': []}");
  char path[512];
  snprintf(path, sizeof path, ARTIFACTS "/%s.so", reference);
  tune_export_task task = {
      .line = line, .schedule = "s1", .signature = signature, .reduction = 1, .reference = path};
  tune_export_writer *writer;
  size_t index;
  assert_ok(tune_export_writer_create(&source, &writer));
  assert_ok(tune_export_writer_add_task(writer, &task, &index));
  for (size_t i = 0; i < count; ++i) {
    tune_evaluation build = {.verdict = names[i] ? TUNE_VERDICT_OK : TUNE_VERDICT_BUILD_FAILED,
                             .error = names[i] ? NULL : (char *)"no such op",
                             .stage_seconds = {0.125}};
    snprintf(path, sizeof path, ARTIFACTS "/%s.so", names[i] ? names[i] : "");
    json_t *config = json_pack("{s:i}", "mc", (int)i);
    tune_export_candidate candidate = {.config = config,
                                       .strategy = "random",
                                       .build = &build,
                                       .created_ms = 1700000000000,
                                       .artifact = names[i] ? path : NULL};
    assert_ok(tune_export_writer_add_candidate(writer, index, &candidate));
    json_decref(config);
  }
  if (confidence > 0)
    assert_ok(tune_export_writer_set_compare(writer, index, confidence));
  assert_ok(tune_export_writer_write(writer, f->export_path));
  tune_export_writer_destroy(writer);
  json_decref(signature);
  json_decref(line);
}

static void write_export(const fixture *f, const json_t *device, const char *reference,
                         const char *const *names, size_t count) {
  write_candidates(f, device, reference, names, count, 0);
}

static tune_process *start(const fixture *f) {
  const char *const arguments[] = {TUNE_MEASURE, f->export_path, NULL};
  tune_process_options options = {.arguments = arguments, .error = TUNE_PROCESS_CAPTURE};
  tune_process *process;
  assert_ok(tune_process_start(&options, &process));
  return process;
}

// Runs tune-measure to its end, with this exit status and `text` in what it says.
static void run(const fixture *f, int status, const char *text) {
  tune_process *process = start(f);
  tune_process_exit exit;
  char *said;
  assert_ok(tune_process_wait(process, 120, &exit));
  assert_ok(tune_process_get_captured(process, 100000, &said));
  if (exit.by_signal || exit.code != status || !strstr(said, text))
    fail_msg("expected %d with '%s', got %d: %s", status, text, exit.code, said);
  free(said);
  tune_process_destroy(process);
}

static tune_results *read_results(const fixture *f) {
  tune_results *results;
  assert_ok(tune_results_read(f->results_path, &results));
  return results;
}

static const json_t *find(const tune_results *results, int candidate) {
  json_t *config = json_pack("{s:i}", "mc", candidate);
  const json_t *trial;
  assert_ok(tune_results_find(results, "k1", "s1", config, &trial));
  json_decref(config);
  return trial;
}

//===- Tests ------------------------------------------------------------------------------===//

// What is wrong, crashes or hangs is a result like any other, and a record as a search makes it.
static void each_candidate_has_its_verdict(void **state) {
  fixture *f = *state;
  f->run_seconds = 5;
  const char *const names[] = {"GOOD", "WRONG", "NO_ADDRESS", "ENDLESS", NULL, "GOOD", "LACKING"};
  static const char *const verdicts[] = {"ok",           "wrong",     "run-crashed", "run-timeout",
                                         "build-failed", "duplicate", "run-crashed"};
  write_export(f, NULL, "GOOD", names, 7);
  run(f, 0, "7 results are in");
  tune_results *results = read_results(f);
  assert_true(results->is_complete);
  assert_non_null(results->fingerprint);
  assert_non_null(json_object_get(
      json_object_get(json_object_get(results->fingerprint, "description"), "roofline"), "peak"));
  for (int i = 0; i < 7; ++i) {
    const json_t *trial = find(results, i);
    assert_non_null(trial);
    client_assert_verdict(trial, verdicts[i], i == 0 || i == 5 ? NULL : i == 4 ? "no such op" : "");
    tune_record record;
    assert_ok(tune_record_from_json(trial, &record));
    assert_true(record.stage_seconds[TUNE_STAGE_TRANSFORM] == 0.125);
    tune_record_deinit(&record);
  }
  assert_true(client_number(find(results, 0), "time.median") ==
              client_number(find(results, 5), "time.median"));
  tune_results_destroy(results);
}

// Killed in the middle, it goes on where it was, and measures nothing twice.
static void what_was_killed_goes_on(void **state) {
  fixture *f = *state;
  f->run_seconds = 2;
  const char *const names[] = {"GOOD", "WRONG", "ENDLESS", "NUMB"};
  write_export(f, NULL, "GOOD", names, 4);
  tune_process *process = start(f);
  for (bool is_there = false; !is_there; tune_clock_sleep(0.02)) {
    tune_results *results = NULL;
    tune_status_free(tune_results_read(f->results_path, &results));
    is_there = results && json_object_size(results->trials) == 2; // it is at the third
    tune_results_destroy(results);
  }
  tune_process_signal(process, SIGKILL);
  tune_process_exit exit;
  assert_ok(tune_process_wait(process, 120, &exit));
  tune_process_destroy(process);
  tune_results *results = read_results(f);
  assert_false(results->is_complete);
  json_t *first = json_deep_copy(find(results, 0));
  tune_results_destroy(results);
  run(f, 0, "4 results are in");
  results = read_results(f);
  assert_true(results->is_complete);
  assert_int_equal(json_object_size(results->trials), 4);
  assert_true(json_equal(first, find(results, 0)));
  json_decref(first);
  tune_results_destroy(results);
  char *before, *after;
  assert_ok(tune_file_read(f->results_path, &before, NULL));
  run(f, 0, "4 results are in");
  assert_ok(tune_file_read(f->results_path, &after, NULL));
  assert_string_equal(before, after);
  free(before);
  free(after);
}

// Nothing is run that was made for what is not here, is damaged or of another version, and results
// that are there stay.
static void what_does_not_fit_is_not_run(void **state) {
  const fixture *f = *state;
  const char *const names[] = {"GOOD"};
  json_t *device = parse("{'target': 'cpu', 'model': 'a CPU of 2040', 'features': ['sse2', "
                         "'avx2048']}");
  write_export(f, device, "GOOD", names, 1);
  json_decref(device);
  run(f, 3, "a CPU of 2040, and");
  assert_int_not_equal(access(f->results_path, F_OK), 0);
  run(f, 3, "lacks avx2048");

  write_export(f, NULL, "GOOD", names, 1);
  assert_ok(tune_file_write(f->results_path, "kept", 4));
  char *bytes, *kept;
  size_t size;
  assert_ok(tune_file_read(f->export_path, &bytes, &size));
  bytes[size - 1] ^= 1;
  assert_ok(tune_file_write(f->export_path, bytes, size));
  run(f, 2, "is damaged; copy it here again");
  bytes[8] = 9;
  assert_ok(tune_file_write(f->export_path, bytes, size));
  run(f, 3, "an export of version 9");
  assert_ok(tune_file_read(f->results_path, &kept, NULL));
  assert_string_equal(kept, "kept");
  free(kept);
  free(bytes);
  assert_ok(tune_file_write(f->export_path, "module {}", 9));
  run(f, 2, "no export of candidates");
}

// Where there is nothing to compare with, that is said once, and the file is complete.
static void a_reference_that_fails_is_told(void **state) {
  const fixture *f = *state;
  const char *const names[] = {"GOOD"};
  write_export(f, NULL, "NO_ADDRESS", names, 1);
  run(f, 1, "'a task' cannot be measured: the reference failed: SIGSEGV");
  tune_results *results = read_results(f);
  assert_true(results->is_complete);
  assert_non_null(strstr(tune_results_failure(results, "k1", "s1"), "SIGSEGV"));
  assert_null(find(results, 0));
  tune_results_destroy(results);
}

// Finalists are measured side by side, once, and what came of it is one line, as a search reads it.
static void finalists_are_compared(void **state) {
  const fixture *f = *state;
  const char *const names[] = {"SLOW", "GOOD"};
  write_candidates(f, NULL, "GOOD", names, 2, 0.98);
  run(f, 0, "1 results are in");
  tune_results *results = read_results(f);
  assert_true(results->is_complete);
  assert_int_equal(json_object_size(results->trials), 0);
  const json_t *line = tune_results_comparison(results, "k1", "s1");
  assert_non_null(line);
  assert_null(tune_results_comparison(results, "k1", "s2"));
  tune_comparison comparison;
  assert_ok(tune_reply_read_compare(line, 2, &comparison));
  assert_false(comparison.failed);
  assert_true(comparison.times[1].median < comparison.times[0].median);
  assert_true(comparison.ratios[1].ratio < 1);
  tune_comparison_deinit(&comparison);
  tune_results_destroy(results);
  char *before, *after;
  assert_ok(tune_file_read(f->results_path, &before, NULL));
  run(f, 0, "1 results are in");
  assert_ok(tune_file_read(f->results_path, &after, NULL));
  assert_string_equal(before, after);
  free(before);
  free(after);
}

// One that was right before and is not now is named.
static void a_finalist_that_fails_is_named(void **state) {
  const fixture *f = *state;
  const char *const names[] = {"GOOD", "WRONG", "GOOD"};
  write_candidates(f, NULL, "GOOD", names, 3, 0.98);
  run(f, 0, "1 results are in");
  tune_results *results = read_results(f);
  tune_comparison comparison;
  assert_ok(tune_reply_read_compare(tune_results_comparison(results, "k1", "s1"), 3, &comparison));
  assert_true(comparison.failed);
  assert_int_equal(comparison.verdict, TUNE_VERDICT_WRONG);
  assert_int_equal(comparison.culprit, 1);
  tune_comparison_deinit(&comparison);
  tune_results_destroy(results);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(each_candidate_has_its_verdict, setup, teardown),
      cmocka_unit_test_setup_teardown(what_was_killed_goes_on, setup, teardown),
      cmocka_unit_test_setup_teardown(what_does_not_fit_is_not_run, setup, teardown),
      cmocka_unit_test_setup_teardown(finalists_are_compared, setup, teardown),
      cmocka_unit_test_setup_teardown(a_finalist_that_fails_is_named, setup, teardown),
      cmocka_unit_test_setup_teardown(a_reference_that_fails_is_told, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
