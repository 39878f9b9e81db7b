//===- record_json.c - A record as JSON ----------------------------------------===//

#include "tuning/record/record.h"

#include "tuning/record/record_internal.h"

tune_status tune_record_to_json(const tune_record *record, json_t **out_object) {
  *out_object = NULL;
  TUNE_RETURN_IF_ERROR(tune_record_validate(record));
  json_t *object = json_object();
  tune_status status = tune_record_write_members(record, object);
  if (!tune_status_is_ok(status)) {
    json_decref(object);
    return status;
  }
  *out_object = object;
  return TUNE_OK;
}

tune_status tune_record_from_json(const json_t *object, tune_record *record) {
  tune_record_init(record);
  tune_status status = tune_record_read_members(object, record);
  if (tune_status_is_ok(status))
    status = tune_record_validate_all_but_config(record);
  if (!tune_status_is_ok(status))
    tune_record_deinit(record);
  return status;
}
