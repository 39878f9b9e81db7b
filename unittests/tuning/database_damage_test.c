//===- database_damage_test.c - Whatever byte changes, what comes out is right, or told ------===//

#include "unittests/tuning/database_fixture.h"

#include "tuning/database/database_upkeep.h"

#include <fcntl.h>

static void append_of(tune_database *database, const char *task, const char *fingerprint,
                      double seconds, bool is_winner) {
  char config[32];
  snprintf(config, sizeof config, "{\"n\":%d}", (int)(1000 * seconds));
  tune_record record = make_record(seconds, config);
  record.task = (char *)task;
  record.fingerprint = (char *)fingerprint;
  give_reasons(&record);
  if (is_winner) {
    record.kind = TUNE_RECORD_WINNER;
    record.script = "module attributes {transform.with_named_sequence} {}";
  }
  assert_ok(tune_database_append(database, &record));
}

// Two tasks alike and two fingerprints, with trials of each of the four pairs but one.
static tune_database *make_database(const fixture *f) {
  tune_database *database = open_with_task(f);
  put_task(database, "bbbb", 512, 1024, 512);
  put_fingerprint(database, "eeee");
  for (int i = 1; i < 6; ++i) {
    append_of(database, "aaaa", "ffff", 0.1 * i, i == 5);
    append_of(database, "bbbb", "ffff", 0.01 * i, false);
    append_of(database, "bbbb", "eeee", 0.001 * i, false);
  }
  return database;
}

static void count_problem(void *user, const char *problem) {
  (void)problem;
  ++*(size_t *)user;
}

static uint64_t count_problems(tune_database *database) {
  size_t seen = 0;
  uint64_t problems;
  tune_status status = tune_database_check(database, count_problem, &seen, &problems);
  if (tune_status_is_ok(status))
    assert_int_equal(seen, problems);
  else
    ++problems;
  tune_status_free(status);
  return problems;
}

//===- Any byte ---------------------------------------------------------------===//

// What came of reading something, all in all.
typedef struct outcome {
  const char *lines; // of the export before
  bool is_told;      // something was said to be damaged, or not to be there
} outcome;

static void take_status(outcome *all, tune_status status) {
  tune_status_code code = tune_status_get_code(status);
  if (!tune_status_is_ok(status) && code != TUNE_DATA_LOSS && code != TUNE_FAILED_PRECONDITION &&
      code != TUNE_NOT_FOUND)
    fail_msg("%s", tune_status_get_message(status));
  all->is_told = all->is_told || !tune_status_is_ok(status);
  tune_status_free(status);
}

// `object` is one of the lines.
static void expect_line(const outcome *all, json_t *object) {
  char *text = json_dumps(object, JSON_COMPACT);
  const char *found = strstr(all->lines, text);
  if (!found)
    fail_msg("this was never written: %s", text);
  free(text);
  json_decref(object);
}

static void read_best(tune_database *database, const char *task, const char *fingerprint,
                      outcome *all) {
  tune_record best;
  tune_status status = tune_database_best(database, task, fingerprint, NULL, &best);
  if (tune_status_is_ok(status)) {
    assert_string_equal(best.task, task);
    assert_string_equal(best.fingerprint, fingerprint);
    json_t *object;
    assert_ok(tune_record_to_json(&best, &object));
    expect_line(all, object);
    tune_record_deinit(&best);
  }
  take_status(all, status);
}

static void read_task(tune_database *database, const char *key, outcome *all) {
  tune_kept_task task;
  tune_status status = tune_database_get_task(database, key, &task);
  if (tune_status_is_ok(status)) {
    assert_string_equal(task.key, key);
    json_t *object;
    assert_ok(tune_kept_task_to_line(&task, &object));
    expect_line(all, object);
    tune_database_neighbour near;
    size_t count;
    status = tune_database_nearest(database, &task, "ffff", 1, &near, &count);
    if (tune_status_is_ok(status) && count) {
      assert_string_equal(near.key, strcmp(key, "aaaa") == 0 ? "bbbb" : "aaaa");
      tune_database_neighbours_deinit(&near, count);
    }
    tune_kept_task_deinit(&task);
  }
  take_status(all, status);
}

