//===- database_upkeep.c ------------------------------------------------------===//

#include "tuning/database/database_upkeep.h"
#include "support/clock.h"

#include "tuning/database/database_internal.h"

#include <stdlib.h>
#include <string.h>

//===- Prune ------------------------------------------------------------------===//

// How long a task without records is left alone, see the header.
static const int64_t day_ms = 24 * 3600 * 1000;

// Of each task, fingerprint and schedule, what tune_database_best gives: the last winner (class 0),
// or else, where that is taken back, the fastest trial (1), or the last winner that is not (2).
#define BEST_OF_EACH                                                                               \
  "good AS MATERIALIZED (SELECT r.id, r.task, r.fingerprint, r.schedule, r.kind, r.created_ms,"    \
  "      r.seconds, " TUNE_DATABASE_IS_TAKEN_BACK " AS is_taken_back"                              \
  "    FROM trials AS r WHERE r.verdict = 'ok' AND r.kind IN ('trial', 'winner')"                  \
  "      AND NOT (r.kind = 'winner' AND " TUNE_DATABASE_NEVER_WON ")),"                            \
  "  classes AS (SELECT *, CASE WHEN kind = 'trial' THEN 1 WHEN row_number() OVER"                 \
  "        (PARTITION BY task, fingerprint, schedule, kind ORDER BY created_ms DESC, id DESC) = 1" \
  "      THEN 0 ELSE 2 END AS class FROM good),"                                                   \
  "  best AS (SELECT id FROM (SELECT id, row_number() OVER"                                        \
  "      (PARTITION BY task, fingerprint, schedule ORDER BY class,"                                \
  "        CASE class WHEN 1 THEN seconds ELSE -created_ms END,"                                   \
  "        CASE class WHEN 1 THEN id ELSE -id END) AS place"                                       \
  "    FROM classes WHERE NOT is_taken_back) WHERE place = 1)"

// What takes back something that is not too old to stay.
#define REASONS                                                                                    \
  "reasons AS (SELECT x.id FROM trials AS r CROSS JOIN " TUNE_DATABASE_FAILURES                    \
  "      WHERE ?3 > 0 AND r.verdict = 'ok' AND r.created_ms >= ?3"                                 \
  "        AND " TUNE_DATABASE_IS_FAILURE_OF_IT                                                    \
  "    UNION SELECT x.id FROM trials AS r CROSS JOIN " TUNE_DATABASE_DOUBTS                        \
  "      WHERE ?3 > 0 AND r.verdict = 'ok' AND r.created_ms >= ?3"                                 \
  "        AND " TUNE_DATABASE_IS_DOUBT_OF_IT ")"

static tune_status drop(tune_database *database, const char *sql, const char *task, int64_t number,
                        int64_t before_ms, uint64_t *out_dropped) {
  sqlite3_stmt *statement = NULL;
  TUNE_RETURN_IF_ERROR(tune_database_prepare(database, sql, &statement));
  tune_status status = tune_database_bind(database, statement, "tii", task, number, before_ms);
  bool row;
  if (tune_status_is_ok(status))
    status = tune_database_step(database, statement, &row);
  if (tune_status_is_ok(status))
    *out_dropped = (uint64_t)sqlite3_changes64(database->connection);
  sqlite3_finalize(statement);
  return status;
}

static tune_status count_records(tune_database *database, const char *task, uint64_t *out_count) {
  sqlite3_stmt *statement = NULL;
  TUNE_RETURN_IF_ERROR(tune_database_prepare(database,
                                             "SELECT count(*) FROM trials WHERE ?1 IS NULL"
                                             "  OR task = (SELECT id FROM tasks WHERE key = ?1)",
                                             &statement));
  tune_status status = tune_database_bind(database, statement, "t", task);
  bool row;
  if (tune_status_is_ok(status))
    status = tune_database_step(database, statement, &row);
  if (tune_status_is_ok(status))
    *out_count = (uint64_t)sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return status;
}

static tune_status drop_by_rules(tune_database *database,
                                 const tune_database_prune_options *options,
                                 tune_database_prune_result *result) {
  const char *task = options->task;
  int64_t keep = options->keep_best > INT64_MAX ? INT64_MAX : (int64_t)options->keep_best;
  TUNE_RETURN_IF_ERROR(
      drop(database,
           "WITH " BEST_OF_EACH ", " REASONS ","
           "  fastest AS (SELECT id FROM (SELECT id, row_number() OVER"
           "      (PARTITION BY task, fingerprint ORDER BY seconds, id) AS place"
           "      FROM good WHERE kind = 'trial' AND NOT is_taken_back) WHERE place <= ?2)"
           " DELETE FROM trials WHERE (?1 IS NULL OR task = (SELECT id FROM tasks WHERE key = ?1))"
           "  AND id NOT IN best AND kind IN ('trial', 'winner')"
           "  AND ((?2 > 0 AND id NOT IN fastest)"
           "    OR (?3 > 0 AND created_ms < ?3 AND id NOT IN reasons))",
           task, keep, options->older_than_ms, &result->records));
  int64_t yesterday = tune_clock_date_milliseconds() - day_ms;
  TUNE_RETURN_IF_ERROR(drop(database,
                            "DELETE FROM tasks WHERE (?1 IS NULL OR key = ?1) AND seen_ms < ?3"
                            "  AND ?2 = 0 AND NOT EXISTS(SELECT 1 FROM trials WHERE"
                            "    trials.task = tasks.id)",
                            task, 0, yesterday, &result->tasks));
  TUNE_RETURN_IF_ERROR(drop(database,
                            "DELETE FROM fingerprints WHERE ?1 IS NULL AND seen_ms < ?3"
                            "  AND ?2 = 0 AND id NOT IN (SELECT fingerprint FROM trials)",
                            task, 0, yesterday, &result->fingerprints));
  TUNE_RETURN_IF_ERROR(tune_database_execute(
      database, "DELETE FROM conditions WHERE id NOT IN"
                "  (SELECT conditions FROM trials WHERE conditions IS NOT NULL)"));
  return count_records(database, task, &result->records_left);
}

