//===- faulty_candidates_test.c - Searches among candidates of every kind of badness ----===//
//
// Whole sessions with real servers and a real database: whatever a candidate does, in its build or
// when it runs, the search ends with the right winner, and the record of each says what happened.
// No process and no file is left.
//
//===--------------------------------------------------------------------------------===//

#include "faulty_artifacts.h"

#include "support/file.h"
#include "tuning/database/database.h"
#include "tuning/evaluators/process.h"
#include "tuning/session/session.h"
#include "unittests/tuning/space_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1 // limits on address space mean nothing then
#else
#define HAS_SANITIZER 0
#endif

// Seconds, for what ends by itself.
#define LIMIT_OF_ENDING 300

typedef struct fixture {
  char folder[64];  // of this test
  char scratch[80]; // TMPDIR
  tune_database *database;
  tune_space *space;
  tune_task task;
  tune_process_evaluator_options evaluator;
  tune_session_options options;
  tune_session_result result;
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  strcpy(f->folder, "/tmp/tune_faults_test.XXXXXX");
  assert_non_null(mkdtemp(f->folder));
  snprintf(f->scratch, sizeof f->scratch, "%s/scratch", f->folder);
  assert_ok(tune_file_make_folders(f->scratch, 0700));
  assert_int_equal(setenv("TMPDIR", f->scratch, 1), 0);
  char path[96];
  snprintf(path, sizeof path, "%s/tune.db", f->folder);
  assert_ok(tune_database_open(path, &f->database));
  tune_kept_task task = {
      .key = "key", .kind = "other", .name = "a task", .type = "f32", .payload = "", .rank = 0};
  assert_ok(tune_database_put_task(f->database, &task));
  assert_ok(tune_database_put_fingerprint(f->database, "ffff", "cpu", "{}"));
  f->space = make_space();
  f->task = (tune_task){.key = "key",
                        .name = "a task",
                        .payload = "",
                        .function = "f",
                        .schedule = "",
                        .schedule_digest = "s",
                        .space = f->space,
                        .reduction = 64};
  tune_process_evaluator_options_init(&f->evaluator);
  f->evaluator.measurer = TUNE_MEASURE;
  f->evaluator.worker = TUNE_WORKER;
  f->evaluator.building.jobs = 2;
  tune_session_options_init(&f->options);
  f->options.fingerprint = "ffff";
  f->options.strategy = "grid";
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  tune_session_result_deinit(&f->result);
  tune_database_destroy(f->database);
  tune_space_destroy(f->space);
  unsetenv("TMPDIR");
  assert_ok(tune_file_remove_tree(f->folder));
  free(f);
  return 0;
}

// Orphans become this process's children, so that none is overlooked.
static void assert_nothing_left(const fixture *f) {
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  assert_int_equal(errno, ECHILD);
  DIR *folder = opendir(f->scratch);
  assert_non_null(folder);
  for (const struct dirent *entry; (entry = readdir(folder));)
    if (entry->d_name[0] != '.')
      fail_msg("%s is left", entry->d_name);
  closedir(folder);
}

// Tries every config.
static void search(fixture *f) {
  assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  f->options.trials = 100;
  tune_evaluator evaluator;
  assert_ok(tune_evaluator_process_create(&f->evaluator, &evaluator));
  tune_record_store store = tune_database_store(f->database);
  assert_ok(tune_session_run(&f->task, &f->options, &evaluator, &store, &f->result));
  tune_evaluator_destroy(&evaluator);
  assert_int_equal(f->result.stop, TUNE_STOP_EXHAUSTED);
  assert_nothing_left(f);
}

// What the database is to say of the trial with this config.
typedef struct expectation {
  const char *config;
  const char *verdict; // "cut" will do for "ok"
  const char *error;
  size_t found;
} expectation;

static tune_status compare_record(void *user, const tune_record *record) {
  expectation *expected = user;
  if (record->kind != TUNE_RECORD_TRIAL || strcmp(record->config, expected->config) != 0)
    return TUNE_OK;
  const char *verdict = tune_verdict_name(record->verdict);
  bool is_right = strcmp(verdict, expected->verdict) == 0 ||
                  (strcmp(expected->verdict, "ok") == 0 && record->verdict == TUNE_VERDICT_CUT);
  if (expected->error)
    is_right = is_right && record->error && strstr(record->error, expected->error);
  if (!is_right)
    fail_msg("%s: expected %s (%s), got %s (%s)", record->config, expected->verdict,
             expected->error ? expected->error : "", verdict, record->error ? record->error : "");
  ++expected->found;
  return TUNE_OK;
}

static void assert_recorded(const fixture *f, const char *knob, size_t value, const char *verdict,
                            const char *error) {
  char config[64];
  snprintf(config, sizeof config, "{\"%s\":%zu}", knob, value);
  expectation expected = {.config = config, .verdict = verdict, .error = error};
  assert_ok(tune_database_load(f->database, "key", "ffff", compare_record, &expected));
  if (expected.found != 1)
    fail_msg("%zu records of %s", expected.found, config);
}

static void assert_winner(const fixture *f, const char *knob, int64_t value) {
  assert_true(f->result.has_best);
  assert_false(f->result.is_default);
  assert_true(f->result.was_compared);
  assert_int_equal(value_of(&f->result.best, f->space, knob), value);
  char config[64];
  snprintf(config, sizeof config, "{\"%s\":%d}", knob, (int)value);
  tune_record best;
  assert_ok(tune_database_best(f->database, "key", "ffff", NULL, &best));
  assert_int_equal(best.kind, TUNE_RECORD_WINNER);
  assert_string_equal(best.config, config);
  tune_record_deinit(&best);
}

