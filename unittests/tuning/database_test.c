//===- database_test.c - Records kept and found again ------------------------------===//

#include "unittests/tuning/database_fixture.h"

#include <sys/stat.h>

//===- What goes in comes out -------------------------------------------------===//

static tune_status keep_copy(void *user, const tune_record *record) {
  return tune_record_init_copy(user, record);
}

// Every member of a record survives, also over closing and opening.
static void records_come_back_whole(void **state) {
  fixture *f = *state;
  tune_database *database = open_with_task(f);
  tune_record in = make_record(0.001234567890123456, "{\"mc\": 64, \"nr\": -1}");
  in.script = "module {}\n";
  give_reasons(&in);
  assert_ok(tune_database_append(database, &in));
  tune_database_destroy(database);

  assert_ok(tune_database_open(f->path, &database));
  tune_record out;
  assert_ok(tune_database_load(database, "aaaa", "ffff", keep_copy, &out));
  assert_int_equal(out.kind, in.kind);
  assert_string_equal(out.task, in.task);
  assert_string_equal(out.fingerprint, in.fingerprint);
  assert_string_equal(out.schedule, in.schedule);
  assert_string_equal(out.config, "{\"mc\":64,\"nr\":-1}");
  assert_string_equal(out.script, in.script);
  assert_int_equal(out.verdict, in.verdict);
  assert_null(out.error);
  assert_string_equal(out.digest, in.digest);
  assert_true(out.time.median == in.time.median && out.time.low == in.time.low &&
              out.time.high == in.time.high);
  assert_int_equal(out.time.repeats, in.time.repeats);
  assert_int_equal(out.time.sample_count, 3);
  assert_memory_equal(out.time.samples, in.time.samples, 3 * sizeof(double));
  assert_true(out.run.check.is_known && out.run.check.error == in.run.check.error &&
              out.run.check.tolerance == in.run.check.tolerance);
  assert_string_equal(out.run.check.type, in.run.check.type);
  assert_string_equal(out.run.check.accumulator, in.run.check.accumulator);
  assert_string_equal(out.run.check.operands, in.run.check.operands);
  assert_true(out.run.check.reduction == in.run.check.reduction &&
              out.run.check.magnitude == in.run.check.magnitude &&
              out.run.check.leeway == in.run.check.leeway && out.run.check.is_sparse);
  assert_memory_equal(out.run.counts.is_known, in.run.counts.is_known,
                      sizeof in.run.counts.is_known);
  assert_memory_equal(out.run.counts.of_run, in.run.counts.of_run, sizeof in.run.counts.of_run);
  assert_memory_equal(out.stage_seconds, in.stage_seconds, sizeof in.stage_seconds);
  assert_string_equal(out.strategy, in.strategy);
  assert_true(out.seed == in.seed && out.created_ms == in.created_ms);
  tune_record_deinit(&out);
  tune_database_destroy(database);
}

// A failure keeps its reason; bytes that are not UTF-8 in it do not hinder.
static void failures_keep_their_reason(void **state) {
  tune_database *database = open_with_task(*state);
  tune_record in = make_failure(TUNE_VERDICT_RUN_CRASHED, "{}", "SIGSEGV at \xff");
  in.digest = NULL;
  assert_ok(tune_database_append(database, &in));
  tune_record out;
  assert_ok(tune_database_load(database, "aaaa", "ffff", keep_copy, &out));
  assert_int_equal(out.verdict, TUNE_VERDICT_RUN_CRASHED);
  assert_string_equal(out.error, "SIGSEGV at ?");
  assert_null(out.digest);
  assert_null(out.script);
  assert_null(out.time.samples);
  assert_false(out.run.check.is_known);
  tune_record_deinit(&out);
  tune_database_destroy(database);
}

// The error of a wrong result may be infinite or not a number; it comes back as infinite.
static void endless_errors_are_kept(void **state) {
  tune_database *database = open_with_task(*state);
  tune_record in = make_failure(TUNE_VERDICT_WRONG, "{}", "wrong");
  in.run.check.is_known = true;
  in.run.check.error = NAN;
  in.run.check.tolerance = 0;
  assert_ok(tune_database_append(database, &in));
  in.run.check.error = INFINITY;
  assert_ok(tune_database_append(database, &in));
  tune_record out;
  assert_ok(tune_database_load(database, "aaaa", "ffff", keep_copy, &out));
  assert_true(out.run.check.is_known && isinf(out.run.check.error) && out.run.check.tolerance == 0);
  tune_record_deinit(&out);
  tune_database_destroy(database);
}

