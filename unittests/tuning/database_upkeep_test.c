//===- database_upkeep_test.c - What prune keeps, what transfer refuses --------------===//

#include "tuning/database/database_upkeep.h"
#include "unittests/tuning/database_fixture.h"

#include <sqlite3.h>

static tune_status collect_config(void *user, const tune_record *record) {
  strcat(user, record->config);
  return TUNE_OK;
}

static void expect_records(tune_database *database, const char *expected) {
  char seen[512] = "";
  assert_ok(tune_database_load(database, NULL, NULL, collect_config, seen));
  assert_string_equal(seen, expected);
}

static void expect_prune(tune_database *database, tune_database_prune_options options,
                         uint64_t records, uint64_t left) {
  tune_database_prune_result result;
  assert_ok(tune_database_prune(database, &options, &result));
  assert_int_equal(result.records, records);
  assert_int_equal(result.records_left, left);
}

//===- Prune ------------------------------------------------------------------===//

// The n fastest stay, and with them the last winner of each schedule, or its fastest trial.
static void the_fastest_stay(void **state) {
  tune_database *database = open_with_task(*state);
  append_record(database, TUNE_RECORD_TRIAL, "s1", 1.0, "{\"n\":1}", 1);
  append_record(database, TUNE_RECORD_TRIAL, "s1", 2.0, "{\"n\":2}", 2);
  append_record(database, TUNE_RECORD_TRIAL, "s1", 3.0, "{\"n\":3}", 3);
  append_record(database, TUNE_RECORD_WINNER, "s1", 1.1, "{\"n\":4}", 4);
  append_record(database, TUNE_RECORD_WINNER, "s1", 1.2, "{\"n\":5}", 5);
  append_record(database, TUNE_RECORD_TRIAL, "s2", 9.0, "{\"n\":6}", 6);
  append_record(database, TUNE_RECORD_TRIAL, "s2", 8.0, "{\"n\":7}", 7);
  tune_record failed = make_failure(TUNE_VERDICT_WRONG, "{\"n\":8}", "wrong");
  failed.created_ms = 8;
  assert_ok(tune_database_append(database, &failed));

  expect_prune(database, (tune_database_prune_options){.keep_best = 2, .dry_run = true}, 4, 4);
  assert_int_equal(count_records(database), 8);
  expect_prune(database, (tune_database_prune_options){.task = "none", .keep_best = 2}, 0, 0);
  assert_int_equal(count_records(database), 8);
  expect_prune(database, (tune_database_prune_options){.keep_best = 2}, 4, 4);
  expect_records(database, "{\"n\":1}{\"n\":2}{\"n\":5}{\"n\":7}");
  expect_prune(database, (tune_database_prune_options){.keep_best = 2}, 0, 4);
  tune_database_destroy(database);
}

static void append_under(tune_database *database, const char *governor, double seconds) {
  tune_record record = make_record(seconds, "{}");
  give_reasons(&record);
  snprintf(record.conditions.governor, sizeof record.conditions.governor, "%s", governor);
  assert_ok(tune_database_append(database, &record));
}

// What the machine was like is kept once for all records, and no longer than one of them.
static void conditions_go_with_their_records(void **state) {
  fixture *f = *state;
  tune_database *database = open_with_task(f);
  append_under(database, "performance", 1);
  append_under(database, "performance", 2);
  append_under(database, "powersave", 3);
  run_sql(f, "CREATE TABLE two(n CHECK(n = 2)); INSERT INTO two SELECT count(*) FROM conditions");
  expect_prune(database, (tune_database_prune_options){.keep_best = 1}, 2, 1);
  run_sql(f, "CREATE TABLE one(n CHECK(n = 1)); INSERT INTO one SELECT count(*) FROM conditions");
  tune_record best;
  assert_ok(tune_database_best(database, "aaaa", "ffff", NULL, &best));
  assert_string_equal(best.conditions.governor, "performance");
  tune_record_deinit(&best);
  tune_database_destroy(database);
}

// What is old goes, but not what is best.
static void the_old_go(void **state) {
  tune_database *database = open_with_task(*state);
  append_record(database, TUNE_RECORD_TRIAL, "s1", 1.0, "{\"n\":1}", 100);
  append_record(database, TUNE_RECORD_TRIAL, "s1", 2.0, "{\"n\":2}", 200);
  append_record(database, TUNE_RECORD_TRIAL, "s1", 3.0, "{\"n\":3}", 300);
  expect_prune(database, (tune_database_prune_options){.older_than_ms = 300}, 1, 2);
  expect_records(database, "{\"n\":1}{\"n\":3}");
  expect_prune(database, (tune_database_prune_options){.older_than_ms = 1000, .keep_best = 3}, 1,
               1);
  expect_records(database, "{\"n\":1}");
  tune_database_prune_result result;
  assert_fails(
      tune_database_prune(database, &(tune_database_prune_options){.task = "aaaa"}, &result),
      TUNE_INVALID_ARGUMENT, "needs a rule");
  tune_database_destroy(database);
}