// Adds the artifacts that end, or those that do not and the best one, and tries all of them.
static size_t search_artifacts(fixture *f, bool never_end, int64_t *out_values) {
  f->evaluator.worker = ARTIFACT_WORKER;
  f->evaluator.measuring.bytes = 3e8;
  size_t count = 0;
  if (never_end)
    out_values[count++] = FAULTY_ARTIFACT_COUNT - 1;
  // A sanitizer's tune-measure cannot limit memory, and looks for leaks at exit in a process of its
  // own, which the sandbox does not let it have.
  for (size_t i = 0; i < FAULTY_ARTIFACT_COUNT; ++i)
    if ((strcmp(faulty_artifacts[i].verdict, "run-timeout") == 0) == never_end &&
        (!HAS_SANITIZER || (strcmp(faulty_artifacts[i].name, "MEMORY") != 0 &&
                            strcmp(faulty_artifacts[i].name, "EXIT") != 0)))
      out_values[count++] = (int64_t)i;
  add_values(f->space, "artifact", false, out_values, count);
  search(f);
  return count;
}

static void assert_artifact_recorded(const fixture *f, int64_t value) {
  const faulty_artifact *artifact = &faulty_artifacts[value];
  assert_recorded(f, "artifact", (size_t)value, artifact->verdict, artifact->error);
}

// Kernels: signals, memory without end, and results that are wrong. Their limit is one that nothing
// reaches that ends, however busy the machine is.
static void kernels(void **state) {
  fixture *f = *state;
  f->evaluator.measuring.seconds = LIMIT_OF_ENDING;
  int64_t values[FAULTY_ARTIFACT_COUNT];
  size_t count = search_artifacts(f, false, values);
  for (size_t i = 0; i < count; ++i)
    assert_artifact_recorded(f, values[i]);
  assert_winner(f, "artifact", FAULTY_ARTIFACT_COUNT - 1);
}

// Loops and floods without end. What the good one comes to in so short a time is left open.
static void kernels_without_end(void **state) {
  fixture *f = *state;
  f->evaluator.measuring.seconds = 2;
  int64_t values[FAULTY_ARTIFACT_COUNT + 1];
  size_t count = search_artifacts(f, true, values);
  assert_int_equal(count, 4);
  for (size_t i = 1; i < count; ++i)
    assert_artifact_recorded(f, values[i]);
  // What has printed without end has not stayed in memory.
  struct rusage usage;
  assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
  assert_true(HAS_SANITIZER || usage.ru_maxrss < 400 << 10);
}

// How the alternatives of builds.mlir end, by their number.
static const struct {
  const char *verdict, *error;
} ends[] = {
    {"ok", NULL},
    {"build-failed", "Attempted to vectorize, but failed"},
    {"build-crashed", HAS_SANITIZER ? "SEGV" : "the build was killed by SIGSEGV"},
    {"build-crashed", "the build was killed by SIGSEGV"},
    {"build-timeout", "the build took more than 2 s and was stopped"},
    {"build-timeout", "the build took more than 2 s and was stopped"},
    {"build-crashed", "LLVM ERROR: Cannot select: "},
    {"build-crashed", "the build was killed by SIG"}, // by whichever part had no memory
    {"ok", NULL},
};
enum { END_COUNT = sizeof ends / sizeof *ends, END_STACK = 3, END_MEMORY = END_COUNT - 2 };

// Tries these.
static void search_ends(fixture *f, const int64_t *values, size_t count) {
  char *payload, *schedule;
  size_t size;
  assert_ok(tune_file_read(INPUTS "/payload.mlir", &payload, &size));
  assert_ok(tune_file_read(INPUTS "/builds.mlir", &schedule, &size));
  f->task.payload = payload;
  f->task.schedule = schedule;
  f->evaluator.building.bytes = 3e8;
  // Builds inherit it; what nests deeply reaches its end sooner.
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_STACK, &before), 0);
  struct rlimit small = {.rlim_cur = HAS_SANITIZER ? 1 << 20 : 256 << 10,
                         .rlim_max = before.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_STACK, &small), 0);
  add_values(f->space, "end", false, values, count);
  search(f);
  setrlimit(RLIMIT_STACK, &before);
  free(payload);
  free(schedule);
}

static void builds(void **state) {
  fixture *f = *state;
  f->evaluator.building.seconds = LIMIT_OF_ENDING;
  // A sanitizer knows no limit of memory, and writes about a stack that is full for as long as it
  // may.
  int64_t values[END_COUNT];
  size_t count = 0;
  for (int i = 0; i < END_COUNT; ++i)
    if (strcmp(ends[i].verdict, "build-timeout") != 0 &&
        (!HAS_SANITIZER || (i != END_MEMORY && i != END_STACK)))
      values[count++] = i;
  search_ends(f, values, count);
  for (size_t i = 0; i < count; ++i)
    assert_recorded(f, "end", (size_t)values[i], ends[values[i]].verdict, ends[values[i]].error);
  assert_winner(f, "end", END_COUNT - 1);
}

static void builds_without_end(void **state) {
  fixture *f = *state;
  f->evaluator.building.seconds = 2;
  const int64_t values[] = {END_COUNT - 1, 4, 5};
  search_ends(f, values, 3);
  for (size_t i = 1; i < 3; ++i)
    assert_recorded(f, "end", (size_t)values[i], ends[values[i]].verdict, ends[values[i]].error);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(kernels, setup, teardown),
      cmocka_unit_test_setup_teardown(kernels_without_end, setup, teardown),
      cmocka_unit_test_setup_teardown(builds, setup, teardown),
      cmocka_unit_test_setup_teardown(builds_without_end, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
