//===- record.c ---------------------------------------------------------------===//

#include "tuning/record/record.h"

#include "support/json.h"
#include "support/string_builder.h"
#include "support/utf8.h"
#include "tuning/record/record_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const verdict_names[TUNE_VERDICT_COUNT] = {
    "ok",          "wrong",       "build-failed", "build-crashed", "build-timeout",
    "run-crashed", "run-timeout", "cut",          "duplicate",     "cancelled",
};

static const char *const stage_names[TUNE_STAGE_COUNT] = {
    "transform", "lower", "optimize", "codegen", "link", "measure",
};

const char *tune_verdict_name(tune_verdict verdict) { return verdict_names[verdict]; }

tune_status tune_verdict_parse(const char *text, tune_verdict *out_verdict) {
  for (size_t i = 0; i < TUNE_VERDICT_COUNT; ++i) {
    if (strcmp(text, verdict_names[i]) == 0) {
      *out_verdict = (tune_verdict)i;
      return TUNE_OK;
    }
  }
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "'%s' is no verdict; there are ok, wrong, build-failed, build-crashed, "
                          "build-timeout, run-crashed, run-timeout, cut, duplicate and cancelled",
                          text);
}

bool tune_verdict_is_failure(tune_verdict verdict) {
  return verdict != TUNE_VERDICT_OK && verdict != TUNE_VERDICT_CUT &&
         verdict != TUNE_VERDICT_DUPLICATE;
}

const char *tune_stage_name(tune_stage stage) { return stage_names[stage]; }

double tune_record_seconds(const tune_record *record) {
  return record->time.median / (record->drift > 0 ? record->drift : 1);
}

void tune_record_init(tune_record *record) { *record = (tune_record){0}; }

// What a record owns, besides its samples.
static const size_t texts[] = {
    offsetof(tune_record, task),     offsetof(tune_record, fingerprint),
    offsetof(tune_record, schedule), offsetof(tune_record, config),
    offsetof(tune_record, script),   offsetof(tune_record, error),
    offsetof(tune_record, digest),   offsetof(tune_record, strategy),
};

#define TEXT_COUNT (sizeof texts / sizeof *texts)

void tune_record_deinit(tune_record *record) {
  for (size_t i = 0; i < TEXT_COUNT; ++i)
    free(*(char **)((char *)record + texts[i]));
  free(record->time.samples);
  tune_record_init(record);
}

static bool copy_samples(tune_timing *time) {
  if (!time->sample_count)
    return true;
  size_t size = time->sample_count * sizeof *time->samples;
  double *samples = malloc(size);
  if (samples)
    memcpy(samples, time->samples, size);
  time->samples = samples;
  return samples;
}

tune_status tune_record_init_copy(tune_record *record, const tune_record *other) {
  *record = *other;
  bool ok = copy_samples(&record->time);
  // All of them, also after a failure: no pointer of `other` may remain in `record`.
  for (size_t i = 0; i < TEXT_COUNT; ++i) {
    char **text = (char **)((char *)record + texts[i]);
    bool has_text = *text;
    *text = has_text ? strdup(*text) : NULL;
    ok = ok && (*text || !has_text);
  }
  if (ok)
    return TUNE_OK;
  tune_record_deinit(record);
  return tune_status_out_of_memory("out of memory while copying a record");
}

//===- Validation -------------------------------------------------------------===//

static tune_status require_text(const char *name, const char *text, bool may_be_empty) {
  if (!text)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "record without \"%s\"", name);
  if (!may_be_empty && !*text)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "record with an empty \"%s\"", name);
  return TUNE_OK;
}

tune_status tune_record_validate_config(const json_t *config) {
  if (!json_is_object(config))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "record whose \"config\" is not an object from knobs to integers");
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)config, name, value) {
    if (!json_is_integer(value))
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              "record whose config has no integer for knob \"%s\"", name);
  }
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

static tune_status require_utf8(const tune_record *record) {
  for (size_t i = 0; i < TEXT_COUNT; ++i) {
    const char *text = *(char *const *)((const char *)record + texts[i]);
    if (text && !tune_utf8_is_valid(text))
      return tune_status_make(TUNE_INVALID_ARGUMENT, "record with a text that is not UTF-8");
  }
  return TUNE_OK;
}

tune_status tune_record_validate_all_but_config(const tune_record *record) {
  TUNE_RETURN_IF_ERROR(require_utf8(record));
  TUNE_RETURN_IF_ERROR(require_text("task", record->task, false));
  TUNE_RETURN_IF_ERROR(require_text("fingerprint", record->fingerprint, false));
  TUNE_RETURN_IF_ERROR(require_text("schedule", record->schedule, true));
  TUNE_RETURN_IF_ERROR(require_text("config", record->config, false));
  TUNE_RETURN_IF_ERROR(require_text("strategy", record->strategy, false));
  if (record->verdict == TUNE_VERDICT_CANCELLED)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "record of a cancelled trial");
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
  return validate_config_text(record->config);
}

//===- What a run came to ------------------------------------------------------===//

tune_status tune_run_figures_get(const json_t *object, tune_run_figures *out_figures) {
  TUNE_RETURN_IF_ERROR(tune_check_result_get(object, &out_figures->check));
  return tune_counts_get(object, &out_figures->counts);
}

tune_status tune_run_figures_validate(const tune_run_figures *figures) {
  if (figures->check.is_known)
    TUNE_RETURN_IF_ERROR(tune_check_result_validate(&figures->check));
  return tune_counts_validate(&figures->counts);
}

//===- For people -------------------------------------------------------------===//

tune_status tune_record_config_text(const char *config, char **out_text) {
  *out_text = NULL;
  json_t *object;
  TUNE_RETURN_IF_ERROR(tune_json_load_kept(config, "a config", &object));
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_string_builder_append(&text, "");
  const char *knob;
  json_t *value;
  json_object_foreach(object, knob, value) {
    tune_string_builder_appendf(&text, "%s%s=%lld", text.length ? "," : "", knob,
                                (long long)json_integer_value(value));
  }
  json_decref(object);
  return tune_string_builder_finish(&text, out_text);
}