static void read_fingerprint(tune_database *database, const char *digest, outcome *all) {
  char *target, *description;
  tune_status status = tune_database_get_fingerprint(database, digest, &target, &description);
  if (tune_status_is_ok(status)) {
    assert_string_equal(target, "cpu");
    assert_string_equal(description, "{\"model\":\"Test 1\"}");
  }
  free(target);
  free(description);
  take_status(all, status);
}

static tune_status expect_summary(void *user, const tune_database_summary *summary) {
  (void)user;
  bool is_first = strcmp(summary->task, "aaaa") == 0;
  assert_string_equal(summary->task, is_first ? "aaaa" : "bbbb");
  assert_string_equal(summary->name,
                      is_first ? "matmul 512x1024x1024 f32" : "matmul 512x1024x512 f32");
  return TUNE_OK;
}

// Whether damage is told, if only by a check.
static bool reads_right(const char *path, const char *lines) {
  tune_database *database = NULL;
  tune_status status = tune_database_open_read_only(path, &database);
  outcome all = {.lines = lines};
  bool is_open = tune_status_is_ok(status);
  take_status(&all, status);
  if (!is_open)
    return true;
  char *text = NULL;
  status = export_text(database, &text);
  if (tune_status_is_ok(status))
    assert_string_equal(text, lines);
  take_status(&all, status);
  free(text);
  read_best(database, "aaaa", "ffff", &all);
  read_best(database, "bbbb", "ffff", &all);
  read_best(database, "bbbb", "eeee", &all);
  read_task(database, "aaaa", &all);
  read_task(database, "bbbb", &all);
  read_fingerprint(database, "ffff", &all);
  take_status(&all, tune_database_list(database, NULL, expect_summary, NULL));
  bool is_damaged = count_problems(database) > 0;
  if (all.is_told && !is_damaged)
    fail_msg("something cannot be read, and the check finds nothing");
  tune_database_destroy(database);
  return is_damaged;
}

static void remove_beside(const fixture *f, const char *ending) {
  char path[128];
  snprintf(path, sizeof path, "%s%s", f->path, ending);
  unlink(path);
}

// The bytes of the database of make_database in small pages, and what it exports.
static char *make_bytes(const fixture *f, size_t *out_size, char **out_lines) {
  char *bytes;
  run_sql(f, "PRAGMA page_size = 512; VACUUM");
  tune_database *database = make_database(f);
  assert_ok(export_text(database, out_lines));
  tune_database_destroy(database);
  run_sql(f, "VACUUM");
  assert_ok(tune_file_read(f->path, &bytes, out_size));
  assert_in_range(*out_size, 15000, 60000);
  return bytes;
}

// One bit at a time, at places that are spread evenly.
static void changed_bytes_are_told_or_do_no_harm(void **state) {
  enum { TRIES = 600 };
  fixture *f = *state;
  size_t size, found = 0;
  char *lines;
  char *bytes = make_bytes(f, &size, &lines);
  int file = open(f->path, O_WRONLY);
  assert_true(file >= 0);
  for (size_t try = 0; try < TRIES; ++try) {
    size_t place = try * size / TRIES;
    char changed = (char)(bytes[place] ^ 1 << try % 8);
    assert_int_equal(pwrite(file, &changed, 1, (off_t)place), 1);
    if (reads_right(f->path, lines))
      ++found;
    assert_int_equal(pwrite(file, &bytes[place], 1, (off_t)place), 1);
    remove_beside(f, "-wal");
    remove_beside(f, "-shm");
  }
  // The rest is unused space, of which small indices have much, and what says nothing of the
  // contents.
  assert_true(found > TRIES / 5 * 2);
  close(file);
  free(bytes);
  free(lines);
}

//===- Rows -------------------------------------------------------------------===//

static void remember_damage(void *user, const char *what) {
  char *kept = user;
  assert_string_equal(kept, ""); // once
  snprintf(kept, 256, "%s", what);
}

