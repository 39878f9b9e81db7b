//===- database_schema_test.c - Databases that older versions have written --------------===//

#include "unittests/tuning/database_fixture.h"

#include "tuning/database/database_upkeep.h"
#include "unittests/common/failing_malloc.h"
#include "unittests/tuning/database_schema_8.h"

// The records of schema_8; ALL of them, or one.
enum { ALL, PLAIN, FAILURE, WITHOUT_CONDITIONS };

// As mlir-tune left it then.
static void make_schema_8(const fixture *f, int record) {
  char sql[64];
  snprintf(sql, sizeof sql, "DELETE FROM trials WHERE %d AND id <> %d", record != ALL, record);
  run_sql(f, schema_8);
  run_sql(f, sql);
}

// The same of schema 7, but for the digest of its layout.
static void make_schema_7(const fixture *f, int record) {
  make_schema_8(f, record);
  run_sql(f, "DROP INDEX trials_failures; DROP INDEX trials_doubts;"
             "DROP INDEX trials_by_time; DROP INDEX trials_by_schedule;"
             "CREATE INDEX trials_by_time ON trials(task, fingerprint, median)"
             "  WHERE verdict = 'ok' AND kind = 'trial';"
             "CREATE INDEX trials_by_schedule ON trials(task, fingerprint, schedule, median)"
             "  WHERE verdict = 'ok' AND kind = 'trial'; PRAGMA user_version = 7");
}

// The same of schema 6.
static void make_schema_6(const fixture *f, int record) {
  make_schema_7(f, record);
  run_sql(f, "ALTER TABLE tasks DROP COLUMN content; ALTER TABLE fingerprints DROP COLUMN content;"
             "DROP TABLE layout;"
             "PRAGMA user_version = 6");
}

// The same of schema 5.
static void make_schema_5(const fixture *f, int record) {
  make_schema_6(f, record);
  run_sql(f, "ALTER TABLE trials DROP COLUMN conditions; DROP TABLE conditions;"
             "PRAGMA user_version = 5");
}

// The same of schema 4.
static void make_schema_4(const fixture *f, int record) {
  static const char *const newer[] = {"check_type",      "check_accumulator",
                                      "check_operands",  "check_inputs",
                                      "check_reduction", "check_magnitude",
                                      "check_leeway",    "cycles",
                                      "instructions",    "flops",
                                      "cache_misses",    "branch_misses",
                                      "page_faults",     "context_switches"};
  make_schema_5(f, record);
  for (size_t i = 0; i < sizeof newer / sizeof *newer; ++i) {
    char sql[96];
    snprintf(sql, sizeof sql, "ALTER TABLE trials DROP COLUMN %s", newer[i]);
    run_sql(f, sql);
  }
  run_sql(f, "PRAGMA user_version = 4");
}

// What was kept before code features, drift, counters, conditions and the check's reasons were
// known stays, is not kept twice, and takes new records beside it; to read alone such a file is
// too old.
static void older_databases_are_brought_up_to_date(void **state) {
  fixture *f = *state;
  tune_record record = make_record(1, "{\"mc\":64}");
  tune_database *database = NULL;
  make_schema_4(f, PLAIN);
  run_sql(f, "ALTER TABLE trials DROP COLUMN registers;"
             "ALTER TABLE trials DROP COLUMN spilled_bytes;"
             "ALTER TABLE trials DROP COLUMN shared_bytes;"
             "ALTER TABLE trials DROP COLUMN drift;"
             "DROP INDEX trials_by_schedule; PRAGMA user_version = 1");
  assert_fails(tune_database_open_read_only(f->path, &database), TUNE_FAILED_PRECONDITION,
               "older version (schema 1)");
  assert_ok(tune_database_open(f->path, &database));
  assert_ok(tune_database_append(database, &record)); // which is there
  record.code = (tune_code_features){.registers = 96, .spilled_bytes = 4, .shared_bytes = 512};
  record.time.median = record.time.low = 0.25;
  record.drift = 1.25;
  give_reasons(&record);
  assert_ok(tune_database_append(database, &record));
  tune_record best;
  assert_ok(tune_database_best(database, "aaaa", "ffff", NULL, &best));
  assert_int_equal(best.code.registers, 96);
  assert_int_equal(best.code.spilled_bytes, 4);
  assert_int_equal(best.code.shared_bytes, 512);
  assert_true(best.drift == 1.25);
  assert_string_equal(best.run.check.type, "bf16");
  assert_true(best.run.counts.of_run[TUNE_COUNT_FLOPS] == 3e9);
  assert_string_equal(best.conditions.governor, "powersave");
  tune_record_deinit(&best);
  tune_database_destroy(database);
  run_sql(f, "CREATE TABLE two(n CHECK(n = 2)); INSERT INTO two SELECT count(*) FROM trials");
}

