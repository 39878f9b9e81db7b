//===- record.c ---------------------------------------------------------------===//

#include "tuning/record/record.h"

#include "support/json.h"
#include "support/string_builder.h"
#include "tuning/record/record_internal.h"

#include <errno.h>
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

static const char *const kind_names[] = {"trial", "winner"};

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

void tune_record_deinit(tune_record *record) {
  free(record->task);
  free(record->fingerprint);
  free(record->schedule);
  free(record->config);
  free(record->script);
  free(record->error);
  free(record->digest);
  free(record->time.samples);
  free(record->strategy);
  tune_record_init(record);
}

static bool copy_text(char **to, const char *from) {
  *to = from ? strdup(from) : NULL;
  return *to || !from;
}

tune_status tune_record_init_copy(tune_record *record, const tune_record *other) {
  *record = *other;
  record->time.samples = NULL;
  bool ok = true;
  // All of them, also after a failure: no pointer of `other` may remain in `record`.
  ok &= copy_text(&record->task, other->task);
  ok &= copy_text(&record->fingerprint, other->fingerprint);
  ok &= copy_text(&record->schedule, other->schedule);
  ok &= copy_text(&record->config, other->config);
  ok &= copy_text(&record->script, other->script);
  ok &= copy_text(&record->error, other->error);
  ok &= copy_text(&record->digest, other->digest);
  ok &= copy_text(&record->strategy, other->strategy);
  if (other->time.sample_count) {
    size_t size = other->time.sample_count * sizeof *other->time.samples;
    record->time.samples = malloc(size);
    if (record->time.samples)
      memcpy(record->time.samples, other->time.samples, size);
    else
      ok = false;
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

static tune_status validate_config_object(const json_t *config) {
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
  tune_status status = validate_config_object(config);
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

static tune_status validate_all_but_config(const tune_record *record) {
  TUNE_RETURN_IF_ERROR(require_text("task", record->task, false));
  TUNE_RETURN_IF_ERROR(require_text("fingerprint", record->fingerprint, false));
  TUNE_RETURN_IF_ERROR(require_text("schedule", record->schedule, true));
  TUNE_RETURN_IF_ERROR(require_text("config", record->config, false));
  TUNE_RETURN_IF_ERROR(require_text("strategy", record->strategy, false));
  if (record->verdict == TUNE_VERDICT_CANCELLED)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "record of a cancelled trial");
  TUNE_RETURN_IF_ERROR(validate_time(record));
  if (record->check.is_known) {
    // The error of a wrong result may be infinite or not a number.
    TUNE_RETURN_IF_ERROR(tune_check_result_validate(&record->check));
    if (record->verdict == TUNE_VERDICT_OK && !(record->check.error >= 0))
      return tune_status_make(TUNE_INVALID_ARGUMENT, "ok record with a check error of %g",
                              record->check.error);
  }
  TUNE_RETURN_IF_ERROR(tune_counts_validate(&record->counts));
  TUNE_RETURN_IF_ERROR(tune_kept_conditions_validate(&record->conditions));
  TUNE_RETURN_IF_ERROR(tune_record_require_number("drift", record->drift));
  for (size_t i = 0; i < TUNE_STAGE_COUNT; ++i)
    TUNE_RETURN_IF_ERROR(tune_record_require_number(stage_names[i], record->stage_seconds[i]));
  return TUNE_OK;
}

tune_status tune_record_validate(const tune_record *record) {
  TUNE_RETURN_IF_ERROR(validate_all_but_config(record));
  return validate_config_text(record->config);
}

//===- To JSON ----------------------------------------------------------------===//

static void set_text(json_t *object, const char *name, const char *text, bool *ok) {
  if (text)
    tune_record_set(object, name, json_string(text), ok);
}

static json_t *timing_to_json(const tune_timing *time, bool *ok) {
  json_t *object = json_object();
  json_t *samples = json_array();
  tune_record_set_real(object, "median", time->median, ok);
  tune_record_set_real(object, "low", time->low, ok);
  tune_record_set_real(object, "high", time->high, ok);
  tune_record_set(object, "repeats", json_integer((json_int_t)time->repeats), ok);
  for (size_t i = 0; i < time->sample_count; ++i)
    if (json_array_append_new(samples, json_real(time->samples[i] + 0.0)) != 0)
      *ok = false;
  tune_record_set(object, "samples", samples, ok);
  return object;
}

static json_t *stages_to_json(const tune_record *record, bool *ok) {
  json_t *object = json_object();
  for (size_t i = 0; i < TUNE_STAGE_COUNT; ++i)
    if (record->stage_seconds[i] > 0)
      tune_record_set_real(object, stage_names[i], record->stage_seconds[i], ok);
  return object;
}

json_t *tune_code_features_to_json(const tune_code_features *code) {
  if (code->registers <= 0)
    return NULL;
  return json_pack("{s:I, s:I, s:I}", "registers", (json_int_t)code->registers, "spilled_bytes",
                   (json_int_t)code->spilled_bytes, "shared_bytes", (json_int_t)code->shared_bytes);
}

tune_status tune_record_to_json(const tune_record *record, json_t **out_object) {
  *out_object = NULL;
  TUNE_RETURN_IF_ERROR(tune_record_validate(record));
  json_t *config;
  TUNE_RETURN_IF_ERROR(tune_json_load_kept(record->config, "a config", &config));
  json_t *object = json_object();
  bool ok = object != NULL;
  set_text(object, "kind", kind_names[record->kind], &ok);
  set_text(object, "task", record->task, &ok);
  set_text(object, "fingerprint", record->fingerprint, &ok);
  set_text(object, "schedule", record->schedule, &ok);
  tune_record_set(object, "config", config, &ok);
  set_text(object, "script", record->script, &ok);
  set_text(object, "verdict", tune_verdict_name(record->verdict), &ok);
  set_text(object, "error", record->error, &ok);
  set_text(object, "digest", record->digest, &ok);
  if (record->time.median > 0)
    tune_record_set(object, "time", timing_to_json(&record->time, &ok), &ok);
  if (record->drift > 0)
    tune_record_set_real(object, "drift", record->drift, &ok);
  if (record->check.is_known)
    tune_record_set(object, "check", tune_check_result_to_json(&record->check), &ok);
  if (tune_counts_are_known(&record->counts))
    tune_record_set(object, "counters", tune_counts_to_json(&record->counts), &ok);
  if (record->conditions.is_known)
    tune_record_set(object, "conditions", tune_kept_conditions_to_json(&record->conditions), &ok);
  tune_record_set(object, "stages", stages_to_json(record, &ok), &ok);
  if (record->code.registers > 0)
    tune_record_set(object, "code", tune_code_features_to_json(&record->code), &ok);
  set_text(object, "strategy", record->strategy, &ok);
  tune_record_set(object, "seed", json_sprintf("%llu", (unsigned long long)record->seed), &ok);
  tune_record_set(object, "created_ms", json_integer(record->created_ms), &ok);
  if (!ok) {
    json_decref(object);
    return tune_status_out_of_memory("out of memory, or a text that is not UTF-8, while "
                                     "writing a record as JSON");
  }
  *out_object = object;
  return TUNE_OK;
}

//===- From JSON --------------------------------------------------------------===//

// Leaves `*out_text` NULL where there is no such member.
static tune_status get_text(const json_t *object, const char *name, char **out_text) {
  const json_t *value = json_object_get(object, name);
  if (!value)
    return TUNE_OK;
  if (!json_is_string(value) || strlen(json_string_value(value)) != json_string_length(value))
    return tune_record_wrong_member(name, "a text");
  if (!copy_text(out_text, json_string_value(value)))
    return tune_status_out_of_memory("out of memory while reading a record");
  return TUNE_OK;
}

static tune_status get_kind(const json_t *object, tune_record_kind *out_kind) {
  const char *text = json_string_value(json_object_get(object, "kind"));
  for (size_t i = 0; text && i < sizeof kind_names / sizeof *kind_names; ++i) {
    if (strcmp(text, kind_names[i]) == 0) {
      *out_kind = (tune_record_kind)i;
      return TUNE_OK;
    }
  }
  return tune_record_wrong_member("kind", "\"trial\" or \"winner\"");
}

static tune_status get_verdict(const json_t *object, tune_verdict *out_verdict) {
  const char *text = json_string_value(json_object_get(object, "verdict"));
  return text ? tune_verdict_parse(text, out_verdict)
              : tune_record_wrong_member("verdict", "a verdict");
}

static tune_status get_config(const json_t *object, char **out_config) {
  const json_t *config = json_object_get(object, "config");
  TUNE_RETURN_IF_ERROR(validate_config_object(config));
  *out_config = tune_json_dump(config, JSON_COMPACT);
  if (!*out_config)
    return tune_status_out_of_memory("out of memory while reading a record");
  return TUNE_OK;
}

static tune_status get_timing(const json_t *object, tune_timing *time) {
  static const char *const names[] = {"median", "low", "high", "repeats", "samples", NULL};
  const json_t *member = json_object_get(object, "time");
  if (!member)
    return TUNE_OK;
  if (!json_is_object(member))
    return tune_record_wrong_member("time", "an object");
  TUNE_RETURN_IF_ERROR(tune_record_refuse_unknown(member, "time", names));
  TUNE_RETURN_IF_ERROR(tune_record_get_number(member, "median", &time->median));
  TUNE_RETURN_IF_ERROR(tune_record_get_number(member, "low", &time->low));
  TUNE_RETURN_IF_ERROR(tune_record_get_number(member, "high", &time->high));
  const json_t *repeats = json_object_get(member, "repeats");
  if (!json_is_integer(repeats) || json_integer_value(repeats) < 0)
    return tune_record_wrong_member("repeats", "an integer not below 0");
  time->repeats = (uint64_t)json_integer_value(repeats);
  const json_t *samples = json_object_get(member, "samples");
  if (!json_is_array(samples))
    return tune_record_wrong_member("samples", "an array");
  size_t count = json_array_size(samples);
  time->samples = count ? calloc(count, sizeof *time->samples) : NULL;
  if (count && !time->samples)
    return tune_status_out_of_memory("out of memory while reading a record");
  for (size_t i = 0; i < count; ++i) {
    const json_t *sample = json_array_get(samples, i);
    if (!json_is_number(sample))
      return tune_record_wrong_member("samples", "an array of numbers");
    time->samples[i] = json_number_value(sample);
  }
  time->sample_count = count;
  return TUNE_OK;
}

static tune_status get_stages(const json_t *object, double seconds[TUNE_STAGE_COUNT]) {
  const json_t *member = json_object_get(object, "stages");
  if (!member)
    return TUNE_OK;
  if (!json_is_object(member))
    return tune_record_wrong_member("stages", "an object");
  const char *names[TUNE_STAGE_COUNT + 1] = {NULL};
  memcpy(names, stage_names, sizeof stage_names);
  TUNE_RETURN_IF_ERROR(tune_record_refuse_unknown(member, "stages", names));
  for (size_t i = 0; i < TUNE_STAGE_COUNT; ++i)
    if (json_object_get(member, stage_names[i]))
      TUNE_RETURN_IF_ERROR(tune_record_get_number(member, stage_names[i], &seconds[i]));
  return TUNE_OK;
}

tune_status tune_code_features_get(const json_t *object, tune_code_features *out_code) {
  static const char *const names[] = {"registers", "spilled_bytes", "shared_bytes", NULL};
  const json_t *member = json_object_get(object, "code");
  *out_code = (tune_code_features){0};
  if (!member)
    return TUNE_OK;
  if (!json_is_object(member))
    return tune_record_wrong_member("code", "an object");
  TUNE_RETURN_IF_ERROR(tune_record_refuse_unknown(member, "code", names));
  TUNE_RETURN_IF_ERROR(tune_record_get_count(member, "registers", &out_code->registers));
  TUNE_RETURN_IF_ERROR(tune_record_get_count(member, "spilled_bytes", &out_code->spilled_bytes));
  TUNE_RETURN_IF_ERROR(tune_record_get_count(member, "shared_bytes", &out_code->shared_bytes));
  return out_code->registers > 0 ? TUNE_OK : tune_record_wrong_member("registers", "at least 1");
}

static tune_status get_seed(const json_t *object, uint64_t *out_seed) {
  const char *text = json_string_value(json_object_get(object, "seed"));
  char *end = NULL;
  errno = 0;
  unsigned long long seed = text && *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
  if (!end || *end || errno == ERANGE)
    return tune_record_wrong_member("seed", "a decimal number below 2^64 in quotes");
  *out_seed = seed;
  return TUNE_OK;
}

static tune_status read_members(const json_t *object, tune_record *record) {
  static const char *const names[] = {"kind",   "task",   "fingerprint", "schedule",   "config",
                                      "script", "error",  "verdict",     "digest",     "time",
                                      "check",  "stages", "strategy",    "seed",       "created_ms",
                                      "code",   "drift",  "counters",    "conditions", NULL};
  if (!json_is_object(object))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "a record is a JSON object");
  TUNE_RETURN_IF_ERROR(tune_record_refuse_unknown(object, "record", names));
  TUNE_RETURN_IF_ERROR(get_kind(object, &record->kind));
  TUNE_RETURN_IF_ERROR(get_text(object, "task", &record->task));
  TUNE_RETURN_IF_ERROR(get_text(object, "fingerprint", &record->fingerprint));
  TUNE_RETURN_IF_ERROR(get_text(object, "schedule", &record->schedule));
  TUNE_RETURN_IF_ERROR(get_config(object, &record->config));
  TUNE_RETURN_IF_ERROR(get_text(object, "script", &record->script));
  TUNE_RETURN_IF_ERROR(get_verdict(object, &record->verdict));
  TUNE_RETURN_IF_ERROR(get_text(object, "error", &record->error));
  TUNE_RETURN_IF_ERROR(get_text(object, "digest", &record->digest));
  TUNE_RETURN_IF_ERROR(get_timing(object, &record->time));
  if (json_object_get(object, "drift"))
    TUNE_RETURN_IF_ERROR(tune_record_get_number(object, "drift", &record->drift));
  TUNE_RETURN_IF_ERROR(tune_check_result_get(object, &record->check));
  TUNE_RETURN_IF_ERROR(tune_counts_get(object, &record->counts));
  const json_t *conditions = json_object_get(object, "conditions");
  if (conditions)
    TUNE_RETURN_IF_ERROR(tune_kept_conditions_from_json(conditions, &record->conditions));
  TUNE_RETURN_IF_ERROR(get_stages(object, record->stage_seconds));
  TUNE_RETURN_IF_ERROR(tune_code_features_get(object, &record->code));
  TUNE_RETURN_IF_ERROR(get_text(object, "strategy", &record->strategy));
  TUNE_RETURN_IF_ERROR(get_seed(object, &record->seed));
  const json_t *created = json_object_get(object, "created_ms");
  if (!json_is_integer(created))
    return tune_record_wrong_member("created_ms", "an integer");
  record->created_ms = json_integer_value(created);
  return validate_all_but_config(record);
}

tune_status tune_record_from_json(const json_t *object, tune_record *record) {
  tune_record_init(record);
  tune_status status = read_members(object, record);
  if (!tune_status_is_ok(status))
    tune_record_deinit(record);
  return status;
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