static void damage_rows(const fixture *f) {
  run_sql(f, "UPDATE tasks SET payload = replace(payload, 'func', 'funk') WHERE key = 'bbbb';"
             "UPDATE fingerprints SET description = '{\"model\":\"Test 2\"}' WHERE digest = 'eeee';"
             "UPDATE trials SET seconds = 0.01 WHERE config = '{\"n\":300}'");
}

// Each reader of a row says that it is damaged, and a check says which are.
static void damaged_rows_are_told(void **state) {
  fixture *f = *state;
  tune_database *database = make_database(f);
  damage_rows(f);
  tune_kept_task task, centre;
  tune_database_neighbour near;
  size_t count = 0;
  char *target, *text;
  assert_fails(tune_database_get_task(database, "bbbb", &task), TUNE_DATA_LOSS,
               "tune.db: a task is damaged (its members are not what was written); `tune-db check`"
               " tells which");
  assert_ok(tune_database_get_task(database, "aaaa", &centre));
  assert_fails(tune_database_nearest(database, &centre, "ffff", 1, &near, &count), TUNE_DATA_LOSS,
               "a task is damaged");
  tune_kept_task_deinit(&centre);
  assert_fails(tune_database_find_task(database, "bb", &text), TUNE_DATA_LOSS, "a task is damaged");
  assert_fails(tune_database_find_task(database, "conv", &text), TUNE_DATA_LOSS,
               "a task is damaged");
  assert_fails(tune_database_get_fingerprint(database, "eeee", &target, &text), TUNE_DATA_LOSS,
               "a fingerprint is damaged");
  assert_fails(tune_database_find_fingerprint(database, "ee", &text), TUNE_DATA_LOSS,
               "a fingerprint is damaged");
  assert_fails(tune_database_load(database, "aaaa", "ffff", count_record, &count), TUNE_DATA_LOSS,
               "a record is damaged");
  assert_int_equal(count, 2); // those before it
  assert_fails(tune_database_list(database, NULL, expect_summary, NULL), TUNE_DATA_LOSS,
               "a task or a fingerprint is damaged");
  assert_fails(export_text(database, &text), TUNE_DATA_LOSS, "is damaged");
  free(text);
  assert_int_equal(count_problems(database), 3);
  tune_database_destroy(database);
}

// A search goes on without them, is told of the first, and puts its own task and fingerprint again.
static void damaged_rows_are_left_out(void **state) {
  fixture *f = *state;
  tune_database *database = make_database(f), *other = NULL;
  damage_rows(f);
  char told[256] = "", *target, *text;
  tune_database_leave_out_damage(database, remember_damage, told);
  tune_kept_task task, centre;
  tune_database_neighbour near;
  size_t count = 0;
  assert_ok(tune_database_get_task(database, "aaaa", &centre));
  assert_ok(tune_database_nearest(database, &centre, "ffff", 1, &near, &count));
  assert_int_equal(count, 0);
  assert_non_null(strstr(told, "a task is damaged"));
  tune_kept_task_deinit(&centre);
  assert_ok(tune_database_load(database, "aaaa", "ffff", count_record, &count));
  assert_int_equal(count, 4);
  assert_fails(tune_database_get_task(database, "bbbb", &task), TUNE_NOT_FOUND, "bbbb");
  assert_fails(tune_database_get_fingerprint(database, "eeee", &target, &text), TUNE_NOT_FOUND,
               "eeee");

  // Of what is left an export is made that comes in.
  tune_database_transfer done;
  assert_ok(export_text(database, &text));
  assert_ok(tune_database_open(":memory:", &other));
  assert_ok(import_text(other, text, "lines", &done));
  assert_int_equal(done.tasks + done.fingerprints, 2);
  assert_int_equal(done.records, 4);
  free(text);
  tune_database_destroy(other);

  put_task(database, "bbbb", 512, 1024, 512);
  put_fingerprint(database, "eeee");
  assert_ok(tune_database_get_task(database, "bbbb", &task));
  tune_kept_task_deinit(&task);
  tune_database_destroy(database);
}