// What takes records back is found in older databases, too.
static void databases_of_schema_7_are_brought_up_to_date(void **state) {
  fixture *f = *state;
  tune_record best;
  tune_database *database = NULL;
  make_schema_7(f, FAILURE);
  assert_fails(tune_database_open_read_only(f->path, &database), TUNE_FAILED_PRECONDITION,
               "older version (schema 7)");
  assert_ok(tune_database_open(f->path, &database));
  tune_record record = make_record(1, "{\"mc\":64}");
  assert_ok(tune_database_append(database, &record));
  assert_fails(tune_database_best(database, "aaaa", "ffff", NULL, &best), TUNE_NOT_FOUND,
               "no good trial");
  assert_sound(database);
  tune_database_destroy(database);
}

// Tasks and fingerprints of schema 6 get their digests.
static void databases_of_schema_6_are_brought_up_to_date(void **state) {
  fixture *f = *state;
  tune_database *database = NULL;
  tune_kept_task task;
  char *target, *description;
  make_schema_6(f, PLAIN);
  assert_ok(tune_database_open(f->path, &database));
  assert_ok(tune_database_get_task(database, "aaaa", &task));
  assert_int_equal(task.extents[1], 1024);
  tune_kept_task_deinit(&task);
  assert_ok(tune_database_get_fingerprint(database, "ffff", &target, &description));
  assert_string_equal(description, "{\"model\":\"Test 1\"}");
  free(target);
  free(description);
  assert_int_equal(count_records(database), 1);
  assert_sound(database);
  tune_database_destroy(database);
}

// A record of schema 5 says nothing of the machine.
static void databases_of_schema_5_are_brought_up_to_date(void **state) {
  fixture *f = *state;
  tune_record record = make_record(1, "{\"mc\":64}"), best;
  give_reasons(&record);
  record.conditions.is_known = false;
  tune_digest digest, now;
  assert_ok(tune_database_record_digest(&record, &digest));
  tune_database *database = NULL;
  make_schema_5(f, WITHOUT_CONDITIONS);
  assert_ok(tune_database_open(f->path, &database));
  assert_ok(tune_database_find_record(database, digest.text, &best));
  assert_false(best.conditions.is_known);
  tune_record_deinit(&best);
  give_reasons(&record);
  assert_ok(tune_database_record_digest(&record, &now));
  assert_string_not_equal(digest.text, now.text);
  assert_ok(tune_database_append(database, &record));
  assert_int_equal(count_records(database), 2);
  tune_database_destroy(database);
}

// The same of schema 4: its records have an error and a limit, and no reasons.
static void databases_of_schema_4_are_brought_up_to_date(void **state) {
  fixture *f = *state;
  tune_record record = make_record(1, "{\"mc\":64}");
  tune_database *database = NULL;
  make_schema_4(f, PLAIN);
  assert_ok(tune_database_open(f->path, &database));
  assert_ok(tune_database_append(database, &record)); // which is there
  tune_record best;
  assert_ok(tune_database_best(database, "aaaa", "ffff", NULL, &best));
  assert_true(best.run.check.is_known && best.run.check.tolerance == record.run.check.tolerance);
  assert_string_equal(best.run.check.type, "");
  assert_false(tune_counts_are_known(&best.run.counts));
  tune_record_deinit(&best);
  tune_database_destroy(database);
  run_sql(f, "CREATE TABLE one(n CHECK(n = 1)); INSERT INTO one SELECT count(*) FROM trials");
}

