//===- process_session_test.c - Whole sessions over servers --------------------------===//

#include "process_fixture.h"

#include "tuning/evaluators/cores.h"
#include "tuning/session/session.h"

// What the log says of a whole session: no build overlaps a measurement.
static void assert_no_overlap(const fixture *f) {
  struct span {
    bool is_build;
    double begin, end;
  } spans[512];
  size_t count = 0, builds = 0;
  FILE *file = fopen(f->log, "r");
  assert_non_null(file);
  char what[32];
  while (count < 512 &&
         fscanf(file, "%31s %lf %lf", what, &spans[count].begin, &spans[count].end) == 3) {
    spans[count].is_build = strcmp(what, "build") == 0;
    builds += spans[count].is_build;
    count += spans[count].is_build || strcmp(what, "measure") == 0;
  }
  fclose(file);
  assert_true(builds > 10 && count - builds > 10);
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < count; ++j)
      if (spans[i].is_build && !spans[j].is_build)
        assert_true(spans[i].end <= spans[j].begin || spans[j].end <= spans[i].begin);
}

// A session over the servers, with every fault that is a verdict and the deaths that are survived.
static void run_session(fixture *f) {
  assert_ok(tune_space_add_constraint(f->space,
                                      "fault == 0 || fault == 1 || fault == 2 || fault == 5 || "
                                      "fault == 6 || fault == 7",
                                      NULL));
  tune_session_options options;
  tune_session_options_init(&options);
  options.fingerprint = "fake";
  options.trials = 60;
  options.strategy = "random";
  tune_session_result result;
  assert_ok(tune_evaluator_process_create(&f->options, &f->evaluator));
  assert_ok(tune_session_run(&f->task, &options, &f->evaluator, NULL, &result));
  assert_int_equal(result.trials, 60);
  assert_true(result.is_default); // 10 ms is the fastest there is
  assert_true(result.was_compared);
  assert_true(result.verdicts[TUNE_VERDICT_BUILD_FAILED] > 0);
  assert_true(result.verdicts[TUNE_VERDICT_RUN_CRASHED] > 0);
  assert_true(result.verdicts[TUNE_VERDICT_WRONG] > 0);
  assert_true(result.first_seconds > 0 && result.first_seconds < result.seconds);
  tune_session_result_deinit(&result);
}

static void session_beside(void **state) { run_session(*state); }

// Where measuring needs all cores, builds and measurements alternate.
static void session_taking_turns(void **state) {
  fixture *f = *state;
  tune_cores cores;
  assert_ok(tune_cores_init(&cores, 1));
  size_t all = cores.are_shared ? cores.build_count : cores.build_count + cores.measure_count;
  tune_cores_deinit(&cores);
  f->options.target.threads = all;
  f->options.building.jobs = 3;
  run_session(f);
  assert_no_overlap(f);
}

// Lines "config verdict", as they come.
typedef struct kept_lines {
  char lines[64][64];
  size_t count;
} kept_lines;

static tune_status keep_line(void *self, const tune_record *record) {
  kept_lines *kept = self;
  assert_true(kept->count < 64);
  snprintf(kept->lines[kept->count++], sizeof kept->lines[0], "%s %s %d", record->config,
           tune_verdict_name(record->verdict), (int)record->kind);
  return TUNE_OK;
}

static tune_status load_nothing(void *self, const char *task, const char *fingerprint,
                                tune_record_visitor visit, void *user) {
  (void)self, (void)task, (void)fingerprint, (void)visit, (void)user;
  return TUNE_OK;
}

static int compare_lines(const void *a, const void *b) { return strcmp(a, b); }

static void search_with_jobs(fixture *f, size_t jobs, kept_lines *kept) {
  *kept = (kept_lines){0};
  tune_session_options options;
  tune_session_options_init(&options);
  options.fingerprint = "fake";
  options.trials = 40;
  options.strategy_options.seed = 3;
  f->options.building.jobs = jobs;
  tune_session_result result;
  tune_record_store store = {kept, keep_line, load_nothing};
  tune_evaluator evaluator;
  assert_ok(tune_evaluator_process_create(&f->options, &evaluator));
  assert_ok(tune_session_run(&f->task, &options, &evaluator, &store, &result));
  tune_evaluator_destroy(&evaluator);
  tune_session_result_deinit(&result);
  qsort(kept->lines, kept->count, sizeof kept->lines[0], compare_lines);
}

// Builds that overtake each other in any way change neither what is tried nor who wins.
static void jobs_make_no_difference(void **state) {
  fixture *f = *state;
  ADD_ORDERED(f->space, "other", 1, 2, 4, 8, 16, 32, 64);
  assert_ok(tune_space_add_constraint(
      f->space, "fault == 0 || fault == 1 || fault == 5 || fault == 6", NULL));
  kept_lines first, kept;
  search_with_jobs(f, 1, &first);
  assert_int_equal(first.count, 41);
  for (size_t jobs = 2; jobs <= 8; ++jobs) {
    search_with_jobs(f, jobs, &kept);
    assert_int_equal(kept.count, first.count);
    for (size_t i = 0; i < kept.count; ++i)
      assert_string_equal(kept.lines[i], first.lines[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(session_beside, setup, teardown),
      cmocka_unit_test_setup_teardown(session_taking_turns, setup, teardown),
      cmocka_unit_test_setup_teardown(jobs_make_no_difference, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
