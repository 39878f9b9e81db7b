//===- record_members.c - The members of a record's JSON -----------------------===//
//
// One list, in the order in which they are written, has all of them. The database keeps what it
// finds here, and a record's digest is of it: a new figure is a member of the struct and a line of
// the list.
//
//===--------------------------------------------------------------------------===//

#include "tuning/record/record.h"

#include "support/json.h"
#include "tuning/record/record_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

//===- Each of them -----------------------------------------------------------===//
//
// What writes gives NULL where the member is left out; where memory ran out, it clears `*ok`, too.
// What reads gets the record's object, which may lack the member.

static json_t *made(json_t *value, bool *ok) {
  *ok = *ok && value;
  return value;
}

static const char *const kind_names[] = {"trial", "winner", "demotion", "grouping"};

static json_t *write_kind(const tune_record *record, bool *ok) {
  return made(json_string(kind_names[record->kind]), ok);
}

static tune_status read_kind(const json_t *object, tune_record *record) {
  const char *text = json_string_value(json_object_get(object, "kind"));
  for (size_t i = 0; text && i < sizeof kind_names / sizeof *kind_names; ++i) {
    if (strcmp(text, kind_names[i]) == 0) {
      record->kind = (tune_record_kind)i;
      return TUNE_OK;
    }
  }
  return tune_record_wrong_member("kind", "\"trial\", \"winner\", \"demotion\" or \"grouping\"");
}

static json_t *write_verdict(const tune_record *record, bool *ok) {
  return made(json_string(tune_verdict_name(record->verdict)), ok);
}

static tune_status read_verdict(const json_t *object, tune_record *record) {
  const char *text = json_string_value(json_object_get(object, "verdict"));
  return text ? tune_verdict_parse(text, &record->verdict)
              : tune_record_wrong_member("verdict", "a verdict");
}

// A fault of the config itself is told before anything is written.
static json_t *write_config(const tune_record *record, bool *ok) {
  json_t *config;
  tune_status_free(tune_json_load_kept(record->config, "a config", &config));
  return made(config, ok);
}

static tune_status dump_config(const json_t *config, char **out_text) {
  TUNE_RETURN_IF_ERROR(tune_record_validate_config(config));
  *out_text = tune_json_dump(config, JSON_COMPACT);
  return *out_text ? TUNE_OK : tune_status_out_of_memory("out of memory while reading a record");
}

static tune_status read_config(const json_t *object, tune_record *record) {
  return dump_config(json_object_get(object, "config"), &record->config);
}

static json_t *write_lost(const tune_record *record, bool *ok) {
  json_t *config = NULL;
  if (!record->lost)
    return NULL;
  tune_status_free(tune_json_load_kept(record->lost, "a config", &config));
  return made(config, ok);
}

static tune_status read_lost(const json_t *object, tune_record *record) {
  const json_t *config = json_object_get(object, "lost");
  return config ? dump_config(config, &record->lost) : TUNE_OK;
}

json_t *tune_timing_to_json(const tune_timing *time) {
  json_t *object = json_object();
  json_t *samples = json_array();
  bool ok = object;
  tune_record_set_real(object, "median", time->median, &ok);
  tune_record_set_real(object, "low", time->low, &ok);
  tune_record_set_real(object, "high", time->high, &ok);
  tune_record_set(object, "repeats", json_integer((json_int_t)time->repeats), &ok);
  for (size_t i = 0; i < time->sample_count; ++i)
    if (json_array_append_new(samples, json_real(time->samples[i] + 0.0)) != 0)
      ok = false;
  tune_record_set(object, "samples", samples, &ok);
  if (ok)
    return object;
  json_decref(object);
  return NULL;
}

static json_t *write_time(const tune_record *record, bool *ok) {
  return record->time.median > 0 ? made(tune_timing_to_json(&record->time), ok) : NULL;
}