// What make_schema_8 has, kept as it is kept now.
static void append_all(tune_database *database) {
  tune_record record = make_record(1, "{\"mc\":64}");
  assert_ok(tune_database_append(database, &record));
  record = make_failure(TUNE_VERDICT_WRONG, "{\"mc\":64}", "wrong");
  assert_ok(tune_database_append(database, &record));
  record = make_record(1, "{\"mc\":64}");
  give_reasons(&record);
  record.conditions.is_known = false;
  assert_ok(tune_database_append(database, &record));
  record = make_record(0.001234567890123456, "{\"mc\":32,\"nr\":-1}");
  give_reasons(&record);
  record.kind = TUNE_RECORD_WINNER;
  record.script = "module {}\n";
  record.drift = 1.25;
  record.code = (tune_code_features){.registers = 96, .spilled_bytes = 4, .shared_bytes = 512};
  assert_ok(tune_database_append(database, &record));
  record = make_failure(TUNE_VERDICT_WRONG, "{\"mc\":16}", "beyond all bounds");
  record.run.check = (tune_check_result){.is_known = true, .error = INFINITY};
  record.digest = NULL;
  assert_ok(tune_database_append(database, &record));
}

// Every member of every record is as it was, in the same row.
static void databases_of_schema_8_are_brought_up_to_date(void **state) {
  fixture *f = *state;
  tune_database *database = NULL;
  char *fresh, *moved;
  append_all(database = open_with_task(f));
  assert_ok(export_text(database, &fresh));
  tune_database_destroy(database);
  assert_int_equal(unlink(f->path), 0);

  make_schema_8(f, ALL);
  assert_fails(tune_database_open_read_only(f->path, &database), TUNE_FAILED_PRECONDITION,
               "older version (schema 8)");
  assert_ok(tune_database_open(f->path, &database));
  assert_sound(database);
  append_all(database);
  assert_ok(export_text(database, &moved));
  assert_string_equal(moved, fresh);
  tune_database_destroy(database);
  run_sql(f, "CREATE TABLE five(n CHECK(n = 5)); INSERT INTO five SELECT max(id) FROM trials;"
             "INSERT INTO five SELECT count(*) FROM trials");
  free(fresh);
  free(moved);
}

static void count_problem(void *user, const char *problem) {
  (void)problem;
  ++*(size_t *)user;
}

// Records that were damaged before are so after it, and do not hinder the others.
static void damage_of_schema_8_stays_damage(void **state) {
  static const char *const changes[] = {
      "UPDATE trials SET median = 0.99 WHERE id = 1",
      "UPDATE trials SET samples = x'00' WHERE id = 1",
      "UPDATE trials SET cycles = 5 WHERE id = 3",
      "UPDATE trials SET check_error = 1e300 WHERE id = 5",
      "UPDATE trials SET conditions = NULL WHERE id = 4",
      "UPDATE trials SET task = 77 WHERE id = 2",
      "UPDATE trials SET kind = 'loser', fingerprint = 77 WHERE id = 5",
  };
  fixture *f = *state;
  for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) {
    tune_database *database = NULL;
    size_t told = 0;
    uint64_t problems;
    make_schema_8(f, ALL);
    run_sql(f, changes[i]);
    assert_ok(tune_database_open(f->path, &database));
    assert_ok(tune_database_check(database, count_problem, &told, &problems));
    assert_int_equal(told, 1);
    tune_database_leave_out_damage(database, NULL, NULL);
    assert_int_equal(count_records(database), 4);
    tune_database_destroy(database);
    run_sql(f, "CREATE TABLE five(n CHECK(n = 5)); INSERT INTO five SELECT count(*) FROM trials");
    assert_int_equal(unlink(f->path), 0);
  }
}

static tune_status open_it(void *context) {
  const fixture *f = context;
  tune_database *database;
  tune_status status = tune_database_open(f->path, &database);
  tune_database_destroy(database);
  return status;
}

// Where memory runs out on the way, the database is as it was, and can be brought up to date later.
static void memory_may_run_out_on_the_way(void **state) {
  fixture *f = *state;
  make_schema_8(f, ALL);
  assert_true(tune_fail_each_allocation_and_json(open_it, f) > 100);
  tune_database *database = NULL;
  assert_ok(tune_database_open_read_only(f->path, &database));
  assert_int_equal(count_records(database), 5);
  assert_sound(database);
  tune_database_destroy(database);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(older_databases_are_brought_up_to_date),
      TEST(databases_of_schema_4_are_brought_up_to_date),
      TEST(databases_of_schema_5_are_brought_up_to_date),
      TEST(databases_of_schema_6_are_brought_up_to_date),
      TEST(databases_of_schema_7_are_brought_up_to_date),
      TEST(databases_of_schema_8_are_brought_up_to_date),
      TEST(damage_of_schema_8_stays_damage),
      TEST(memory_may_run_out_on_the_way),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