// An index that lacks a row hides it: what is written of the rest comes with a word.
static void damaged_files_are_told_of(void **state) {
  fixture *f = *state;
  tune_database *database = make_database(f);
  tune_database_destroy(database);
  run_sql(f, "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = sql || ' WHERE 0'"
             "  WHERE name = 'trials_in_order'");
  run_sql(f, "CREATE TEMP TABLE copy AS SELECT * FROM trials WHERE id = 1;"
             "UPDATE copy SET id = 1000, digest = 'other'; INSERT INTO trials SELECT * FROM copy");
  run_sql(f, "PRAGMA writable_schema = ON; UPDATE sqlite_schema"
             "  SET sql = replace(sql, ' WHERE 0', '') WHERE name = 'trials_in_order'");
  char told[256] = "", *text;
  assert_ok(tune_database_open_read_only(f->path, &database));
  assert_fails(export_text(database, &text), TUNE_DATA_LOSS, "the file is damaged");
  free(text);
  tune_database_leave_out_damage(database, remember_damage, told);
  assert_ok(export_text(database, &text));
  assert_non_null(strstr(told, "the file is damaged"));
  free(text);
  tune_database_destroy(database);
}

// What comes in from elsewhere puts right what is damaged, and leaves the rest as it is.
static void damaged_rows_are_put_right(void **state) {
  fixture *f = *state;
  tune_database *database = make_database(f);
  char *text;
  assert_ok(export_text(database, &text));
  run_sql(f, "UPDATE tasks SET name = 'matmul 1x1x1 f32' WHERE key = 'bbbb';"
             "UPDATE fingerprints SET target = 'cuda' WHERE digest = 'eeee'");
  assert_int_equal(count_problems(database), 2);
  tune_database_transfer done;
  assert_ok(import_text(database, text, "lines", &done));
  assert_int_equal(done.tasks, 1);
  assert_int_equal(done.fingerprints, 1);
  assert_int_equal(count_problems(database), 0);
  free(text);
  tune_database_destroy(database);
}

// Of an index whose columns changed places, the rows are right, and of another pair.
static void indices_may_mislead(void **state) {
  fixture *f = *state;
  tune_database *database = open_with_task(f);
  put_task(database, "bbbb", 512, 1024, 512);
  put_fingerprint(database, "eeee");
  append_of(database, "aaaa", "eeee", 0.5, false); // row 1 and row 2
  append_of(database, "bbbb", "ffff", 0.5, false); // row 2 and row 1
  tune_database_destroy(database);
  run_sql(f, "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql ="
             "  replace(sql, 'task, fingerprint,', 'fingerprint, task,') WHERE type = 'index'");
  assert_fails(tune_database_open_read_only(f->path, &database), TUNE_DATA_LOSS,
               "the database is damaged (its schema is not what was written)");
  run_sql(f, "REINDEX; PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql ="
             "  replace(sql, 'fingerprint, task,', 'task, fingerprint,') WHERE type = 'index'");
  assert_ok(tune_database_open_read_only(f->path, &database));
  tune_record best;
  size_t count = 0;
  char *text;
  assert_fails(tune_database_best(database, "aaaa", "eeee", NULL, &best), TUNE_DATA_LOSS,
               "an index is damaged (it leads to a record of something else)");
  assert_fails(tune_database_load(database, "aaaa", "eeee", count_record, &count), TUNE_DATA_LOSS,
               "is damaged");
  assert_int_equal(count, 0);
  assert_fails(export_text(database, &text), TUNE_DATA_LOSS, "the file is damaged");
  free(text);
  tune_database_destroy(database);
}

//===- What is somebody's own -------------------------------------------------===//

