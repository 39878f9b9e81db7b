//===- database_conditions.c - Rows of conditions, shared by many records ----===//

#include "tuning/database/database_internal.h"

#include "support/json.h"

#include <stdlib.h>
#include <string.h>

tune_status tune_database_write_conditions(const tune_kept_conditions *conditions,
                                           char **out_text) {
  json_t *object = tune_kept_conditions_to_json(conditions);
  *out_text = object ? tune_json_dump(object, JSON_COMPACT) : NULL;
  json_decref(object);
  return *out_text ? TUNE_OK : tune_status_out_of_memory("keeping a record");
}

tune_status tune_database_put_conditions(tune_database *database, const char *text) {
  if (!database->insert_conditions)
    TUNE_RETURN_IF_ERROR(tune_database_prepare(database,
                                               "INSERT INTO conditions(description) VALUES(?1)"
                                               "  ON CONFLICT(description) DO NOTHING",
                                               &database->insert_conditions));
  bool row;
  tune_status status = tune_database_bind(database, database->insert_conditions, "t", text);
  if (tune_status_is_ok(status))
    status = tune_database_step(database, database->insert_conditions, &row);
  sqlite3_reset(database->insert_conditions);
  sqlite3_clear_bindings(database->insert_conditions);
  return status;
}

static tune_status parse(const char *text, tune_kept_conditions *conditions) {
  json_error_t error;
  json_t *object = tune_json_load(text, strlen(text), &error);
  if (!object && tune_json_lacks_memory(&error))
    return tune_status_out_of_memory("reading a record");
  tune_status status = tune_kept_conditions_from_json(object, conditions);
  json_decref(object);
  return status;
}

tune_status tune_database_read_conditions(tune_database *database, sqlite3_stmt *statement,
                                          int column, tune_kept_conditions *out_conditions) {
  *out_conditions = (tune_kept_conditions){0};
  if (sqlite3_column_type(statement, column) == SQLITE_NULL)
    return TUNE_OK;
  const char *text = (const char *)sqlite3_column_text(statement, column);
  if (!text)
    return tune_status_out_of_memory("reading a record");
  if (!database->read_text || strcmp(text, database->read_text) != 0) {
    free(database->read_text);
    database->read_text = NULL;
    TUNE_RETURN_IF_ERROR(parse(text, &database->read_conditions));
    if (!(database->read_text = strdup(text)))
      return tune_status_out_of_memory("reading a record");
  }
  *out_conditions = database->read_conditions;
  return TUNE_OK;
}
