//===- database_fixture.h - A database in a scratch folder, and things to put in it -===//
//
// Asserts on every failure; the functions are for tests only.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_TUNING_DATABASE_FIXTURE_H
#define TUNE_UNITTESTS_TUNING_DATABASE_FIXTURE_H

#include "support/file.h"
#include "tuning/database/database_transfer.h"
#include "tuning/database/database_upkeep.h"

#include <math.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

typedef struct fixture {
  char folder[64];
  char path[96];
} fixture;

// `status` has `code` and a message with `text` in it. Frees it.
static inline void assert_fails(tune_status status, tune_status_code code, const char *text) {
  if (tune_status_get_code(status) != code || !strstr(tune_status_get_message(status), text))
    fail_msg("expected %s with '%s', got %s: %s", tune_status_code_name(code), text,
             tune_status_is_ok(status) ? "OK" : tune_status_code_name(tune_status_get_code(status)),
             tune_status_get_message(status));
  tune_status_free(status);
}

static inline int fixture_setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  strcpy(f->folder, "/tmp/tune_database_test.XXXXXX");
  assert_non_null(mkdtemp(f->folder));
  snprintf(f->path, sizeof f->path, "%s/tune.db", f->folder);
  *state = f;
  return 0;
}

static inline int fixture_teardown(void **state) {
  fixture *f = *state;
  assert_ok(tune_file_remove_tree(f->folder));
  free(f);
  return 0;
}

static inline void put_task(tune_database *database, const char *key, int64_t m, int64_t n,
                            int64_t k) {
  int64_t extents[] = {m, n, k};
  char name[64];
  snprintf(name, sizeof name, "matmul %lldx%lldx%lld f32", (long long)m, (long long)n,
           (long long)k);
  tune_kept_task task = {.key = (char *)key,
                         .kind = "contraction",
                         .name = name,
                         .type = "f32",
                         .payload = "func.func @tune_task() { return }\n",
                         .flops = 2.0 * fabs((double)m * (double)n * (double)k),
                         .bytes = 4.0 * fabs((double)(m * k + k * n + m * n)),
                         .rank = 3,
                         .extents = extents};
  assert_ok(tune_database_put_task(database, &task));
}

static inline void put_fingerprint(tune_database *database, const char *digest) {
  assert_ok(tune_database_put_fingerprint(database, digest, "cpu", "{\"model\":\"Test 1\"}"));
}

// To a file behind the back of whoever has it open.
static inline void run_sql(const fixture *f, const char *sql) {
  sqlite3 *connection = NULL;
  assert_int_equal(sqlite3_open(f->path, &connection), SQLITE_OK);
  assert_int_equal(sqlite3_exec(connection, sql, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(connection);
}

// A database with the task "aaaa" and the fingerprint "ffff".
static inline tune_database *open_with_task(const fixture *f) {
  tune_database *database = NULL;
  assert_ok(tune_database_open(f->path, &database));
  put_task(database, "aaaa", 512, 1024, 1024);
  put_fingerprint(database, "ffff");
  return database;
}

static double fixture_samples[3];

// A good trial of "aaaa" on "ffff", with a median of `seconds`. Borrows everything.
static inline tune_record make_record(double seconds, const char *config) {
  fixture_samples[0] = seconds;
  fixture_samples[1] = seconds * 0.99;
  fixture_samples[2] = seconds * 1.01;
  return (tune_record){.kind = TUNE_RECORD_TRIAL,
                       .task = "aaaa",
                       .fingerprint = "ffff",
                       .schedule = "5c4ed01e",
                       .config = (char *)config,
                       .verdict = TUNE_VERDICT_OK,
                       .digest = "0123456789abcdef",
                       .time = {.median = seconds,
                                .low = seconds * 0.99,
                                .high = seconds * 1.01,
                                .repeats = 10,
                                .samples = fixture_samples,
                                .sample_count = 3},
                       .run.check.is_known = true,
                       .run.check.error = 1e-6,
                       .run.check.tolerance = 1e-4,
                       .stage_seconds = {0.01, 0.02, 0.03, 0.04, 0.05, 0.06},
                       .strategy = "evolutionary",
                       .seed = UINT64_MAX - 1,
                       .created_ms = 1700000000000};
}

// What the check allowed for, counters of which some are missing, and what the machine was like.
static inline void give_reasons(tune_record *record) {
  record->run.check = (tune_check_result){.is_known = true,
                                          .error = 0.0625,
                                          .tolerance = 0.125,
                                          .type = "bf16",
                                          .accumulator = "f32",
                                          .operands = "tf32",
                                          .reduction = 512,
                                          .magnitude = 14.25,
                                          .leeway = 0.03125,
                                          .is_sparse = true};
  record->run.counts = (tune_counts){0};
  record->run.counts.is_known[TUNE_COUNT_CYCLES] = record->run.counts.is_known[TUNE_COUNT_FLOPS] =
      true;
  record->run.counts.is_known[TUNE_COUNT_CONTEXT_SWITCHES] = true;
  record->run.counts.of_run[TUNE_COUNT_CYCLES] = 1e9;
  record->run.counts.of_run[TUNE_COUNT_FLOPS] = 3e9;
  record->conditions = (tune_kept_conditions){.is_known = true,
                                              .cpus = "1-3,6",
                                              .governor = "powersave",
                                              .load = 0.07,
                                              .others_busy = -1,
                                              .cpu_count = 8,
                                              .stolen = 0.25};
}

static inline tune_record make_failure(tune_verdict verdict, const char *config,
                                       const char *error) {
  tune_record record = make_record(1, config);
  record.verdict = verdict;
  record.error = (char *)error;
  record.time = (tune_timing){0};
  record.run.check.is_known = false;
  return record;
}

static inline void append_record(tune_database *database, tune_record_kind kind,
                                 const char *schedule, double seconds, const char *config,
                                 int64_t created_ms) {
  tune_record record = make_record(seconds, config);
  record.kind = kind;
  record.schedule = (char *)schedule;
  record.created_ms = created_ms;
  assert_ok(tune_database_append(database, &record));
}

static inline tune_status count_record(void *user, const tune_record *record) {
  (void)record;
  ++*(size_t *)user;
  return TUNE_OK;
}

static inline size_t count_records(tune_database *database) {
  size_t count = 0;
  assert_ok(tune_database_load(database, NULL, NULL, count_record, &count));
  return count;
}

// Imports `text` as the file `name`.
static inline tune_status import_text(tune_database *database, const char *text, const char *name,
                                      tune_database_transfer *done) {
  FILE *stream = fmemopen((char *)text, strlen(text), "r");
  assert_non_null(stream);
  tune_status status = tune_database_import(database, stream, name, done);
  fclose(stream);
  return status;
}

// All of it as lines. Free them, also after an error.
static inline tune_status export_text(tune_database *database, char **out_text) {
  size_t size;
  FILE *stream = open_memstream(out_text, &size);
  assert_non_null(stream);
  tune_database_transfer done;
  tune_status status = tune_database_export(database, NULL, NULL, stream, "memory", &done);
  fclose(stream);
  return status;
}

static inline void no_problem(void *user, const char *problem) {
  (void)user;
  fail_msg("%s", problem);
}

// Nothing in it is damaged.
static inline void assert_sound(tune_database *database) {
  uint64_t problems = 0;
  assert_ok(tune_database_check(database, no_problem, NULL, &problems));
  assert_int_equal(problems, 0);
}

#endif // TUNE_UNITTESTS_TUNING_DATABASE_FIXTURE_H