// Tasks and fingerprints without records go a day after they were last put, not before: a search
// may be about to add the first.
static void the_empty_go_in_time(void **state) {
  fixture *f = *state;
  tune_database *database = open_with_task(f);
  put_task(database, "bbbb", 1, 2, 3);
  put_fingerprint(database, "eeee");
  append_record(database, TUNE_RECORD_TRIAL, "s", 1, "{}", 1);
  tune_database_prune_options options = {.keep_best = 1};
  tune_database_prune_result result;
  assert_ok(tune_database_prune(database, &options, &result));
  assert_int_equal(result.tasks + result.fingerprints, 0);

  run_sql(f, "UPDATE tasks SET seen_ms = seen_ms - 25 * 3600000;"
             "UPDATE fingerprints SET seen_ms = seen_ms - 25 * 3600000");
  put_fingerprint(database, "dddd");
  assert_ok(tune_database_prune(database, &options, &result));
  assert_int_equal(result.tasks, 1);
  assert_int_equal(result.fingerprints, 1);
  tune_kept_task task;
  assert_fails(tune_database_get_task(database, "bbbb", &task), TUNE_NOT_FOUND, "bbbb");
  assert_ok(tune_database_get_task(database, "aaaa", &task));
  tune_kept_task_deinit(&task);
  tune_database_destroy(database);
}

// The space goes back to the file system.
static void pruned_files_are_smaller(void **state) {
  fixture *f = *state;
  tune_database *database = open_with_task(f);
  for (int i = 0; i < 300; ++i) {
    char config[32];
    snprintf(config, sizeof config, "{\"n\":%d}", i);
    append_record(database, TUNE_RECORD_TRIAL, "s", 1 + i, config, i);
  }
  size_t before, after;
  char *bytes;
  expect_prune(database, (tune_database_prune_options){.keep_best = 300}, 0, 300);
  tune_database_destroy(database);
  assert_ok(tune_file_read(f->path, &bytes, &before));
  free(bytes);
  assert_ok(tune_database_open(f->path, &database));
  expect_prune(database, (tune_database_prune_options){.keep_best = 3}, 297, 3);
  tune_database_destroy(database);
  assert_ok(tune_file_read(f->path, &bytes, &after));
  free(bytes);
  assert_true(after < before / 2);
}

//===- Transfer ---------------------------------------------------------------===//

#define HEADER "{\"kind\":\"header\",\"format\":\"mlir-tune\",\"version\":1}\n"
#define FINGERPRINT                                                                                \
  "{\"kind\":\"fingerprint\",\"digest\":\"eeee\",\"target\":\"cpu\",\"description\":{\"a\":1}}"

// Files may be put one after the other, and the last line may lack its end.
static void exports_can_be_joined(void **state) {
  tune_database *database = open_with_task(*state);
  tune_database_transfer done;
  assert_ok(import_text(database, HEADER HEADER FINGERPRINT, "x.jsonl", &done));
  assert_int_equal(done.fingerprints, 1);
  assert_ok(import_text(database, HEADER FINGERPRINT "\n", "x.jsonl", &done));
  assert_int_equal(done.fingerprints, 0);
  tune_database_destroy(database);
}

// What is in the database already is not overwritten by a stranger's idea of it.
static void imports_replace_nothing(void **state) {
  tune_database *database = open_with_task(*state);
  tune_database_transfer done;
  assert_ok(import_text(database,
                        HEADER "{\"kind\":\"task\",\"key\":\"aaaa\",\"class\":\"other\",\"name\":"
                               "\"mine\",\"type\":\"\",\"payload\":\"\",\"flops\":1,\"bytes\":1,"
                               "\"extents\":[]}\n"
                               "{\"kind\":\"fingerprint\",\"digest\":\"ffff\",\"target\":\"cuda\","
                               "\"description\":{}}\n",
                        "x.jsonl", &done));
  assert_int_equal(done.tasks + done.fingerprints, 0);
  tune_kept_task task;
  assert_ok(tune_database_get_task(database, "aaaa", &task));
  assert_string_equal(task.name, "matmul 512x1024x1024 f32");
  tune_kept_task_deinit(&task);
  char *target, *description;
  assert_ok(tune_database_get_fingerprint(database, "ffff", &target, &description));
  assert_string_equal(target, "cpu");
  free(target);
  free(description);
  tune_database_destroy(database);
}

