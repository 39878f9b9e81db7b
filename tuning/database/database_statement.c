//===- database_statement.c - Statements on the open connection ---------------===//

#include "tuning/database/database_internal.h"

#include <stdarg.h>

tune_status tune_database_prepare(const tune_database *database, const char *sql,
                                  sqlite3_stmt **out_statement) {
  *out_statement = NULL;
  if (sqlite3_prepare_v3(database->connection, sql, -1, 0, out_statement, NULL) != SQLITE_OK)
    return tune_database_failure(database);
  return TUNE_OK;
}

tune_status tune_database_bind(const tune_database *database, sqlite3_stmt *statement,
                               const char *types, ...) {
  int code = SQLITE_OK;
  va_list values;
  va_start(values, types);
  for (int i = 1; types[i - 1] && code == SQLITE_OK; ++i) {
    switch (types[i - 1]) {
    case 't':
      code = sqlite3_bind_text(statement, i, va_arg(values, const char *), -1, SQLITE_STATIC);
      break;
    case 'd':
      code = sqlite3_bind_double(statement, i, va_arg(values, double));
      break;
    case 'i':
      code = sqlite3_bind_int64(statement, i, va_arg(values, int64_t));
      break;
    case 'b': {
      const void *bytes = va_arg(values, const void *);
      size_t size = va_arg(values, size_t);
      // A NULL pointer would bind SQL's NULL, not an empty blob.
      code = sqlite3_bind_blob64(statement, i, bytes ? bytes : "", size, SQLITE_STATIC);
      break;
    }
    }
  }
  va_end(values);
  return code == SQLITE_OK ? TUNE_OK : tune_database_failure(database);
}

tune_status tune_database_step(const tune_database *database, sqlite3_stmt *statement,
                               bool *out_row) {
  int code = sqlite3_step(statement);
  *out_row = code == SQLITE_ROW;
  return code == SQLITE_ROW || code == SQLITE_DONE ? TUNE_OK : tune_database_failure(database);
}

tune_status tune_database_execute(const tune_database *database, const char *sql) {
  if (sqlite3_exec(database->connection, sql, NULL, NULL, NULL) != SQLITE_OK)
    return tune_database_failure(database);
  return TUNE_OK;
}

tune_status tune_database_begin(const tune_database *database) {
  return tune_database_execute(database, "BEGIN IMMEDIATE");
}

tune_status tune_database_begin_reading(const tune_database *database) {
  return tune_database_execute(database, "BEGIN DEFERRED");
}

tune_status tune_database_end(const tune_database *database, tune_status status) {
  if (tune_status_is_ok(status))
    status = tune_database_execute(database, "COMMIT");
  // Some failures have rolled back on their own.
  if (!tune_status_is_ok(status) && !sqlite3_get_autocommit(database->connection))
    sqlite3_exec(database->connection, "ROLLBACK", NULL, NULL, NULL);
  return status;
}
