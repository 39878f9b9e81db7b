//===- database_conditions.c - Rows of conditions, shared by many records ----===//

#include "tuning/database/database_internal.h"

#include "support/json.h"

#include <stdlib.h>
#include <string.h>

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

tune_status tune_database_read_conditions(tune_database *database, const char *text,
                                          json_t **out_object) {
  *out_object = NULL;
  if (!database->read_text || strcmp(text, database->read_text) != 0) {
    free(database->read_text);
    database->read_text = NULL;
    json_decref(database->read_conditions);
    TUNE_RETURN_IF_ERROR(tune_json_load_kept(text, "conditions", &database->read_conditions));
    if (!(database->read_text = strdup(text)))
      return tune_status_out_of_memory("reading a record");
  }
  *out_object = json_incref(database->read_conditions);
  return TUNE_OK;
}
