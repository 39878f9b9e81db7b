//===- database_damage.c - Rows that are not what was written ----------------===//

#include "tuning/database/database_internal.h"

#include <string.h>

//===- Digests ----------------------------------------------------------------===//

// With its type, and a text with its length. False where memory runs out.
static bool add_value(tune_digest_stream *stream, sqlite3_value *value) {
  int type = sqlite3_value_type(value);
  tune_digest_stream_add_number(stream, (uint64_t)type);
  if (type == SQLITE_NULL)
    return true;
  if (type == SQLITE_INTEGER) {
    tune_digest_stream_add_number(stream, (uint64_t)sqlite3_value_int64(value));
    return true;
  }
  if (type == SQLITE_FLOAT) {
    tune_digest_stream_add_double(stream, sqlite3_value_double(value));
    return true;
  }
  const void *bytes = type == SQLITE_BLOB ? sqlite3_value_blob(value) : sqlite3_value_text(value);
  size_t size = (size_t)sqlite3_value_bytes(value);
  if (!bytes && (size || type == SQLITE_TEXT))
    return false;
  tune_digest_stream_add_number(stream, size);
  tune_digest_stream_add_bytes(stream, bytes ? bytes : "", size);
  return true;
}

// digest_of(a, b, ...) in SQL.
static void digest_of(sqlite3_context *context, int count, sqlite3_value **values) {
  tune_digest_stream *stream;
  tune_status status = tune_digest_stream_create(&stream);
  bool is_whole = tune_status_is_ok(status);
  tune_status_free(status);
  for (int i = 0; i < count && is_whole; ++i)
    is_whole = add_value(stream, values[i]);
  if (is_whole) {
    tune_digest digest = tune_digest_stream_get(stream);
    sqlite3_result_text(context, digest.text, -1, SQLITE_TRANSIENT);
  } else {
    sqlite3_result_error_nomem(context);
  }
  tune_digest_stream_destroy(stream);
}

tune_status tune_database_add_functions(const tune_database *database) {
  int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
  if (sqlite3_create_function_v2(database->connection, "digest_of", -1, flags, NULL, digest_of,
                                 NULL, NULL, NULL) != SQLITE_OK)
    return tune_database_failure(database);
  return TUNE_OK;
}

//===- The schema -------------------------------------------------------------===//

#define TABLES "('tasks', 'fingerprints', 'trials', 'conditions', 'layout')"
#define INDICES                                                                                    \
  "('tasks_alike', 'trials_in_order', 'trials_by_time', 'trials_by_schedule', 'winners',"          \
  " 'trials_failures', 'trials_doubts')"

// With a letter less SQLite may read a table as another one, and finds nothing wrong with it. What
// is of another name is somebody's own.
#define LAYOUT                                                                                     \
  "(SELECT digest_of(group_concat(name || ' ' || sql, char(10))) FROM (SELECT name, sql"           \
  "  FROM sqlite_schema WHERE sql IS NOT NULL AND tbl_name IN " TABLES "    AND (name IN " TABLES  \
  " OR name IN " INDICES ") ORDER BY name))"

tune_status tune_database_put_layout(const tune_database *database) {
  return tune_database_execute(database,
                               "DELETE FROM layout; INSERT INTO layout(digest) VALUES(" LAYOUT ")");
}

tune_status tune_database_require_layout(const tune_database *database) {
  sqlite3_stmt *statement = NULL;
  TUNE_RETURN_IF_ERROR(
      tune_database_prepare(database, "SELECT digest IS " LAYOUT " FROM layout", &statement));
  bool row;
  tune_status status = tune_database_step(database, statement, &row);
  if (tune_status_is_ok(status) && (!row || !sqlite3_column_int(statement, 0)))
    status = tune_status_make(TUNE_DATA_LOSS,
                              "%s: the database is damaged (its schema is not what was written); "
                              "`sqlite3 FILE .recover` saves what can be saved",
                              database->path);
  sqlite3_finalize(statement);
  return status;
}

