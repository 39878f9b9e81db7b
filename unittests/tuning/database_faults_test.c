//===- database_faults_test.c - Killed writers, damage, locks --------------------------===//

#include "support/clock.h"
#include "tuning/database/database_transfer.h"
#include "tuning/database/database_upkeep.h"
#include "unittests/tuning/database_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>

//===- Killed writers ---------------------------------------------------------===//

static tune_record numbered_record(char *config, size_t size, int writer, unsigned number) {
  snprintf(config, size, "{\"writer\":%d,\"n\":%u}", writer, number);
  tune_record record = make_record(0.5, config);
  record.created_ms = number;
  return record;
}

// Appends until it is killed, and writes the number of each record to `acknowledge` after it was
// appended. Exits with 1 where something fails.
_Noreturn static void write_until_killed(const fixture *f, int writer, int acknowledge) {
  tune_database *database = NULL;
  if (!tune_status_is_ok(tune_database_open(f->path, &database)))
    _exit(1);
  for (unsigned number = 0;; ++number) {
    char config[64];
    tune_record record = numbered_record(config, sizeof config, writer, number);
    if (!tune_status_is_ok(tune_database_append(database, &record)))
      _exit(1);
    if (write(acknowledge, &number, sizeof number) != sizeof number)
      _exit(1);
  }
}

typedef struct writer {
  pid_t pid;
  int acknowledged; // end of a pipe
} writer;

static writer start_writer(const fixture *f, int number) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    close(ends[0]);
    write_until_killed(f, number, ends[1]);
  }
  close(ends[1]);
  return (writer){.pid = pid, .acknowledged = ends[0]};
}

// Reads acknowledgements until there are `least`, kills the writer, and returns how many there
// were.
static unsigned kill_after(writer *w, unsigned least) {
  unsigned number = 0, count = 0;
  while (count < least) {
    assert_int_equal(read(w->acknowledged, &number, sizeof number), sizeof number);
    ++count;
  }
  assert_int_equal(kill(w->pid, SIGKILL), 0);
  while (read(w->acknowledged, &number, sizeof number) == sizeof number)
    ++count;
  close(w->acknowledged);
  int status;
  assert_int_equal(waitpid(w->pid, &status, 0), w->pid);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  return count;
}

// Each record is the next of its writer: nothing missing, nothing twice.
static tune_status check_order(void *user, const tune_record *record) {
  unsigned *next = user, number;
  int who;
  assert_int_equal(sscanf(record->config, "{\"writer\":%d,\"n\":%u}", &who, &number), 2);
  assert_int_equal(number, next[who]);
  ++next[who];
  return TUNE_OK;
}

// However a writer is killed, what it was told is kept is there, whole; at most the record it was
// about to be told of is there as well.
static void killed_writers_lose_nothing(void **state) {
  fixture *f = *state;
  tune_database_destroy(open_with_task(f));
  unsigned acknowledged[20] = {0};
  for (int round = 0; round < 20; ++round) {
    writer w = start_writer(f, round);
    acknowledged[round] = kill_after(&w, (unsigned)(1 + round * 3));
  }
  tune_database *database = NULL;
  assert_ok(tune_database_open(f->path, &database));
  unsigned found[20] = {0};
  assert_ok(tune_database_load(database, "aaaa", "ffff", check_order, found));
  for (int round = 0; round < 20; ++round)
    assert_true(found[round] == acknowledged[round] || found[round] == acknowledged[round] + 1);
  assert_sound(database);
  tune_database_destroy(database);
}

// Two processes write at once; both get through, and one's death does not hurt the other.
static void two_writers_get_along(void **state) {
  fixture *f = *state;
  tune_database_destroy(open_with_task(f));
  writer a = start_writer(f, 0), b = start_writer(f, 1);
  unsigned acknowledged[2];
  acknowledged[0] = kill_after(&a, 200);
  acknowledged[1] = kill_after(&b, 400);
  tune_database *database = NULL;
  assert_ok(tune_database_open_read_only(f->path, &database));
  unsigned found[2] = {0};
  assert_ok(tune_database_load(database, "aaaa", "ffff", check_order, found));
  for (int i = 0; i < 2; ++i)
    assert_true(found[i] == acknowledged[i] || found[i] == acknowledged[i] + 1);
  assert_sound(database);
  tune_database_destroy(database);
}

