//===- export_evaluator_test.c - Searches whose candidates are measured elsewhere -----------===//
//
// The fake worker builds; the other machine is this test, which answers an export with results as
// tune-measure writes them.
//
//===--------------------------------------------------------------------------------===//

#include "fake_task.h"

#include "support/clock.h"
#include "support/file.h"
#include "tuning/remote/export_evaluator.h"
#include "tuning/remote/remote_builder.h"
#include "tuning/session/session.h"

#include <math.h>
#include <unistd.h>

typedef struct fixture {
  char folder[64], log[96], rounds_folder[96];
  tune_space *space; // as in process_evaluator_test.c; the default is not the fastest
  tune_task task;
  json_t *line; // of the task
  tune_export_evaluator_options options;
  tune_session_options session;
  tune_session_result result;
  const char *failure; // what the other machine says of the task; NULL: it can be measured
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  make_fake_folder(f->folder, f->log);
  snprintf(f->rounds_folder, sizeof f->rounds_folder, "%s/rounds", f->folder);
  f->space = make_space();
  ADD_CATEGORICAL(f->space, "time", 20, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 21, 22, 23, 24);
  add_range(f->space, "fault", FAULT_COUNT);
  assert_ok(tune_space_add_constraint(f->space, "fault == 0 || fault == 1 || fault == 5", NULL));
  f->task = make_fake_task(f->space);
  f->line = json_pack("{s:s, s:s}", "kind", "task", "key", "key");
  tune_process_evaluator_options_init(&f->options.process);
  f->options.process.worker = TUNE_FAKE_WORKER;
  f->options.process.target.name = "vulkan";
  f->options.strategy = "random";
  tune_session_options_init(&f->session);
  f->session.fingerprint = "elsewhere";
  f->session.strategy = "random";
  f->session.trials = 12;
  f->session.round = 6;
  f->session.finalists = 3;
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  tune_session_result_deinit(&f->result);
  tune_space_destroy(f->space);
  json_decref(f->line);
  assert_ok(tune_file_remove_tree(f->folder));
  free(f);
  return 0;
}

static size_t count_in_log(const fixture *f, const char *what) {
  char word[64];
  size_t count = 0;
  FILE *file = fopen(f->log, "r");
  while (file && fscanf(file, "%63s %*f %*f", word) == 1)
    count += strcmp(word, what) == 0;
  if (file)
    fclose(file);
  return count;
}

//===- The search -------------------------------------------------------------===//

// Goes as far as there are results, and exports what comes next.
static tune_status search(fixture *f) {
  tune_evaluator evaluator;
  tune_session_result_deinit(&f->result);
  f->result = (tune_session_result){0};
  TUNE_RETURN_IF_ERROR(tune_rounds_open(f->rounds_folder, &f->options.rounds));
  assert_ok(tune_evaluator_elsewhere_create(&f->options, &evaluator));
  tune_evaluator_elsewhere_set_line(&evaluator, f->line);
  tune_status status = tune_session_run(&f->task, &f->session, &evaluator, NULL, &f->result);
  if (tune_status_is_ok(status))
    status = tune_rounds_export(f->options.rounds);
  tune_evaluator_destroy(&evaluator);
  tune_rounds_destroy(f->options.rounds);
  return status;
}

static void assert_rounds(const fixture *f, size_t count, size_t pending) {
  tune_rounds *rounds;
  assert_ok(tune_rounds_open(f->rounds_folder, &rounds));
  assert_int_equal(tune_rounds_count(rounds), count);
  assert_int_equal(tune_rounds_get_pending(rounds).number, pending);
  tune_rounds_destroy(rounds);
}

//===- The other machine ------------------------------------------------------===//

static void read_artifact(const fixture *f, const tune_export *exported, const json_t *candidate,
                          double *out_time, int *out_fault) {
  char path[128];
  snprintf(path, sizeof path, "%s/artifact", f->folder);
  assert_ok(tune_export_extract(exported,
                                json_integer_value(json_object_get(candidate, "artifact")), path));
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%lf %d", out_time, out_fault), 2);
  *out_time *= 1e-3;
  fclose(file);
}

static json_t *make_trial(const fixture *f, const tune_export *exported, const json_t *candidate) {
  json_t *trial = json_copy((json_t *)candidate);
  json_object_del(trial, "artifact");
  json_object_update_new(trial, json_pack("{s:s, s:s, s:s, s:s}", "kind", "trial", "task", "key",
                                          "schedule", "s", "fingerprint", "elsewhere"));
  if (!json_object_get(candidate, "artifact"))
    return trial;
  double time;
  int fault;
  read_artifact(f, exported, candidate, &time, &fault);
  if (fault == FAULT_RUN_CRASHES)
    json_object_update_new(
        trial, json_pack("{s:s, s:s}", "verdict", "run-crashed", "error", "it crashed there"));
  else
    json_object_update_new(trial,
                           json_pack("{s:{s:f, s:f, s:f, s:i, s:[f]}}", "time", "median", time,
                                     "low", time, "high", time, "repeats", 1, "samples", time));
  return trial;
}

