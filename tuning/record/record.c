//===- record.c ---------------------------------------------------------------===//

#include "tuning/record/record.h"

#include "support/json.h"
#include "support/string_builder.h"
#include "support/utf8.h"
#include "tuning/record/record_internal.h"

#include <stdlib.h>
#include <string.h>

static const char *const verdict_names[TUNE_VERDICT_COUNT] = {
    "ok",          "wrong", "build-failed", "build-crashed", "build-timeout", "run-crashed",
    "run-timeout", "cut",   "duplicate",    "inconclusive",  "cancelled",
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
  return tune_status_make(
      TUNE_INVALID_ARGUMENT,
      "'%s' is no verdict; there are ok, wrong, build-failed, build-crashed, "
      "build-timeout, run-crashed, run-timeout, cut, duplicate, inconclusive and "
      "cancelled",
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
    offsetof(tune_record, module),   offsetof(tune_record, lost),
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

tune_status tune_record_require_utf8(const tune_record *record) {
  for (size_t i = 0; i < TEXT_COUNT; ++i) {
    const char *text = *(char *const *)((const char *)record + texts[i]);
    if (text && !tune_utf8_is_valid(text))
      return tune_status_make(TUNE_INVALID_ARGUMENT, "record with a text that is not UTF-8");
  }
  return TUNE_OK;
}

//===- What a run came to ------------------------------------------------------===//

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