// An index, a view or a table of other names is no damage, and is used or not as SQLite likes.
static void strangers_that_do_no_harm_are_left_alone(void **state) {
  fixture *f = *state;
  tune_database_destroy(make_database(f));
  run_sql(f, "CREATE INDEX mine ON trials(task, fingerprint, verdict, kind, schedule, seconds);"
             "CREATE VIEW fast AS SELECT * FROM trials WHERE seconds < 0.1;"
             "CREATE TABLE notes(task, text);"
             "CREATE TRIGGER winners AFTER INSERT ON notes BEGIN DELETE FROM notes; END");
  tune_database *database;
  assert_ok(tune_database_open(f->path, &database));
  append_of(database, "aaaa", "ffff", 0.25, true);
  tune_record best;
  assert_ok(tune_database_best(database, "aaaa", "ffff", NULL, &best));
  assert_string_equal(best.config, "{\"n\":250}");
  tune_record_deinit(&best);
  assert_int_equal(count_problems(database), 0);
  tune_database_destroy(database);
  assert_ok(tune_database_open_read_only(f->path, &database));
  tune_database_destroy(database);
}

static void expect_refused(const fixture *f, const char *made, const char *text,
                           const char *dropped) {
  tune_database *database;
  run_sql(f, made);
  assert_fails(tune_database_open(f->path, &database), TUNE_FAILED_PRECONDITION, text);
  assert_fails(tune_database_open_read_only(f->path, &database), TUNE_FAILED_PRECONDITION, text);
  run_sql(f, dropped);
  assert_ok(tune_database_open(f->path, &database));
  tune_database_destroy(database);
}

// What could change, or keep out, what is to be kept is named, with how to be rid of it.
static void strangers_that_may_do_harm_are_refused(void **state) {
  fixture *f = *state;
  tune_database_destroy(make_database(f));
  expect_refused(f, "CREATE TRIGGER keep_few AFTER INSERT ON TRIALS BEGIN DELETE FROM trials; END",
                 "tune.db: has a trigger that is not mlir-tune's and may change what is kept, "
                 "keep_few; `sqlite3 FILE 'DROP TRIGGER \"keep_few\"'` drops it",
                 "DROP TRIGGER \"keep_few\"");
  expect_refused(f, "CREATE TRIGGER winners DELETE ON tasks BEGIN SELECT 1; END",
                 "'DROP TRIGGER \"winners\"'", "DROP TRIGGER winners");
  expect_refused(f, "CREATE TRIGGER \"it's\x1b[2J\" UPDATE ON fingerprints BEGIN SELECT 1; END",
                 "may change what is kept; `sqlite3 FILE .schema` shows it, drop it",
                 "DROP TRIGGER \"it's\x1b[2J\"");
  expect_refused(f, "CREATE UNIQUE INDEX once ON trials(task, fingerprint, config, seconds)",
                 "has a unique index that is not mlir-tune's and may keep records out, once; "
                 "`sqlite3 FILE 'DROP INDEX \"once\"'` drops it",
                 "DROP INDEX \"once\"");
}

// What is missing of our own, or has our name and is another one, is damage.
static void our_own_names_are_ours(void **state) {
  fixture *f = *state;
  static const char *const changes[] = {
      "DROP INDEX winners",
      "DROP INDEX trials_doubts; CREATE INDEX trials_doubts ON trials(task, fingerprint)",
      "DROP INDEX tasks_alike; CREATE VIEW tasks_alike AS SELECT 1",
      "DROP INDEX trials_failures; CREATE TABLE trials_failures(n)",
      "ALTER TABLE trials ADD COLUMN mine",
      "DROP TABLE conditions",
  };
  for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) {
    tune_database *database = make_database(f);
    tune_database_destroy(database);
    run_sql(f, changes[i]);
    assert_fails(tune_database_open(f->path, &database), TUNE_DATA_LOSS,
                 "its schema is not what was written");
    assert_int_equal(unlink(f->path), 0);
  }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(changed_bytes_are_told_or_do_no_harm),
      TEST(damaged_rows_are_told),
      TEST(damaged_rows_are_left_out),
      TEST(damaged_files_are_told_of),
      TEST(damaged_rows_are_put_right),
      TEST(indices_may_mislead),
      TEST(strangers_that_do_no_harm_are_left_alone),
      TEST(strangers_that_may_do_harm_are_refused),
      TEST(our_own_names_are_ours),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