tune_status tune_database_prune(tune_database *database, const tune_database_prune_options *options,
                                tune_database_prune_result *out_result) {
  *out_result = (tune_database_prune_result){0};
  if (options->keep_best == 0 && options->older_than_ms <= 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "pruning needs a rule: how many trials to keep, or from when on");
  TUNE_RETURN_IF_ERROR(tune_database_begin(database));
  tune_status status = drop_by_rules(database, options, out_result);
  if (tune_status_is_ok(status) && options->dry_run)
    return tune_database_execute(database, "ROLLBACK");
  TUNE_RETURN_IF_ERROR(tune_database_end(database, status));
  return tune_status_annotate(tune_database_execute(database, "VACUUM"),
                              "what was to go is gone, but its space could not be given back");
}

//===- Check ------------------------------------------------------------------===//

typedef struct checker {
  tune_database *database;
  tune_database_problem_visitor visit;
  void *user;
  uint64_t problems;
} checker;

static void report(checker *checking, const char *problem) {
  ++checking->problems;
  checking->visit(checking->user, problem);
}

// Damage is what is being looked for: it becomes a problem, and the looking goes on elsewhere.
static tune_status report_damage(checker *checking, tune_status status) {
  if (tune_status_get_code(status) != TUNE_DATA_LOSS)
    return status;
  report(checking, tune_status_get_message(status));
  tune_status_free(status);
  return TUNE_OK;
}

// `sql` gives a row for each problem, with its text, or "ok".
static tune_status check_by_query(checker *checking, const char *sql) {
  sqlite3_stmt *statement = NULL;
  tune_status status = tune_database_prepare(checking->database, sql, &statement);
  bool row = true;
  while (tune_status_is_ok(status)) {
    status = tune_database_step(checking->database, statement, &row);
    if (!tune_status_is_ok(status) || !row)
      break;
    const char *text = (const char *)sqlite3_column_text(statement, 0);
    if (!text || strcmp(text, "ok") != 0)
      report(checking, text ? text : "a problem without a text");
  }
  sqlite3_finalize(statement);
  return report_damage(checking, status);
}

static tune_status check_task(tune_database *database, sqlite3_stmt *statement) {
  tune_kept_task task;
  TUNE_RETURN_IF_ERROR(tune_database_read_task(database, statement, &task));
  tune_kept_task_deinit(&task);
  return TUNE_OK;
}

static tune_status check_fingerprint(tune_database *database, sqlite3_stmt *statement) {
  tune_database_fingerprint fingerprint;
  TUNE_RETURN_IF_ERROR(tune_database_read_fingerprint(database, statement, &fingerprint));
  tune_database_fingerprint_deinit(&fingerprint);
  return TUNE_OK;
}

static tune_status check_record(tune_database *database, sqlite3_stmt *statement) {
  tune_record record;
  TUNE_RETURN_IF_ERROR(tune_database_read_row(database, statement, &record));
  tune_record_deinit(&record);
  return TUNE_OK;
}

// Runs `check` on every row of `sql`, in which column `id_column` is the row's id in `table`.
static tune_status check_rows(checker *checking, const char *table, const char *sql, int id_column,
                              tune_status (*check)(tune_database *, sqlite3_stmt *)) {
  sqlite3_stmt *statement = NULL;
  tune_status status = tune_database_prepare(checking->database, sql, &statement);
  bool row = true;
  while (tune_status_is_ok(status)) {
    status = tune_database_step(checking->database, statement, &row);
    if (!tune_status_is_ok(status) || !row)
      break;
    long long id = sqlite3_column_int64(statement, id_column);
    status = check(checking->database, statement);
    status = report_damage(checking, tune_status_annotate(status, "%s, row %lld", table, id));
  }
  sqlite3_finalize(statement);
  return report_damage(checking, status);
}

static tune_status check_all(checker *checking) {
  TUNE_RETURN_IF_ERROR(check_by_query(checking, "PRAGMA integrity_check"));
  TUNE_RETURN_IF_ERROR(check_by_query(
      checking, "SELECT 'row ' || rowid || ' of ' || \"table\" || ' refers to a row of ' || parent"
                "  || ' that is not there' FROM pragma_foreign_key_check"));
  TUNE_RETURN_IF_ERROR(check_rows(checking, "tasks",
                                  "SELECT " TUNE_DATABASE_TASK_COLUMNS ", t.id FROM tasks AS t",
                                  TUNE_DATABASE_TASK_WIDTH, check_task));
  TUNE_RETURN_IF_ERROR(check_rows(checking, "fingerprints",
                                  "SELECT " TUNE_DATABASE_FINGERPRINT_COLUMNS
                                  ", f.id FROM fingerprints AS f",
                                  TUNE_DATABASE_FINGERPRINT_WIDTH, check_fingerprint));
  return check_rows(checking, "trials",
                    "SELECT " TUNE_DATABASE_RECORD_COLUMNS ", r.id"
                    "  FROM trials AS r JOIN tasks AS t ON t.id = r.task"
                    "  JOIN fingerprints AS f ON f.id = r.fingerprint",
                    TUNE_DATABASE_RECORD_WIDTH, check_record);
}

tune_status tune_database_check(tune_database *database, tune_database_problem_visitor visit,
                                void *user, uint64_t *out_problems) {
  checker checking = {.database = database, .visit = visit, .user = user};
  tune_status status = check_all(&checking);
  *out_problems = checking.problems;
  return status;
}