// The same record twice is one record; a difference in any member makes two.
static void equal_records_are_one(void **state) {
  tune_database *database = open_with_task(*state);
  tune_record record = make_record(0.5, "{\"a\":1}");
  assert_ok(tune_database_append(database, &record));
  record.config = "{ \"a\" : 1 }";
  assert_ok(tune_database_append(database, &record));
  assert_int_equal(count_records(database), 1);
  record.kind = TUNE_RECORD_WINNER;
  assert_ok(tune_database_append(database, &record));
  record.script = "";
  assert_ok(tune_database_append(database, &record));
  record.created_ms += 1;
  assert_ok(tune_database_append(database, &record));
  record.stage_seconds[5] = 1;
  assert_ok(tune_database_append(database, &record));
  give_reasons(&record);
  assert_ok(tune_database_append(database, &record));
  record.run.check.leeway = 0;
  assert_ok(tune_database_append(database, &record));
  record.run.counts.is_known[TUNE_COUNT_PAGE_FAULTS] =
      true; // of 0, which is not the same as unknown
  assert_ok(tune_database_append(database, &record));
  assert_int_equal(count_records(database), 8);
  tune_database_destroy(database);
}

// SQLite keeps no -0: a record with one is the record that comes back, and is not kept twice.
static void negative_zeros_are_zeros(void **state) {
  tune_database *database = open_with_task(*state);
  tune_record record = make_record(0.001, "{\"mc\":64}");
  give_reasons(&record);
  tune_digest digests[2];
  for (int i = 0; i < 2; ++i) {
    double zero = i ? -0.0 : 0.0;
    record.run.check.error = record.run.check.magnitude = record.run.check.leeway = record.drift =
        zero;
    record.stage_seconds[0] = record.time.low = record.run.counts.of_run[TUNE_COUNT_CYCLES] = zero;
    assert_ok(tune_database_append(database, &record));
    assert_ok(tune_database_record_digest(&record, &digests[i]));
  }
  assert_string_equal(digests[0].text, digests[1].text);
  assert_int_equal(count_records(database), 1);
  tune_record found;
  assert_ok(tune_database_find_record(database, digests[1].text, &found));
  assert_false(signbit(found.run.check.error));
  tune_record_deinit(&found);
  tune_database_destroy(database);
}

// What is not fit to be kept is refused, and leaves nothing.
static void bad_records_are_refused(void **state) {
  tune_database *database = open_with_task(*state);
  tune_record record = make_record(0.5, "{}");
  record.task = "bbbb";
  assert_fails(tune_database_append(database, &record), TUNE_NOT_FOUND,
               "record of the task bbbb, which is not in the database");
  record = make_record(0.5, "{}");
  record.fingerprint = "eeee";
  assert_fails(tune_database_append(database, &record), TUNE_NOT_FOUND,
               "record of the fingerprint eeee, which is not in the database");
  record = make_record(0.5, "[1]");
  assert_fails(tune_database_append(database, &record), TUNE_INVALID_ARGUMENT, "config");
  record = make_record(NAN, "{}");
  assert_fails(tune_database_append(database, &record), TUNE_INVALID_ARGUMENT, "median");
  record = make_record(0.5, "{}");
  record.script = "\xff";
  assert_fails(tune_database_append(database, &record), TUNE_INVALID_ARGUMENT, "UTF-8");
  assert_int_equal(count_records(database), 0);
  tune_database_destroy(database);
}

static tune_status collect_config(void *user, const tune_record *record) {
  strcat(user, record->config);
  return TUNE_OK;
}

