//===- database_trials.c - Keeping records and finding them again ------------===//

#include "tuning/database/database_internal.h"

#include <string.h>

tune_status tune_database_append(tune_database *database, const tune_record *record) {
  // One statement is one transaction.
  bool is_new;
  return tune_database_insert_record(database, record, &is_new);
}

static bool is_or_any(const char *text, const char *wanted) {
  return !wanted || strcmp(text, wanted) == 0;
}

tune_status tune_database_read_record_of(tune_database *database, sqlite3_stmt *statement,
                                         const char *task, const char *fingerprint,
                                         const char *schedule, tune_record *out_record) {
  TUNE_RETURN_IF_ERROR(tune_database_read_record(database, statement, out_record));
  if (is_or_any(out_record->task, task) && is_or_any(out_record->fingerprint, fingerprint) &&
      is_or_any(out_record->schedule, schedule))
    return TUNE_OK;
  tune_record_deinit(out_record);
  return tune_database_damaged(
      database, "an index",
      tune_status_make(TUNE_DATA_LOSS, "it leads to a record of something else"));
}

// What the rows are to be of, and who gets them.
typedef struct rows {
  const char *task, *fingerprint, *schedule; // NULL: any
  tune_record_visitor visit;
  void *user;
} rows;

static tune_status visit_rows(tune_database *database, sqlite3_stmt *statement, const rows *of) {
  bool row = true;
  tune_status status = TUNE_OK;
  while (tune_status_is_ok(status)) {
    status = tune_database_step(database, statement, &row);
    if (!tune_status_is_ok(status) || !row)
      break;
    tune_record record;
    bool is_left_out;
    status = tune_database_read_record_of(database, statement, of->task, of->fingerprint,
                                          of->schedule, &record);
    status = tune_database_pass_over(database, status, &is_left_out);
    if (tune_status_is_ok(status) && !is_left_out)
      status = of->visit(of->user, &record);
    tune_record_deinit(&record);
  }
  return status;
}

#define OF_TASK_AND_FINGERPRINT                                                                    \
  "SELECT " TUNE_DATABASE_RECORD_COLUMNS " FROM tasks AS t JOIN fingerprints AS f JOIN trials AS " \
  "r  ON r.task = t.id AND r.fingerprint = f.id WHERE t.key = ?1 AND f.digest = ?2"
#define IN_ORDER " ORDER BY r.created_ms, r.id"

tune_status tune_database_load(tune_database *database, const char *task, const char *fingerprint,
                               tune_record_visitor visit, void *user) {
  sqlite3_stmt *statement = NULL;
  const rows of = {task, fingerprint, NULL, visit, user};
  // Two texts, since with "?1 IS NULL OR" SQLite would not use the index.
  tune_status status = tune_database_prepare(
      database,
      task && fingerprint ? OF_TASK_AND_FINGERPRINT IN_ORDER
                          : "SELECT " TUNE_DATABASE_RECORD_COLUMNS
                            " FROM trials AS r JOIN tasks AS t ON t.id = r.task"
                            "  JOIN fingerprints AS f ON f.id = r.fingerprint"
                            "  WHERE (?1 IS NULL OR t.key = ?1) AND (?2 IS NULL OR f.digest = ?2)"
                            "  ORDER BY r.task, r.fingerprint, r.created_ms, r.id",
      &statement);
  if (tune_status_is_ok(status))
    status = tune_database_bind(database, statement, "tt", task, fingerprint);
  if (tune_status_is_ok(status))
    status = visit_rows(database, statement, &of);
  sqlite3_finalize(statement);
  return status;
}

// Those of one kind, and of the schedule of `of` where it has one.
static tune_status load_kind(tune_database *database, const char *kind, const rows *of) {
  sqlite3_stmt *statement = NULL;
  tune_status status = tune_database_prepare(
      database,
      OF_TASK_AND_FINGERPRINT " AND r.kind = ?3 AND (?4 IS NULL OR r.schedule = ?4)" IN_ORDER,
      &statement);
  if (tune_status_is_ok(status))
    status = tune_database_bind(database, statement, "tttt", of->task, of->fingerprint, kind,
                                of->schedule);
  if (tune_status_is_ok(status))
    status = visit_rows(database, statement, of);
  sqlite3_finalize(statement);
  return status;
}

tune_status tune_database_load_demotions(tune_database *database, const char *task,
                                         const char *fingerprint, const char *schedule,
                                         tune_record_visitor visit, void *user) {
  return load_kind(database, "demotion", &(rows){task, fingerprint, schedule, visit, user});
}

tune_status tune_database_load_groupings(tune_database *database, const char *task,
                                         const char *fingerprint, tune_record_visitor visit,
                                         void *user) {
  return load_kind(database, "grouping", &(rows){task, fingerprint, NULL, visit, user});
}

// Reads the row there is, and looks whether it is the only one.
static tune_status read_only_record(tune_database *database, sqlite3_stmt *statement,
                                    const char *text, tune_record *out_record) {
  bool row;
  TUNE_RETURN_IF_ERROR(tune_database_step(database, statement, &row));
  if (!row)
    return tune_status_make(TUNE_NOT_FOUND, "%s: no record '%s'; `tune-db show TASK` names them",
                            database->path, text);
  TUNE_RETURN_IF_ERROR(tune_database_read_record(database, statement, out_record));
  tune_status status = tune_database_step(database, statement, &row);
  if (tune_status_is_ok(status) && row)
    status = tune_status_make(TUNE_INVALID_ARGUMENT,
                              "%s: several records begin with '%s'; give more of it",
                              database->path, text);
  if (!tune_status_is_ok(status))
    tune_record_deinit(out_record);
  return status;
}

tune_status tune_database_find_record(tune_database *database, const char *text,
                                      tune_record *out_record) {
  tune_record_init(out_record);
  sqlite3_stmt *statement = NULL;
  // A range of the index; "g" comes after all digits of a digest.
  TUNE_RETURN_IF_ERROR(tune_database_prepare(
      database,
      "SELECT " TUNE_DATABASE_RECORD_COLUMNS " FROM trials AS r JOIN tasks AS t ON t.id = r.task"
      "  JOIN fingerprints AS f ON f.id = r.fingerprint"
      "  WHERE r.digest >= ?1 AND r.digest < ?1 || 'g' AND length(?1) > 0 LIMIT 2",
      &statement));
  tune_status status = tune_database_bind(database, statement, "t", text);
  if (tune_status_is_ok(status))
    status = read_only_record(database, statement, text, out_record);
  sqlite3_finalize(statement);
  return status;
}

//===- As a store -------------------------------------------------------------===//

static tune_status store_append(void *self, const tune_record *record) {
  return tune_database_append(self, record);
}

static tune_status store_load(void *self, const char *task, const char *fingerprint,
                              tune_record_visitor visit, void *user) {
  return tune_database_load(self, task, fingerprint, visit, user);
}

tune_record_store tune_database_store(tune_database *database) {
  return (tune_record_store){.self = database, .append = store_append, .load = store_load};
}