static json_t *make_comparison(const fixture *f, const tune_export *exported,
                               const json_t *candidates) {
  json_t *results = json_array(), *ratios = json_array();
  double first = 0;
  for (size_t i = 0; i < json_array_size(candidates); ++i) {
    double time;
    int fault;
    read_artifact(f, exported, json_array_get(candidates, i), &time, &fault);
    first = i ? first : time;
    json_array_append_new(results,
                          json_pack("{s:[f], s:f, s:f, s:f, s:i}", "samples", time, "median", time,
                                    "low", time, "high", time, "repeats", 1));
    json_array_append_new(ratios, json_pack("{s:f, s:f, s:f}", "ratio", time / first, "low",
                                            time / first, "high", time / first));
  }
  return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "kind", "comparison", "task", "key",
                   "schedule", "s", "verdict", "ok", "results", results, "ratios", ratios);
}

static void answer_task(const fixture *f, const tune_export *exported, const json_t *task,
                        tune_results *results) {
  const json_t *candidates = json_object_get(task, "candidates");
  if (f->failure) {
    assert_ok(
        tune_results_append(results, json_pack("{s:s, s:s, s:s, s:s}", "kind", "failure", "task",
                                               "key", "schedule", "s", "error", f->failure)));
    return;
  }
  if (json_object_get(task, "compare")) {
    assert_ok(tune_results_append(results, make_comparison(f, exported, candidates)));
    return;
  }
  for (size_t i = 0; i < json_array_size(candidates); ++i)
    if (tune_export_has_result(&exported->read.tasks.items[0].candidates.items[i]))
      assert_ok(
          tune_results_append(results, make_trial(f, exported, json_array_get(candidates, i))));
}

// Measures what was exported last.
static void measure(const fixture *f) {
  tune_rounds *rounds;
  tune_export *exported;
  tune_results *results;
  assert_ok(tune_rounds_open(f->rounds_folder, &rounds));
  tune_rounds_pending pending = tune_rounds_get_pending(rounds);
  assert_int_not_equal(pending.number, 0);
  assert_ok(tune_export_read(pending.export_path, &exported));
  assert_ok(tune_results_open(pending.results_path, exported->digest.text,
                              tune_export_count(&exported->read), &results));
  const json_t *tasks = json_object_get(exported->description, "tasks");
  assert_int_equal(json_array_size(tasks), 1);
  answer_task(f, exported, json_array_get(tasks, 0), results);
  assert_ok(tune_results_finish(results));
  tune_results_destroy(results);
  tune_export_destroy(exported);
  assert_ok(tune_rounds_refresh(rounds));
  assert_int_equal(tune_rounds_get_pending(rounds).number, 0);
  tune_rounds_destroy(rounds);
}

// All rounds, to the end. Returns how many there were.
static size_t search_to_the_end(fixture *f) {
  size_t rounds = 0;
  assert_ok(search(f));
  for (; f->result.stop == TUNE_STOP_SUSPENDED; ++rounds) {
    assert_true(rounds < 10);
    measure(f);
    assert_ok(search(f));
  }
  return rounds;
}

//===- Rounds -----------------------------------------------------------------===//

static int64_t fastest(const fixture *f) { return value_of(&f->result.best, f->space, "time"); }

// Two rounds of six, and one of finalists. Begun again when all is known, the search comes to the
// same end, and needs no worker.
static void a_search_goes_from_round_to_round(void **state) {
  fixture *f = *state;
  assert_int_equal(search_to_the_end(f), 3);
  assert_int_equal(f->result.stop, TUNE_STOP_TRIALS);
  assert_int_equal(f->result.trials, 12);
  assert_true(f->result.was_compared);
  assert_false(f->result.is_default);
  assert_true(f->result.verdicts[TUNE_VERDICT_BUILD_FAILED] > 0);
  assert_true(f->result.verdicts[TUNE_VERDICT_RUN_CRASHED] > 0);
  assert_true(f->result.default_time == 20e-3);
  int64_t time = fastest(f);
  assert_true(f->result.time.median == (double)time * 1e-3);
  assert_true(fabs(f->result.speedup - 20.0 / (double)time) < 1e-9);
  size_t builds = count_in_log(f, "build");
  f->options.process.worker = "/nowhere/tune-worker";
  assert_ok(search(f));
  assert_int_equal(fastest(f), time);
  assert_int_equal(count_in_log(f, "build"), builds);
  assert_rounds(f, 3, 0);
}