static tune_status read_time(const json_t *object, tune_record *record) {
  tune_timing *time = &record->time;
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

static json_t *write_check(const tune_record *record, bool *ok) {
  const tune_check_result *check = &record->run.check;
  return check->is_known ? made(tune_check_result_to_json(check), ok) : NULL;
}

static tune_status read_check(const json_t *object, tune_record *record) {
  return tune_check_result_get(object, &record->run.check);
}

static json_t *write_counters(const tune_record *record, bool *ok) {
  const tune_counts *counts = &record->run.counts;
  return tune_counts_are_known(counts) ? made(tune_counts_to_json(counts), ok) : NULL;
}

static tune_status read_counters(const json_t *object, tune_record *record) {
  return tune_counts_get(object, &record->run.counts);
}

static json_t *write_conditions(const tune_record *record, bool *ok) {
  const tune_kept_conditions *conditions = &record->conditions;
  return conditions->is_known ? made(tune_kept_conditions_to_json(conditions), ok) : NULL;
}

static tune_status read_conditions(const json_t *object, tune_record *record) {
  const json_t *conditions = json_object_get(object, "conditions");
  return conditions ? tune_kept_conditions_from_json(conditions, &record->conditions) : TUNE_OK;
}

json_t *tune_stages_to_json(const double seconds[TUNE_STAGE_COUNT]) {
  json_t *object = json_object();
  bool ok = object;
  for (int i = 0; i < TUNE_STAGE_COUNT; ++i)
    if (seconds[i] > 0)
      tune_record_set_real(object, tune_stage_name((tune_stage)i), seconds[i], &ok);
  if (ok)
    return object;
  json_decref(object);
  return NULL;
}

static json_t *write_stages(const tune_record *record, bool *ok) {
  return made(tune_stages_to_json(record->stage_seconds), ok);
}

tune_status tune_stages_get(const json_t *object, double seconds[TUNE_STAGE_COUNT]) {
  const json_t *member = json_object_get(object, "stages");
  if (!member)
    return TUNE_OK;
  if (!json_is_object(member))
    return tune_record_wrong_member("stages", "an object");
  const char *names[TUNE_STAGE_COUNT + 1] = {NULL};
  for (int i = 0; i < TUNE_STAGE_COUNT; ++i)
    names[i] = tune_stage_name((tune_stage)i);
  TUNE_RETURN_IF_ERROR(tune_record_refuse_unknown(member, "stages", names));
  for (int i = 0; i < TUNE_STAGE_COUNT; ++i)
    if (json_object_get(member, names[i]))
      TUNE_RETURN_IF_ERROR(tune_record_get_number(member, names[i], &seconds[i]));
  return TUNE_OK;
}

static tune_status read_stages(const json_t *object, tune_record *record) {
  return tune_stages_get(object, record->stage_seconds);
}

json_t *tune_code_features_to_json(const tune_code_features *code) {
  if (code->registers <= 0)
    return NULL;
  return json_pack("{s:I, s:I, s:I}", "registers", (json_int_t)code->registers, "spilled_bytes",
                   (json_int_t)code->spilled_bytes, "shared_bytes", (json_int_t)code->shared_bytes);
}

tune_status tune_code_features_get(const json_t *object, tune_code_features *out_code) {
  return tune_code_features_from_json(json_object_get(object, "code"), out_code);
}

tune_status tune_code_features_from_json(const json_t *member, tune_code_features *out_code) {
  static const char *const names[] = {"registers", "spilled_bytes", "shared_bytes", NULL};
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

static json_t *write_code(const tune_record *record, bool *ok) {
  const tune_code_features *code = &record->code;
  return code->registers > 0 ? made(tune_code_features_to_json(code), ok) : NULL;
}

static tune_status read_code(const json_t *object, tune_record *record) {
  return tune_code_features_get(object, &record->code);
}

static json_t *write_seed(const tune_record *record, bool *ok) {
  return made(json_sprintf("%llu", (unsigned long long)record->seed), ok);
}

static tune_status read_seed(const json_t *object, tune_record *record) {
  const char *text = json_string_value(json_object_get(object, "seed"));
  char *end = NULL;
  errno = 0;
  unsigned long long seed = text && *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
  if (!end || *end || errno == ERANGE)
    return tune_record_wrong_member("seed", "a decimal number below 2^64 in quotes");
  record->seed = seed;
  return TUNE_OK;
}

static json_t *write_created(const tune_record *record, bool *ok) {
  return made(json_integer(record->created_ms), ok);
}

static tune_status read_created(const json_t *object, tune_record *record) {
  const json_t *created = json_object_get(object, "created_ms");
  if (!json_is_integer(created))
    return tune_record_wrong_member("created_ms", "an integer");
  record->created_ms = json_integer_value(created);
  return TUNE_OK;
}

//===- All of them ------------------------------------------------------------===//

typedef enum form {
  FORM_OWN,    // that of its two functions
  FORM_TEXT,   // left out where it is NULL
  FORM_NUMBER, // left out where it is not above 0
} form;

#define TEXT(MEMBER) .form = FORM_TEXT, .offset = offsetof(tune_record, MEMBER)
#define NUMBER(MEMBER) .form = FORM_NUMBER, .offset = offsetof(tune_record, MEMBER)
#define OWN(NAME) .write = write_##NAME, .read = read_##NAME

static const struct member {
  const char *name;
  form form;
  size_t offset;
  json_t *(*write)(const tune_record *record, bool *ok);
  tune_status (*read)(const json_t *object, tune_record *record);
} members[] = {
    {"kind", OWN(kind)},
    {"task", TEXT(task)},
    {"fingerprint", TEXT(fingerprint)},
    {"schedule", TEXT(schedule)},
    {"config", OWN(config)},
    {"script", TEXT(script)},
    {"verdict", OWN(verdict)},
    {"error", TEXT(error)},
    {"digest", TEXT(digest)},
    {"time", OWN(time)},
    {"drift", NUMBER(drift)},
    {"check", OWN(check)},
    {"counters", OWN(counters)},
    {"conditions", OWN(conditions)},
    {"stages", OWN(stages)},
    {"code", OWN(code)},
    {"strategy", TEXT(strategy)},
    {"seed", OWN(seed)},
    {"created_ms", OWN(created)},
    {"module", TEXT(module)},
    {"lost", OWN(lost)},
};

#define MEMBER_COUNT (sizeof members / sizeof *members)

static json_t *write_member(const struct member *member, const tune_record *record, bool *ok) {
  const void *place = (const char *)record + member->offset;
  if (member->form == FORM_OWN)
    return member->write(record, ok);
  if (member->form == FORM_NUMBER)
    return *(const double *)place > 0 ? made(json_real(*(const double *)place), ok) : NULL;
  const char *text = *(char *const *)place;
  return text ? made(json_string(text), ok) : NULL;
}

// Leaves `*out_text` NULL where there is no such member.
static tune_status get_text(const json_t *object, const char *name, char **out_text) {
  const json_t *value = json_object_get(object, name);
  if (!value)
    return TUNE_OK;
  if (!json_is_string(value) || strlen(json_string_value(value)) != json_string_length(value))
    return tune_record_wrong_member(name, "a text");
  if (!(*out_text = strdup(json_string_value(value))))
    return tune_status_out_of_memory("out of memory while reading a record");
  return TUNE_OK;
}

static tune_status read_member(const struct member *member, const json_t *object,
                               tune_record *record) {
  void *place = (char *)record + member->offset;
  if (member->form == FORM_OWN)
    return member->read(object, record);
  if (member->form == FORM_TEXT)
    return get_text(object, member->name, place);
  return json_object_get(object, member->name) ? tune_record_get_number(object, member->name, place)
                                               : TUNE_OK;
}

tune_status tune_record_write_members(const tune_record *record, json_t *object) {
  bool ok = object;
  for (size_t i = 0; i < MEMBER_COUNT && ok; ++i) {
    json_t *member = write_member(&members[i], record, &ok);
    if (member)
      tune_record_set(object, members[i].name, member, &ok);
  }
  return ok ? TUNE_OK : tune_status_out_of_memory("out of memory while writing a record as JSON");
}

tune_status tune_record_validate_numbers(const tune_record *record) {
  for (size_t i = 0; i < MEMBER_COUNT; ++i)
    if (members[i].form == FORM_NUMBER)
      TUNE_RETURN_IF_ERROR(tune_record_require_number(
          members[i].name, *(const double *)((const char *)record + members[i].offset)));
  return TUNE_OK;
}

tune_status tune_record_read_members(const json_t *object, tune_record *record) {
  const char *names[MEMBER_COUNT + 1] = {NULL};
  for (size_t i = 0; i < MEMBER_COUNT; ++i)
    names[i] = members[i].name;
  if (!json_is_object(object))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "a record is a JSON object");
  TUNE_RETURN_IF_ERROR(tune_record_refuse_unknown(object, "record", names));
  for (size_t i = 0; i < MEMBER_COUNT; ++i)
    TUNE_RETURN_IF_ERROR(read_member(&members[i], object, record));
  return TUNE_OK;
}