// Oldest first, whatever the order in which they came in; only those asked for.
static void load_goes_by_age(void **state) {
  tune_database *database = open_with_task(*state);
  put_task(database, "bbbb", 1, 2, 3);
  put_fingerprint(database, "eeee");
  static const struct {
    const char *task, *fingerprint, *config;
    int64_t created_ms;
  } rows[] = {{"aaaa", "ffff", "{\"n\":3}", 30},
              {"aaaa", "ffff", "{\"n\":1}", 10},
              {"bbbb", "ffff", "{\"n\":4}", 5},
              {"aaaa", "eeee", "{\"n\":5}", 6},
              {"aaaa", "ffff", "{\"n\":2}", 20}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    tune_record record = make_record(0.5, rows[i].config);
    record.task = (char *)rows[i].task;
    record.fingerprint = (char *)rows[i].fingerprint;
    record.created_ms = rows[i].created_ms;
    assert_ok(tune_database_append(database, &record));
  }
  char seen[128] = "";
  assert_ok(tune_database_load(database, "aaaa", "ffff", collect_config, seen));
  assert_string_equal(seen, "{\"n\":1}{\"n\":2}{\"n\":3}");
  *seen = '\0';
  assert_ok(tune_database_load(database, NULL, "ffff", collect_config, seen));
  assert_string_equal(seen, "{\"n\":1}{\"n\":2}{\"n\":3}{\"n\":4}");
  *seen = '\0';
  assert_ok(tune_database_load(database, "aaaa", NULL, collect_config, seen));
  assert_string_equal(seen, "{\"n\":1}{\"n\":2}{\"n\":3}{\"n\":5}");
  *seen = '\0';
  assert_ok(tune_database_load(database, "none", "ffff", collect_config, seen));
  assert_string_equal(seen, "");
  tune_database_destroy(database);
}

static tune_status stop(void *user, const tune_record *record) {
  (void)record;
  ++*(size_t *)user;
  return tune_status_make(TUNE_CANCELLED, "enough");
}

// A visitor that fails ends the load with its status, and the database stays usable.
static void visitors_can_stop(void **state) {
  tune_database *database = open_with_task(*state);
  tune_record_store store = tune_database_store(database);
  tune_record record = make_record(0.5, "{}");
  assert_ok(store.append(store.self, &record));
  record.created_ms += 1;
  assert_ok(store.append(store.self, &record));
  size_t calls = 0;
  assert_fails(store.load(store.self, "aaaa", "ffff", stop, &calls), TUNE_CANCELLED, "enough");
  assert_int_equal(calls, 1);
  assert_int_equal(count_records(database), 2);
  tune_database_destroy(database);
}

//===- Tasks and fingerprints -------------------------------------------------===//

// A task comes back whole; putting it again replaces it.
static void tasks_come_back_whole(void **state) {
  tune_database *database = open_with_task(*state);
  tune_kept_task task;
  assert_ok(tune_database_get_task(database, "aaaa", &task));
  assert_string_equal(task.key, "aaaa");
  assert_string_equal(task.kind, "contraction");
  assert_string_equal(task.name, "matmul 512x1024x1024 f32");
  assert_string_equal(task.type, "f32");
  assert_string_equal(task.payload, "func.func @tune_task() { return }\n");
  assert_true(task.flops == 2.0 * 512 * 1024 * 1024);
  assert_true(task.bytes == 4.0 * (512 * 1024 + 1024 * 1024 + 512 * 1024));
  assert_int_equal(task.rank, 3);
  assert_int_equal(task.extents[0], 512);
  assert_int_equal(task.extents[2], 1024);
  tune_kept_task_deinit(&task);

  put_task(database, "aaaa", 7, 8, -1);
  assert_ok(tune_database_get_task(database, "aaaa", &task));
  assert_int_equal(task.extents[2], -1);
  tune_kept_task_deinit(&task);
  assert_fails(tune_database_get_task(database, "aaab", &task), TUNE_NOT_FOUND, "no task aaab");

  char *target, *description;
  assert_ok(tune_database_get_fingerprint(database, "ffff", &target, &description));
  assert_string_equal(target, "cpu");
  assert_string_equal(description, "{\"model\":\"Test 1\"}");
  free(target);
  free(description);
  assert_fails(tune_database_get_fingerprint(database, "fff", &target, &description),
               TUNE_NOT_FOUND, "no fingerprint fff");
  tune_database_destroy(database);
}

// What could break a terminal, a query or an export is not let in.
static void bad_tasks_are_refused(void **state) {
  tune_database *database = open_with_task(*state);
  int64_t extents[] = {-2};
  const tune_kept_task good = {.key = "k", .kind = "other", .name = "n", .type = "", .payload = ""};
  assert_ok(tune_database_put_task(database, &good));
  tune_kept_task bad = good;
  bad.key = "a b";
  assert_fails(tune_database_put_task(database, &bad), TUNE_INVALID_ARGUMENT, "key");
  bad = good;
  bad.name = "\x1b[2J";
  assert_fails(tune_database_put_task(database, &bad), TUNE_INVALID_ARGUMENT,
               "the task k needs a name");
  bad = good;
  bad.name = NULL;
  assert_fails(tune_database_put_task(database, &bad), TUNE_INVALID_ARGUMENT, "name");
  bad = good;
  bad.payload = "\xc3(";
  assert_fails(tune_database_put_task(database, &bad), TUNE_INVALID_ARGUMENT, "payload");
  bad = good;
  bad.flops = INFINITY;
  assert_fails(tune_database_put_task(database, &bad), TUNE_INVALID_ARGUMENT, "flops");
  bad = good;
  bad.rank = 1;
  bad.extents = extents;
  assert_fails(tune_database_put_task(database, &bad), TUNE_INVALID_ARGUMENT, "extents");
  assert_fails(tune_database_put_fingerprint(database, "", "cpu", "{}"), TUNE_INVALID_ARGUMENT,
               "digest");
  assert_fails(tune_database_put_fingerprint(database, "f", "", "{}"), TUNE_INVALID_ARGUMENT,
               "target");
  assert_fails(tune_database_put_fingerprint(database, "f", "cpu", "[]"), TUNE_INVALID_ARGUMENT,
               "JSON object");
  tune_database_destroy(database);
}