// Six processes make the database at `path` at once; all of them end up with it.
static void make_by_several(const char *path) {
  pid_t children[6];
  for (size_t i = 0; i < 6; ++i) {
    children[i] = fork();
    assert_true(children[i] >= 0);
    if (children[i] == 0) {
      tune_database *database = NULL;
      tune_status status = tune_database_open(path, &database);
      if (tune_status_is_ok(status))
        status = tune_database_put_fingerprint(database, "ffff", "cpu", "{}");
      tune_database_destroy(database);
      if (!tune_status_is_ok(status))
        fprintf(stderr, "process %zu: %s\n", i, tune_status_get_message(status));
      _exit(tune_status_is_ok(status) ? 0 : 1);
    }
  }
  bool all = true;
  for (size_t i = 0; i < 6; ++i) {
    int status;
    assert_int_equal(waitpid(children[i], &status, 0), children[i]);
    all = all && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  assert_true(all);
}

// Often enough for each of them to be between any two steps of the others.
static void a_new_database_may_be_made_by_several(void **state) {
  fixture *f = *state;
  for (int round = 0; round < 50; ++round) {
    char path[128];
    snprintf(path, sizeof path, "%s/%d.db", f->folder, round);
    make_by_several(path);
  }
}

// An import that is killed in the middle leaves nothing of itself.
static void a_killed_import_leaves_nothing(void **state) {
  fixture *f = *state;
  tune_database_destroy(open_with_task(f));
  int lines[2];
  assert_int_equal(pipe(lines), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    close(lines[1]);
    tune_database *database = NULL;
    tune_database_transfer done;
    FILE *stream = fdopen(lines[0], "r");
    if (stream && tune_status_is_ok(tune_database_open(f->path, &database)))
      tune_status_free(tune_database_import(database, stream, "pipe", &done));
    _exit(1);
  }
  close(lines[0]);
  FILE *stream = fdopen(lines[1], "w");
  fprintf(stream, "{\"kind\":\"header\",\"format\":\"mlir-tune\",\"version\":1}\n");
  for (unsigned number = 0; number < 2000; ++number) {
    char config[64];
    tune_record record = numbered_record(config, sizeof config, 0, number);
    json_t *object = NULL;
    assert_ok(tune_record_to_json(&record, &object));
    json_dumpf(object, stream, JSON_COMPACT);
    fputc('\n', stream);
    json_decref(object);
  }
  // The pipe holds less than that: the child is in the middle of it by now.
  fflush(stream);
  assert_int_equal(kill(child, SIGKILL), 0);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
  fclose(stream);
  tune_database *database = NULL;
  assert_ok(tune_database_open(f->path, &database));
  assert_int_equal(count_records(database), 0);
  assert_sound(database);
  tune_database_destroy(database);
}

//===- Locks and permissions --------------------------------------------------===//

// A writer waits for another as long as it was told to, and no longer; readers do not wait.
static void locks_end_the_wait(void **state) {
  fixture *f = *state;
  tune_database *database = open_with_task(f);
  tune_record record = make_record(0.5, "{}");
  assert_ok(tune_database_append(database, &record));
  sqlite3 *other = NULL;
  assert_int_equal(sqlite3_open(f->path, &other), SQLITE_OK);
  assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);

  tune_database_set_wait(database, 0.2);
  record.created_ms += 1;
  double start = tune_clock_seconds();
  assert_fails(tune_database_append(database, &record), TUNE_DEADLINE_EXCEEDED,
               "the database is locked: another process has kept it for over 0.2 s");
  double waited = tune_clock_seconds() - start;
  assert_true(waited > 0.1 && waited < 120);
  assert_int_equal(count_records(database), 1);

  assert_int_equal(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(other);
  assert_ok(tune_database_append(database, &record));
  assert_int_equal(count_records(database), 2);
  tune_database_destroy(database);
}

// Runs `body` in a child without root's powers, who does not own the database. The child may not
// use cmocka's assertions, which would go on with the other tests; it gives 0, or the line that
// failed.
static void as_nobody(int (*body)(const fixture *), const fixture *f) {
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
      _exit(1);
    int line = body(f);
    if (line)
      dprintf(2, "failed in line %d\n", line);
    _exit(line != 0);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

// Frees `status`.
static bool is_failure(tune_status status, const char *text) {
  bool is = tune_status_get_code(status) == TUNE_FAILED_PRECONDITION &&
            strstr(tune_status_get_message(status), text);
  if (!is)
    dprintf(2, "%s\n", tune_status_get_message(status));
  tune_status_free(status);
  return is;
}

static int read_but_not_write(const fixture *f) {
  tune_database *database = NULL;
  if (!is_failure(tune_database_open(f->path, &database), "may not be written"))
    return __LINE__;
  if (!tune_status_is_ok(tune_database_open_read_only(f->path, &database)))
    return __LINE__;
  size_t count = 0;
  if (!tune_status_is_ok(tune_database_load(database, NULL, NULL, count_record, &count)) ||
      count != 1)
    return __LINE__;
  tune_record record = make_record(0.7, "{}");
  if (!is_failure(tune_database_append(database, &record), "may not be written"))
    return __LINE__;
  tune_database_prune_result result;
  tune_database_prune_options options = {.keep_best = 1};
  if (!is_failure(tune_database_prune(database, &options, &result), "may not be written"))
    return __LINE__;
  tune_database_destroy(database);
  return 0;
}

static int not_even_read(const fixture *f) {
  tune_database *database = NULL;
  if (!is_failure(tune_database_open_read_only(f->path, &database), "may not be read"))
    return __LINE__;
  return 0;
}

// Without the permission to write, also in the folder, reading works and writing is refused.
static void permissions_are_respected(void **state) {
  fixture *f = *state;
  tune_database *database = open_with_task(f);
  tune_record record = make_record(0.5, "{}");
  assert_ok(tune_database_append(database, &record));
  tune_database_destroy(database);
  assert_int_equal(chmod(f->path, 0444), 0);
  assert_int_equal(chmod(f->folder, 0555), 0);
  as_nobody(read_but_not_write, f);
  assert_int_equal(chmod(f->path, 0000), 0);
  as_nobody(not_even_read, f);
  assert_int_equal(chmod(f->folder, 0700), 0);
}

// A reader sees what a killed writer left in the log, and says so where it cannot.
static void logs_are_not_passed_over(void **state) {
  fixture *f = *state;
  tune_database_destroy(open_with_task(f));
  writer w = start_writer(f, 0);
  unsigned count = kill_after(&w, 10);
  tune_database *database = NULL;
  assert_ok(tune_database_open_read_only(f->path, &database));
  assert_true(count_records(database) >= count);
  tune_database_destroy(database);
}

//===- Damage -----------------------------------------------------------------===//

static void count_problem(void *user, const char *problem) {
  (void)problem;
  ++*(size_t *)user;
}

// A record is as it was written, or is not given out.
static tune_status check_unchanged(void *user, const tune_record *record) {
  unsigned number;
  int who;
  assert_int_equal(sscanf(record->config, "{\"writer\":%d,\"n\":%u}", &who, &number), 2);
  char config[64];
  tune_record written = numbered_record(config, sizeof config, 0, number);
  assert_string_equal(record->config, config);
  assert_int_equal(record->created_ms, written.created_ms);
  assert_true(record->time.median == written.time.median);
  assert_true(record->time.low == written.time.low);
  assert_int_equal(record->verdict, written.verdict);
  assert_string_equal(record->strategy, written.strategy);
  assert_string_equal(record->task, written.task);
  return count_record(user, record);
}

// Everything that reads; each may find damage, and says so.
static bool finds_damage(const char *path) {
  tune_database *database = NULL;
  tune_status status = tune_database_open(path, &database);
  size_t count = 0, problems = 0;
  uint64_t counted = 0;
  if (tune_status_is_ok(status))
    status = tune_database_load(database, NULL, NULL, check_unchanged, &count);
  if (tune_status_is_ok(status))
    status = tune_database_check(database, count_problem, &problems, &counted);
  tune_status_code code = tune_status_get_code(status);
  if (!tune_status_is_ok(status) && code != TUNE_DATA_LOSS && code != TUNE_FAILED_PRECONDITION)
    fail_msg("%s", tune_status_get_message(status));
  assert_int_equal(problems, counted);
  tune_status_free(status);
  tune_database_destroy(database);
  return code != TUNE_STATUS_OK || problems > 0;
}

// The bytes of a database with 50 records, without a log.
static char *make_bytes(const fixture *f, size_t *out_size) {
  tune_database *database = open_with_task(f);
  for (unsigned number = 0; number < 50; ++number) {
    char config[64];
    tune_record record = numbered_record(config, sizeof config, 0, number);
    assert_ok(tune_database_append(database, &record));
  }
  tune_database_destroy(database);
  char *bytes;
  assert_ok(tune_file_read(f->path, &bytes, out_size));
  return bytes;
}

// Cut off anywhere, a database is found to be damaged (or, with nothing left of it, to be empty),
// and nothing crashes.
static void cut_files_are_damaged(void **state) {
  fixture *f = *state;
  size_t size;
  char *bytes = make_bytes(f, &size);
  assert_true(size > 30000);
  for (size_t length = 2; length < size; length += length < 200 ? 13 : 1777) {
    assert_ok(tune_file_write(f->path, bytes, length));
    if (!finds_damage(f->path))
      fail_msg("cut to %zu of %zu bytes and not noticed", length, size);
  }
  free(bytes);
}

static void write_text(const fixture *f, const char *text) {
  assert_ok(tune_file_write(f->path, text, strlen(text)));
}

// What is not our database is said to be that, and left alone.
static void strange_files_are_refused(void **state) {
  fixture *f = *state;
  tune_database *database = NULL;
  write_text(f, "this is not a database, but long enough to have a header of one: "
                "................................................................");
  assert_fails(tune_database_open(f->path, &database), TUNE_DATA_LOSS, "not a database");
  assert_null(database);
  assert_int_equal(unlink(f->path), 0);
  run_sql(f, "CREATE TABLE t(x)");
  assert_fails(tune_database_open(f->path, &database), TUNE_FAILED_PRECONDITION, "another program");
  assert_int_equal(unlink(f->path), 0);
  write_text(f, "");
  assert_fails(tune_database_open_read_only(f->path, &database), TUNE_NOT_FOUND, "is empty");
  tune_database_destroy(open_with_task(f));
  run_sql(f, "PRAGMA user_version = 12");
  assert_fails(tune_database_open(f->path, &database), TUNE_FAILED_PRECONDITION,
               "newer mlir-tune (schema 12, this one knows up to 11)");
  assert_fails(tune_database_open_read_only(f->path, &database), TUNE_FAILED_PRECONDITION,
               "newer mlir-tune");
  assert_fails(tune_database_open("", &database), TUNE_INVALID_ARGUMENT, "empty");
  assert_fails(tune_database_open(f->folder, &database), TUNE_FAILED_PRECONDITION, "is a folder");
  assert_fails(tune_database_open("/no/such/folder/x.db", &database), TUNE_NOT_FOUND,
               "its folder does not exist");
}

// Values that SQLite lets pass but a record cannot have are damage, not data.
static void impossible_values_are_damage(void **state) {
  static const char *const changes[] = {
      "UPDATE trials SET verdict = 'great'",
      "UPDATE trials SET kind = 'loser'",
      "UPDATE trials SET seconds = -1",
      "UPDATE trials SET seconds = 'fast'",
      "UPDATE trials SET seconds = seconds / 2",
      "UPDATE trials SET figures = x'00'",
      "UPDATE trials SET figures = x''",
      "UPDATE trials SET figures = 'fast'",
      "UPDATE trials SET config = '{'",
      "UPDATE trials SET config = x'00ff00'",
      "UPDATE trials SET config = config || char(0)",
      "UPDATE trials SET schedule = ''",
      "UPDATE trials SET artifact = NULL",
      "UPDATE trials SET created_ms = 'today'",
      "UPDATE trials SET conditions = 77",
      "UPDATE trials SET conditions = NULL",
      "UPDATE conditions SET description = '{}'",
      "UPDATE conditions SET description = replace(description, '0.25', '0.5')",
      "DELETE FROM conditions",
  };
  fixture *f = *state;
  for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) {
    tune_database *database = open_with_task(f);
    tune_record record = make_record(0.5, "{}");
    give_reasons(&record);
    assert_ok(tune_database_append(database, &record));
    tune_database_destroy(database);
    run_sql(f, changes[i]);
    assert_ok(tune_database_open(f->path, &database));
    size_t count = 0;
    assert_fails(tune_database_load(database, NULL, NULL, count_record, &count), TUNE_DATA_LOSS,
                 "a record is damaged");
    assert_int_equal(count, 0);
    tune_database_destroy(database);
    assert_int_equal(unlink(f->path), 0);
  }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(killed_writers_lose_nothing),
      TEST(two_writers_get_along),
      TEST(a_new_database_may_be_made_by_several),
      TEST(a_killed_import_leaves_nothing),
      TEST(locks_end_the_wait),
      TEST(permissions_are_respected),
      TEST(logs_are_not_passed_over),
      TEST(cut_files_are_damaged),
      TEST(strange_files_are_refused),
      TEST(impossible_values_are_damage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