static tune_status stranger(const tune_database *database, bool is_trigger, const char *name) {
  const char *what = is_trigger ? "a trigger" : "a unique index";
  const char *harm = is_trigger ? "may change what is kept" : "may keep records out";
  if (!name)
    return tune_database_failure(database);
  // A name may be anything, which is not for a terminal or a shell.
  if (!tune_database_is_key(name))
    return tune_status_make(TUNE_FAILED_PRECONDITION,
                            "%s: has %s that is not mlir-tune's and %s; `sqlite3 FILE .schema` "
                            "shows it, drop it",
                            database->path, what, harm);
  return tune_status_make(TUNE_FAILED_PRECONDITION,
                          "%s: has %s that is not mlir-tune's and %s, %s; "
                          "`sqlite3 FILE 'DROP %s \"%s\"'` drops it",
                          database->path, what, harm, name, is_trigger ? "TRIGGER" : "INDEX", name);
}

tune_status tune_database_refuse_strangers(const tune_database *database) {
  sqlite3_stmt *statement = NULL;
  // A trigger's table is written as whoever made it wrote it.
  TUNE_RETURN_IF_ERROR(tune_database_prepare(
      database,
      "SELECT type = 'trigger', name FROM sqlite_schema WHERE lower(tbl_name) IN " TABLES
      "  AND (type = 'trigger' OR sql LIKE 'CREATE UNIQUE INDEX %') LIMIT 1",
      &statement));
  bool row;
  tune_status status = tune_database_step(database, statement, &row);
  if (tune_status_is_ok(status) && row)
    status = stranger(database, sqlite3_column_int(statement, 0),
                      (const char *)sqlite3_column_text(statement, 1));
  sqlite3_finalize(statement);
  return status;
}

//===- What to do about it ----------------------------------------------------===//

tune_status tune_database_damaged(const tune_database *database, const char *what,
                                  tune_status why) {
  if (tune_status_is_ok(why) || tune_status_get_code(why) == TUNE_OUT_OF_MEMORY)
    return why;
  // SQLite had none for a text, which looks as if there was no text.
  if ((sqlite3_errcode(database->connection) & 0xff) == SQLITE_NOMEM)
    return tune_status_join(tune_database_failure(database), why);
  return tune_status_join(tune_status_make(TUNE_DATA_LOSS,
                                           "%s: %s is damaged (%s); `tune-db check` tells which",
                                           database->path, what, tune_status_get_message(why)),
                          why);
}

void tune_database_leave_out_damage(tune_database *database, tune_database_damage_visitor tell,
                                    void *user) {
  database->leaves_out_damage = true;
  database->tell_damage = tell;
  database->damage_user = user;
}

tune_status tune_database_pass_over(tune_database *database, tune_status status,
                                    bool *out_left_out) {
  *out_left_out = database->leaves_out_damage && tune_status_get_code(status) == TUNE_DATA_LOSS;
  if (!*out_left_out)
    return status;
  if (database->tell_damage)
    database->tell_damage(database->damage_user, tune_status_get_message(status));
  database->tell_damage = NULL;
  tune_status_free(status);
  return TUNE_OK;
}

tune_status tune_database_require_sound(const tune_database *database) {
  sqlite3_stmt *statement = NULL;
  TUNE_RETURN_IF_ERROR(tune_database_prepare(database, "PRAGMA integrity_check(1)", &statement));
  bool row;
  tune_status status = tune_database_step(database, statement, &row);
  const char *text = row ? (const char *)sqlite3_column_text(statement, 0) : NULL;
  if (tune_status_is_ok(status) && (!text || strcmp(text, "ok") != 0))
    status = tune_database_damaged(
        database, "the file", tune_status_make(TUNE_DATA_LOSS, "%s", text ? text : "no reason"));
  sqlite3_finalize(statement);
  return status;
}
