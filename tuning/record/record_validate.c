//===- record_validate.c - What a record may be --------------------------------===//

#include "tuning/record/record.h"

#include "support/json.h"
#include "tuning/record/record_internal.h"

#include <string.h>

static tune_status require_text(const char *name, const char *text, bool may_be_empty) {
  if (!text)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "record without \"%s\"", name);
  if (!may_be_empty && !*text)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "record with an empty \"%s\"", name);
  return TUNE_OK;
}

static tune_status validate_config_text(const char *text) {
  json_error_t error;
  json_t *config = tune_json_load(text, strlen(text), &error);
  if (!config && tune_json_lacks_memory(&error))
    return tune_status_out_of_memory("reading a config");
  if (!config)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "record whose \"config\" is not JSON: %s",
                            error.text);
  tune_status status = tune_record_validate_config(config);
  json_decref(config);
  return status;
}

static tune_status validate_time(const tune_record *record) {
  const tune_timing *time = &record->time;
  TUNE_RETURN_IF_ERROR(tune_record_require_number("time.median", time->median));
  TUNE_RETURN_IF_ERROR(tune_record_require_number("time.low", time->low));
  TUNE_RETURN_IF_ERROR(tune_record_require_number("time.high", time->high));
  for (size_t i = 0; i < time->sample_count; ++i)
    TUNE_RETURN_IF_ERROR(tune_record_require_number("time.samples", time->samples[i]));
  const char *verdict = tune_verdict_name(record->verdict);
  if (tune_verdict_is_failure(record->verdict)) {
    if (time->median > 0 || time->sample_count)
      return tune_status_make(TUNE_INVALID_ARGUMENT, "record with verdict %s that has a time",
                              verdict);
    return TUNE_OK;
  }
  if (!(time->median > 0))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "record with verdict %s without a time",
                            verdict);
  if (time->low > time->median || time->high < time->median)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "record whose median %g is outside its interval [%g, %g]", time->median,
                            time->low, time->high);
  return TUNE_OK;
}

static tune_status validate_demotion(const tune_record *record) {
  if (record->kind != TUNE_RECORD_DEMOTION)
    return record->module || record->lost
               ? tune_status_make(TUNE_INVALID_ARGUMENT,
                                  "record with a \"module\" or \"lost\" that is no demotion")
               : TUNE_OK;
  TUNE_RETURN_IF_ERROR(require_text("module", record->module, false));
  TUNE_RETURN_IF_ERROR(require_text("lost", record->lost, false));
  return record->verdict == TUNE_VERDICT_OK
             ? TUNE_OK
             : tune_status_make(TUNE_INVALID_ARGUMENT, "demotion with the verdict %s",
                                tune_verdict_name(record->verdict));
}

tune_status tune_record_validate_all_but_config(const tune_record *record) {
  TUNE_RETURN_IF_ERROR(tune_record_require_utf8(record));
  TUNE_RETURN_IF_ERROR(require_text("task", record->task, false));
  TUNE_RETURN_IF_ERROR(require_text("fingerprint", record->fingerprint, false));
  TUNE_RETURN_IF_ERROR(require_text("schedule", record->schedule, true));
  TUNE_RETURN_IF_ERROR(require_text("config", record->config, false));
  TUNE_RETURN_IF_ERROR(require_text("strategy", record->strategy, false));
  if (record->verdict == TUNE_VERDICT_CANCELLED)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "record of a cancelled trial");
  TUNE_RETURN_IF_ERROR(validate_demotion(record));
  TUNE_RETURN_IF_ERROR(validate_time(record));
  TUNE_RETURN_IF_ERROR(tune_run_figures_validate(&record->run));
  if (record->verdict == TUNE_VERDICT_OK && record->run.check.is_known &&
      !(record->run.check.error >= 0))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "ok record with a check error of %g",
                            record->run.check.error);
  TUNE_RETURN_IF_ERROR(tune_kept_conditions_validate(&record->conditions));
  TUNE_RETURN_IF_ERROR(tune_record_validate_numbers(record));
  for (size_t i = 0; i < TUNE_STAGE_COUNT; ++i)
    TUNE_RETURN_IF_ERROR(
        tune_record_require_number(tune_stage_name((tune_stage)i), record->stage_seconds[i]));
  return TUNE_OK;
}

tune_status tune_record_validate(const tune_record *record) {
  TUNE_RETURN_IF_ERROR(tune_record_validate_all_but_config(record));
  if (record->lost)
    TUNE_RETURN_IF_ERROR(validate_config_text(record->lost));
  return validate_config_text(record->config);
}