// Without results nothing new is proposed, built or exported.
static void a_search_waits_for_its_results(void **state) {
  fixture *f = *state;
  assert_ok(search(f));
  assert_int_equal(f->result.stop, TUNE_STOP_SUSPENDED);
  assert_false(f->result.has_best);
  size_t builds = count_in_log(f, "build");
  assert_ok(search(f));
  assert_int_equal(f->result.stop, TUNE_STOP_SUSPENDED);
  assert_int_equal(count_in_log(f, "build"), builds);
  assert_rounds(f, 1, 1);
}

// More trials go on behind the finalists of the search as it was, once these are measured.
static void more_trials_go_on_behind_the_finalists(void **state) {
  fixture *f = *state;
  for (int round = 0; round < 2; ++round) {
    assert_ok(search(f));
    measure(f);
  }
  assert_ok(search(f)); // the finalists
  assert_rounds(f, 3, 3);
  f->session.trials = 18;
  assert_fails(search(f), TUNE_FAILED_PRECONDITION,
               "round-3.export, of the finalists, is not measured yet");
  measure(f);
  assert_int_equal(search_to_the_end(f), 2);
  assert_int_equal(f->result.trials, 18);
  assert_rounds(f, 5, 0);
}

// Where the reference fails on the other machine, the task cannot be tuned, and the search says
// what that machine said.
static void a_task_that_fails_there_fails_here(void **state) {
  fixture *f = *state;
  f->failure = "its reference was killed by SIGSEGV";
  assert_ok(search(f));
  measure(f);
  assert_fails(search(f), TUNE_FAILED_PRECONDITION, "its reference was killed by SIGSEGV");
}

static void the_folder_of_another_search_is_refused(void **state) {
  fixture *f = *state;
  assert_ok(search(f));
  f->session.strategy_options.seed = 5;
  assert_fails(search(f), TUNE_INVALID_ARGUMENT, "round-1.export lacks what this search proposes");
}

// What is not a number of a config's trial is an error that names the file.
static void a_result_that_is_none_is_named(void **state) {
  fixture *f = *state;
  char path[128], *text;
  assert_ok(search(f));
  measure(f);
  snprintf(path, sizeof path, "%s/round-1.results", f->rounds_folder);
  assert_ok(tune_file_read(path, &text, NULL));
  for (char *at = text; (at = strstr(at, "\"verdict\":\"ok\"")); ++at)
    memcpy(at, "\"verdict\":\"no\"", 14);
  // Without its last line, whose digest would tell.
  char *end = strstr(text, "{\"kind\":\"end\"");
  assert_non_null(end);
  assert_ok(tune_file_write(path, text, (size_t)(end - text)));
  free(text);
  tune_results *results;
  assert_ok(tune_results_read(path, &results));
  char digest[33];
  snprintf(digest, sizeof digest, "%s", tune_results_export(results));
  tune_results_destroy(results);
  assert_ok(tune_results_open(path, digest, 1, &results));
  assert_ok(tune_results_finish(results));
  tune_results_destroy(results);
  assert_fails(search(f), TUNE_INVALID_ARGUMENT, "round-1.results");
}

static void tickets_have_to_be_known(void **state) {
  fixture *f = *state;
  const uint64_t tickets[] = {1, 2};
  tune_compare_order order = {.tickets = tickets, .count = 2, .confidence = 0.95};
  tune_comparison comparison;
  tune_evaluator evaluator;
  assert_ok(tune_rounds_open(f->rounds_folder, &f->options.rounds));
  assert_ok(tune_evaluator_elsewhere_create(&f->options, &evaluator));
  assert_ok(evaluator.methods->open(evaluator.self, &f->task));
  assert_fails(evaluator.methods->measure(evaluator.self, 1, 0), TUNE_INVALID_ARGUMENT,
               "ticket 1 has no artifact to measure");
  assert_fails(evaluator.methods->compare(evaluator.self, &order, &comparison),
               TUNE_INVALID_ARGUMENT, "ticket 1 has no artifact to compare");
  tune_evaluator_destroy(&evaluator);
  tune_rounds_destroy(f->options.rounds);
}

//===- Builders ---------------------------------------------------------------===//

static tune_status open_builder(fixture *f, tune_remote_builder **out_builder) {
  TUNE_RETURN_IF_ERROR(tune_remote_builder_create(&f->options.process, out_builder));
  return tune_remote_builder_open(*out_builder, &f->task);
}

static void add(tune_remote_builder *builder, uint64_t ticket, int time, int fault) {
  assert_ok(tune_remote_builder_add(builder, ticket,
                                    json_pack("{s:i, s:i}", "time", time, "fault", fault)));
}