// One wrong line, and the right ones before it did not come in either; counts say so.
static void imports_are_whole_or_not_at_all(void **state) {
  static const char *const wrong[] = {
      "{\"kind\":\"fingerprint\",\"digest\":\"a b\",\"target\":\"cpu\",\"description\":{}}",
      "{\"kind\":\"fingerprint\",\"digest\":\"a\",\"target\":\"cpu\",\"description\":[]}",
      "{\"kind\":\"fingerprint\",\"digest\":\"a\",\"target\":\"cpu\"}",
      "{\"kind\":\"sandwich\"}",
      "{\"kind\":1}",
      "{\"kind\":\"header\",\"format\":\"mlir-tune\",\"version\":1.5}",
      "{\"kind\":\"header\",\"format\":\"iree\",\"version\":1}",
      "[]",
      "\"text\"",
      "{\"kind\":\"task\"}",
      "{\"kind\":\"trial\"}",
      "{\"kind\":\"trial\"} {}",
      "{\"a\":\"\\u0000\"}",
      "\xff",
      "",
      " ",
  };
  tune_database *database = open_with_task(*state);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    char text[512];
    snprintf(text, sizeof text, "%s%s\n%s\n", HEADER, FINGERPRINT, wrong[i]);
    tune_database_transfer done;
    assert_fails(import_text(database, text, "x.jsonl", &done), TUNE_INVALID_ARGUMENT,
                 "x.jsonl:3: ");
    assert_int_equal(done.fingerprints, 0);
    char *target, *description;
    assert_fails(tune_database_get_fingerprint(database, "eeee", &target, &description),
                 TUNE_NOT_FOUND, "eeee");
  }
  tune_database_destroy(database);
}

// What a reader takes from a pipe that never ends a line is bounded.
static void endless_lines_are_refused(void **state) {
  tune_database *database = open_with_task(*state);
  FILE *stream = fopen("/dev/zero", "r");
  assert_non_null(stream);
  tune_database_transfer done;
  assert_fails(tune_database_import(database, stream, "zero", &done), TUNE_INVALID_ARGUMENT,
               "zero:1: longer than");
  fclose(stream);
  tune_database_destroy(database);
}

// Out and in again, every member the same; merging the result adds nothing.
static void transfers_lose_nothing(void **state) {
  fixture *f = *state;
  tune_database *database = open_with_task(f), *other = NULL;
  put_task(database, "bbbb", 1, -1, 3);
  append_record(database, TUNE_RECORD_TRIAL, "s", 0.1 + 0.2, "{\"a\": 9223372036854775807}",
                INT64_MAX);
  append_record(database, TUNE_RECORD_WINNER, "", 1e-300, "{}", -1);
  tune_record failed = make_failure(TUNE_VERDICT_BUILD_TIMEOUT, "{\"\xc3\xa9\":1}",
                                    "line 1\nline 2 \xe2\x80\x9cquoted\xe2\x80\x9d\t\xff");
  failed.run.check.is_known = true;
  failed.run.check.error = INFINITY;
  assert_ok(tune_database_append(database, &failed));
  give_reasons(&failed);
  assert_ok(tune_database_append(database, &failed));

  char *lines = NULL, path[128];
  size_t size = 0;
  FILE *stream = open_memstream(&lines, &size);
  tune_database_transfer done;
  assert_ok(tune_database_export(database, NULL, NULL, stream, "memory", &done));
  fclose(stream);
  assert_int_equal(done.records, 4);
  snprintf(path, sizeof path, "%s/other.db", f->folder);
  assert_ok(tune_database_open(path, &other));
  assert_ok(import_text(other, lines, "x.jsonl", &done));
  free(lines);
  assert_int_equal(done.records, 4);
  assert_int_equal(done.tasks, 2);
  // The records' digests cover every member, so equal digests are equal records.
  assert_ok(tune_database_merge(other, database, &done));
  assert_int_equal(done.records, 0);
  assert_int_equal(done.known, 4);
  assert_ok(tune_database_merge(database, other, &done));
  assert_int_equal(done.known, 4);
  assert_fails(tune_database_merge(database, database, &done), TUNE_INVALID_ARGUMENT,
               "the same database");
  tune_database_destroy(other);
  tune_database_destroy(database);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(the_fastest_stay),
      TEST(the_old_go),
      TEST(conditions_go_with_their_records),
      TEST(the_empty_go_in_time),
      TEST(pruned_files_are_smaller),
      TEST(exports_can_be_joined),
      TEST(imports_replace_nothing),
      TEST(imports_are_whole_or_not_at_all),
      TEST(endless_lines_are_refused),
      TEST(transfers_lose_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
