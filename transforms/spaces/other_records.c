//===- other_records.c --------------------------------------------------------------===//

#include "transforms/spaces/other_records.h"

#include "support/json.h"
#include "support/string_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMBERS_TOLD 3

typedef struct others {
  const tune_target_facts *facts;
  char fingerprint[129]; // "": none was seen
  char target[16];
  bool is_same_target;
  int64_t last_ms;
} others;

static tune_status visit(void *user, const tune_database_summary *summary) {
  others *state = user;
  bool is_same = strcmp(summary->target, state->facts->name.target) == 0;
  bool is_other = summary->best > 0 && strcmp(summary->fingerprint, state->facts->digest.text) != 0;
  bool is_nearer = !*state->fingerprint || is_same > state->is_same_target ||
                   (is_same == state->is_same_target && summary->last_ms > state->last_ms);
  if (!is_other || !is_nearer)
    return TUNE_OK;
  snprintf(state->fingerprint, sizeof state->fingerprint, "%s", summary->fingerprint);
  snprintf(state->target, sizeof state->target, "%s", summary->target);
  state->is_same_target = is_same;
  state->last_ms = summary->last_ms;
  return TUNE_OK;
}

// What the database adds to a fingerprint (tuning/device/target_facts.c).
static bool is_of_records(const char *member) {
  return strcmp(member, "threads") == 0 || strcmp(member, "flush_cache") == 0 ||
         strcmp(member, "roofline") == 0;
}

// A database may come from anybody: nothing of it tells a terminal what to do.
static void append_printable(tune_string_builder *text, const char *word) {
  for (; *word; ++word) {
    bool is_control = (unsigned char)*word < ' ' || *word == 0x7f;
    tune_string_builder_append_bytes(text, is_control ? "?" : word, 1);
  }
}

// Numbers and words; of what is longer the name is enough.
static void append_value(tune_string_builder *text, const json_t *value) {
  char *printed = json_is_object(value) || json_is_array(value)
                      ? NULL
                      : tune_json_dump(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
  tune_string_builder_append(text, printed ? printed : value ? "…" : "nothing");
  free(printed);
}

// "driver_version "13.0" there and "12.4" here, …"; how many members differ.
static size_t append_differences(tune_string_builder *text, const json_t *theirs,
                                 const json_t *ours) {
  size_t count = 0;
  const char *member;
  json_t *value;
  json_object_foreach((json_t *)theirs, member, value) {
    const json_t *own = json_object_get(ours, member);
    if (is_of_records(member) || json_equal(value, own) || ++count > MEMBERS_TOLD)
      continue;
    tune_string_builder_append(text, count > 1 ? ", " : "; it differs by ");
    append_printable(text, member);
    tune_string_builder_append(text, " ");
    append_value(text, value);
    tune_string_builder_append(text, " there and ");
    append_value(text, own);
    tune_string_builder_append(text, " here");
  }
  if (count > MEMBERS_TOLD)
    tune_string_builder_appendf(text, " and %zu more", count - MEMBERS_TOLD);
  return count;
}

// The options that take the records of the device described by `theirs`.
static void append_advice(tune_string_builder *text, const others *seen, const json_t *theirs,
                          bool is_same_device) {
  const tune_target_facts *facts = seen->facts;
  json_int_t threads = json_integer_value(json_object_get(theirs, "threads"));
  bool flushes = json_is_true(json_object_get(theirs, "flush_cache"));
  const char *comma = "; to take them: ";
  if (!seen->is_same_target || facts->name.is_generic) {
    tune_string_builder_appendf(text, "%starget=%s", comma, seen->target);
    comma = ", ";
  }
  if (!is_same_device) {
    tune_string_builder_appendf(text, "%sdevice=FILE with what `tune-db device %s:%.6s` prints",
                                comma, seen->target, seen->fingerprint);
    comma = ", ";
  }
  if (threads > 0 && (size_t)threads != facts->threads) {
    tune_string_builder_appendf(text, "%sthreads=%lld", comma, (long long)threads);
    comma = ", ";
  }
  if (flushes != facts->flushes_cache)
    tune_string_builder_appendf(text, flushes ? "%sflush-cache" : "%sno flush-cache", comma);
}

static void append_all(tune_string_builder *text, const others *seen, const json_t *theirs,
                       bool is_same_space) {
  const tune_target_facts *facts = seen->facts;
  const json_t *model = json_object_get(theirs, "model");
  tune_string_builder_appendf(text, "; %s:%.6s (", seen->target, seen->fingerprint);
  if (json_is_string(model))
    append_printable(text, json_string_value(model));
  else
    tune_string_builder_append(text, "no name");
  tune_string_builder_append(text, ") has some");
  if (facts->name.is_generic && is_same_space) {
    tune_string_builder_append(text, ", of a search without device=FILE: `tune-db best "
                                     "--print=config` tells the best, for --config of tune-run");
    return;
  }
  // What any device has is less than what one has, in every member.
  bool is_same_device = false;
  if (seen->is_same_target && !facts->name.is_generic)
    is_same_device = append_differences(text, theirs, facts->fingerprint) == 0;
  append_advice(text, seen, theirs, is_same_device);
}

static tune_status has_same_space(tune_database *database, const tune_task_space *space,
                                  const char *fingerprint, bool *out_same) {
  tune_record record;
  tune_record_init(&record);
  tune_status status = tune_database_best(database, space->task->key.text, fingerprint,
                                          space->schedule_digest.text, &record);
  tune_record_deinit(&record);
  *out_same = tune_status_is_ok(status);
  if (tune_status_get_code(status) != TUNE_NOT_FOUND)
    return status;
  tune_status_free(status);
  return TUNE_OK;
}

tune_status tune_other_records_describe(tune_database *database, const tune_task_space *space,
                                        const tune_target_facts *facts, char **out_text) {
  *out_text = NULL;
  others seen = {.facts = facts};
  json_t *theirs = NULL;
  bool is_same_space = false;
  TUNE_RETURN_IF_ERROR(tune_database_list(database, space->task->key.text, visit, &seen));
  if (*seen.fingerprint) {
    TUNE_RETURN_IF_ERROR(has_same_space(database, space, seen.fingerprint, &is_same_space));
    TUNE_RETURN_IF_ERROR(tune_database_get_device(database, seen.fingerprint, NULL, &theirs));
  }
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_string_builder_append(&text, "");
  if (theirs)
    append_all(&text, &seen, theirs, is_same_space);
  json_decref(theirs);
  return tune_string_builder_finish(&text, out_text);
}