// The next outcome, or the failure that comes instead.
static tune_status next(tune_remote_builder *builder, tune_evaluation *event) {
  bool any = false;
  double deadline = tune_clock_seconds() + 120;
  while (!any) {
    assert_true(tune_clock_seconds() < deadline);
    TUNE_RETURN_IF_ERROR(tune_remote_builder_wait(builder, 1, event, &any));
  }
  return TUNE_OK;
}

// An artifact is there until the next task is opened; of what failed there is none.
static void artifacts_go_with_their_task(void **state) {
  fixture *f = *state;
  f->options.process.building.jobs = 1;
  tune_remote_builder *builder;
  tune_evaluation event;
  assert_ok(open_builder(f, &builder));
  assert_true(json_is_object(tune_remote_builder_signature(builder)));
  assert_int_equal(access(tune_remote_builder_reference(builder), R_OK), 0);
  add(builder, 7, 12, FAULT_NONE);
  add(builder, 8, 12, FAULT_BUILD_FAILS);
  assert_ok(next(builder, &event));
  assert_int_equal(event.ticket, 7);
  assert_string_equal(event.digest, "12-0");
  tune_evaluation_deinit(&event);
  assert_ok(next(builder, &event));
  assert_int_equal(event.ticket, 8);
  assert_int_equal(event.verdict, TUNE_VERDICT_BUILD_FAILED);
  assert_string_equal(event.error, "no such luck");
  tune_evaluation_deinit(&event);
  char *path = strdup(tune_remote_builder_artifact(builder, 7));
  assert_non_null(path);
  assert_int_equal(access(path, R_OK), 0);
  assert_null(tune_remote_builder_artifact(builder, 8));
  assert_ok(tune_remote_builder_open(builder, &f->task));
  assert_int_not_equal(access(path, F_OK), 0);
  assert_null(tune_remote_builder_artifact(builder, 7));
  free(path);
  tune_remote_builder_destroy(builder);
}

// What was cancelled gives no outcome, whether it waited or was being built.
static void cancelled_builds_are_not_heard_of(void **state) {
  fixture *f = *state;
  f->options.process.building.jobs = 2;
  tune_remote_builder *builder;
  tune_evaluation event;
  assert_ok(open_builder(f, &builder));
  for (uint64_t ticket = 1; ticket < 6; ++ticket)
    add(builder, ticket, 12, FAULT_NONE);
  assert_ok(tune_remote_builder_cancel(builder));
  add(builder, 6, 13, FAULT_NONE);
  assert_ok(next(builder, &event));
  assert_int_equal(event.ticket, 6);
  tune_evaluation_deinit(&event);
  for (uint64_t ticket = 1; ticket < 6; ++ticket)
    assert_null(tune_remote_builder_artifact(builder, ticket));
  bool any;
  assert_ok(tune_remote_builder_wait(builder, 0.01, &event, &any));
  assert_false(any);
  tune_remote_builder_destroy(builder);
}

// Unlike the evaluator that measures here, a builder does not start its worker again: what was
// exported stays, and the search is begun again.
static void a_dead_worker_is_an_error(void **state) {
  fixture *f = *state;
  tune_remote_builder *builder;
  tune_evaluation event;
  assert_ok(open_builder(f, &builder));
  add(builder, 1, 12, FAULT_WORKER_DIES);
  assert_fails(next(builder, &event), TUNE_UNAVAILABLE, "exited with status 3: something terrible");
  tune_remote_builder_destroy(builder);
}

static void a_task_that_is_none_is_an_error(void **state) {
  fixture *f = *state;
  f->task.payload = "not MLIR";
  assert_fails(search(f), TUNE_INVALID_ARGUMENT, "payload.mlir:1:1: expected an operation");
  f->options.process.worker = "/nowhere/tune-worker";
  tune_remote_builder *builder;
  assert_fails(tune_remote_builder_create(&f->options.process, &builder), TUNE_UNAVAILABLE,
               "/nowhere/tune-worker");
  assert_null(builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_search_goes_from_round_to_round, setup, teardown),
      cmocka_unit_test_setup_teardown(a_search_waits_for_its_results, setup, teardown),
      cmocka_unit_test_setup_teardown(more_trials_go_on_behind_the_finalists, setup, teardown),
      cmocka_unit_test_setup_teardown(a_task_that_fails_there_fails_here, setup, teardown),
      cmocka_unit_test_setup_teardown(the_folder_of_another_search_is_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(a_result_that_is_none_is_named, setup, teardown),
      cmocka_unit_test_setup_teardown(tickets_have_to_be_known, setup, teardown),
      cmocka_unit_test_setup_teardown(artifacts_go_with_their_task, setup, teardown),
      cmocka_unit_test_setup_teardown(cancelled_builds_are_not_heard_of, setup, teardown),
      cmocka_unit_test_setup_teardown(a_dead_worker_is_an_error, setup, teardown),
      cmocka_unit_test_setup_teardown(a_task_that_is_none_is_an_error, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