// A person types a name or the start of a key.
static void tasks_are_found_by_what_one_types(void **state) {
  tune_database *database = open_with_task(*state);
  put_task(database, "aabb", 1, 2, 3);
  put_task(database, "aab", 4, 5, 6);
  char *key;
  assert_ok(tune_database_find_task(database, "aaa", &key));
  assert_string_equal(key, "aaaa");
  free(key);
  assert_ok(tune_database_find_task(database, "aab", &key));
  assert_string_equal(key, "aab");
  free(key);
  assert_ok(tune_database_find_task(database, "matmul 1x2x3 f32", &key));
  assert_string_equal(key, "aabb");
  free(key);
  assert_ok(tune_database_find_task(database, "512x", &key));
  assert_string_equal(key, "aaaa");
  free(key);
  assert_fails(tune_database_find_task(database, "matmul", &key), TUNE_INVALID_ARGUMENT,
               "may mean more than one task");
  assert_fails(tune_database_find_task(database, "aa", &key), TUNE_INVALID_ARGUMENT,
               "'aa' may mean more than one task: aaaa (matmul 512x1024x1024 f32), aabb");
  assert_fails(tune_database_find_task(database, "y", &key), TUNE_NOT_FOUND, "no task 'y'");
  assert_fails(tune_database_find_task(database, "", &key), TUNE_NOT_FOUND, "no task ''");
  assert_ok(tune_database_find_fingerprint(database, "f", &key));
  assert_string_equal(key, "ffff");
  free(key);
  assert_fails(tune_database_find_fingerprint(database, "e", &key), TUNE_NOT_FOUND,
               "no fingerprint 'e'");
  tune_database_destroy(database);
}

static void append_to(tune_database *database, const char *task) {
  tune_record record = make_record(0.5, "{}");
  record.task = (char *)task;
  assert_ok(tune_database_append(database, &record));
}

// Nearest first; never itself, another type, another rank, or what has no good trial here.
static void neighbours_are_the_similar_ones(void **state) {
  tune_database *database = open_with_task(*state);
  put_task(database, "twice", 1024, 1024, 1024);
  put_task(database, "far", 1, 1, 1);
  put_task(database, "half", 512, 512, 256);
  put_task(database, "dynamic", -1, 1024, 1024);
  put_task(database, "untried", 512, 1024, 1023);
  tune_kept_task other = {.key = "other",
                          .kind = "contraction",
                          .name = "n",
                          .type = "bf16",
                          .payload = "",
                          .rank = 3,
                          .extents = (int64_t[]){512, 1024, 1024}};
  assert_ok(tune_database_put_task(database, &other));
  const char *tried[] = {"far", "half", "dynamic", "twice", "other", "aaaa"};
  for (size_t i = 0; i < sizeof tried / sizeof *tried; ++i)
    append_to(database, tried[i]);

  tune_kept_task task;
  assert_ok(tune_database_get_task(database, "aaaa", &task));
  tune_database_neighbour found[5];
  size_t count;
  assert_ok(tune_database_nearest(database, &task, "ffff", 5, found, &count));
  assert_int_equal(count, 4);
  assert_string_equal(found[0].key, "twice");
  assert_true(found[0].distance == 1);
  assert_string_equal(found[1].key, "half");
  assert_true(found[1].distance == 3);
  assert_string_equal(found[2].key, "dynamic");
  assert_string_equal(found[3].key, "far");
  tune_database_neighbours_deinit(found, count);
  assert_ok(tune_database_nearest(database, &task, "ffff", 2, found, &count));
  assert_int_equal(count, 2);
  assert_string_equal(found[1].key, "half");
  tune_database_neighbours_deinit(found, count);
  assert_ok(tune_database_nearest(database, &task, "ffff", 0, NULL, &count));
  assert_int_equal(count, 0);
  put_fingerprint(database, "eeee");
  assert_ok(tune_database_nearest(database, &task, "eeee", 5, found, &count));
  assert_int_equal(count, 0);
  tune_kept_task_deinit(&task);
  tune_database_destroy(database);
}

static tune_status print_summary(void *user, const tune_database_summary *s) {
  char line[256];
  snprintf(line, sizeof line, "%s %s %s %llu/%llu %g%s %lld\n", s->task, s->fingerprint, s->target,
           (unsigned long long)s->failed, (unsigned long long)s->trials, s->best,
           s->has_winner ? "*" : "", (long long)s->last_ms);
  strcat(user, line);
  return TUNE_OK;
}

// One line for each task on each fingerprint, also for a task that was never tried.
static void list_counts(void **state) {
  tune_database *database = open_with_task(*state);
  put_task(database, "bbbb", 1, 2, 3);
  append_record(database, TUNE_RECORD_TRIAL, "s", 2, "{\"n\":1}", 10);
  append_record(database, TUNE_RECORD_TRIAL, "s", 1, "{\"n\":2}", 30);
  append_record(database, TUNE_RECORD_WINNER, "s", 1.5, "{\"n\":2}", 20);
  tune_record failed = make_failure(TUNE_VERDICT_BUILD_FAILED, "{}", "no");
  failed.created_ms = 15;
  assert_ok(tune_database_append(database, &failed));
  failed.fingerprint = "eeee";
  put_fingerprint(database, "eeee");
  assert_ok(tune_database_append(database, &failed));
  char text[512] = "";
  assert_ok(tune_database_list(database, NULL, print_summary, text));
  assert_string_equal(text, "aaaa ffff cpu 1/3 1.5* 30\n"
                            "aaaa eeee cpu 1/1 0 15\n"
                            "bbbb   0/0 0 0\n");
  *text = '\0';
  assert_ok(tune_database_list(database, "1x2x3", print_summary, text));
  assert_string_equal(text, "bbbb   0/0 0 0\n");
  tune_database_destroy(database);
}

//===- The default path -------------------------------------------------------===//

static void expect_default_path(const char *cache, const char *home, const char *expected) {
  cache ? setenv("XDG_CACHE_HOME", cache, 1) : unsetenv("XDG_CACHE_HOME");
  setenv("HOME", home, 1);
  char *path = NULL;
  assert_ok(tune_database_default_path(&path));
  assert_string_equal(path, expected);
  free(path);
}

// By the XDG rules; opening makes folders that are nobody else's, reading makes nothing.
static void default_path_follows_xdg(void **state) {
  fixture *f = *state;
  expect_default_path(NULL, "/h", "/h/.cache/mlir-tune/tune.db");
  expect_default_path("", "/h", "/h/.cache/mlir-tune/tune.db");
  expect_default_path("relative", "/h", "/h/.cache/mlir-tune/tune.db");
  char cache[96], folder[128];
  snprintf(cache, sizeof cache, "%s/a/b", f->folder);
  snprintf(folder, sizeof folder, "%s/mlir-tune", cache);
  char expected[160];
  snprintf(expected, sizeof expected, "%s/tune.db", folder);
  expect_default_path(cache, "/h", expected);

  tune_database *database;
  assert_fails(tune_database_open_read_only(NULL, &database), TUNE_NOT_FOUND, expected);
  assert_int_equal(access(cache, F_OK), -1);
  assert_ok(tune_database_open(NULL, &database));
  assert_string_equal(tune_database_path(database), expected);
  tune_database_destroy(database);
  struct stat status;
  assert_int_equal(stat(folder, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0700);
  assert_ok(tune_database_open_read_only(NULL, &database));
  tune_database_destroy(database);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(records_come_back_whole),
      TEST(failures_keep_their_reason),
      TEST(endless_errors_are_kept),
      TEST(equal_records_are_one),
      TEST(negative_zeros_are_zeros),
      TEST(bad_records_are_refused),
      TEST(load_goes_by_age),
      TEST(visitors_can_stop),
      TEST(tasks_come_back_whole),
      TEST(bad_tasks_are_refused),
      TEST(tasks_are_found_by_what_one_types),
      TEST(neighbours_are_the_similar_ones),
      TEST(list_counts),
      TEST(default_path_follows_xdg),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
