//===- config.c ---------------------------------------------------------------===//

#include "tuning/space/config.h"

#include "support/json.h"
#include "support/nearest.h"
#include "support/string_builder.h"
#include "tuning/space/constraint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static tune_status allocate(tune_config *config, size_t count) {
  config->count = count;
  config->choices = calloc(count ? count : 1, sizeof *config->choices);
  return config->choices ? TUNE_OK
                         : tune_status_out_of_memory("out of memory while making a config");
}

tune_status tune_config_init_default(tune_config *config, const tune_space *space) {
  TUNE_RETURN_IF_ERROR(allocate(config, tune_space_knob_count(space)));
  for (size_t i = 0; i < config->count; ++i)
    config->choices[i] = (uint16_t)tune_space_knob(space, i)->default_index;
  return TUNE_OK;
}

tune_status tune_config_init_copy(tune_config *config, const tune_config *other) {
  TUNE_RETURN_IF_ERROR(allocate(config, other->count));
  memcpy(config->choices, other->choices, other->count * sizeof *config->choices);
  return TUNE_OK;
}

void tune_config_deinit(tune_config *config) {
  free(config->choices);
  *config = (tune_config){0};
}

bool tune_config_equal(const tune_config *a, const tune_config *b) {
  return a->count == b->count && memcmp(a->choices, b->choices, a->count * sizeof *a->choices) == 0;
}

uint64_t tune_config_hash(const tune_config *config) {
  return XXH3_64bits(config->choices, config->count * sizeof *config->choices);
}

int64_t tune_config_value(const tune_config *config, const tune_space *space, size_t knob) {
  return tune_space_knob(space, knob)->values[config->choices[knob]];
}

void tune_config_settle(tune_config *config, const tune_space *space) {
  for (size_t i = 0; i < config->count; ++i) {
    const tune_constraint *condition = tune_space_condition(space, i);
    if (condition && !tune_constraint_holds(condition, tune_space_knobs(space), config->choices))
      config->choices[i] = (uint16_t)tune_space_knob(space, i)->default_index;
  }
}

bool tune_config_is_valid(const tune_config *config, const tune_space *space,
                          const tune_constraint **out_violated) {
  for (size_t i = 0; i < tune_space_constraint_count(space); ++i) {
    const tune_constraint *constraint = tune_space_constraint(space, i);
    if (!tune_constraint_holds(constraint, tune_space_knobs(space), config->choices)) {
      if (out_violated)
        *out_violated = constraint;
      return false;
    }
  }
  return true;
}

//===- Errors -----------------------------------------------------------------===//

static tune_status unknown_knob(const tune_space *space, const char *name) {
  const char *nearest = tune_space_nearest_knob(space, name);
  size_t count = tune_space_knob_count(space);
  tune_string_builder builder;
  tune_string_builder_init(&builder);
  tune_string_builder_appendf(&builder, "no knob \"%s\"; ", name);
  if (nearest)
    tune_string_builder_appendf(&builder, "did you mean \"%s\"?", nearest);
  else
    tune_string_builder_append(&builder, count ? "the knobs are " : "there are none");
  for (size_t i = 0; !nearest && i < count; ++i)
    tune_string_builder_appendf(&builder, "%s%s", i ? ", " : "", tune_space_knob(space, i)->name);
  tune_status status = builder.failed ? tune_status_out_of_memory("no knob \"%s\"", name)
                                      : tune_status_make(TUNE_NOT_FOUND, "%s", builder.text);
  tune_string_builder_deinit(&builder);
  return status;
}

static tune_status outside_domain(const tune_knob *knob, const char *value) {
  tune_string_builder builder;
  tune_string_builder_init(&builder);
  for (size_t i = 0; i < knob->value_count; ++i) {
    // A domain of hundreds of values helps nobody.
    if (i == 32 && knob->value_count > 40) {
      tune_string_builder_appendf(&builder, ", ... (%zu values)", knob->value_count);
      break;
    }
    tune_string_builder_append(&builder, i ? ", " : "");
    tune_knob_append_value(&builder, knob, i);
  }
  char *domain = NULL;
  TUNE_RETURN_IF_ERROR(tune_string_builder_finish(&builder, &domain));
  const char *nearest =
      knob->labels ? tune_nearest_of(value, (const char *const *)knob->labels, knob->value_count)
                   : NULL;
  tune_status status = tune_status_make(
      TUNE_INVALID_ARGUMENT, "knob \"%s\" has the value %s, not in its domain [%s]%s%s%s",
      knob->name, value, domain, nearest ? "; did you mean " : "", nearest ? nearest : "",
      nearest ? "?" : "");
  free(domain);
  return status;
}

//===- JSON -------------------------------------------------------------------===//

tune_status tune_config_to_json(const tune_config *config, const tune_space *space, json_t **out) {
  *out = json_object();
  bool ok = *out != NULL;
  for (size_t i = 0; ok && i < config->count; ++i)
    ok = json_object_set_new(*out, tune_space_knob(space, i)->name,
                             json_integer(tune_config_value(config, space, i))) == 0;
  if (ok)
    return TUNE_OK;
  json_decref(*out);
  *out = NULL;
  return tune_status_out_of_memory("out of memory while making a config");
}

static tune_status set_from_json(tune_config *config, const tune_space *space, const char *name,
                                 const json_t *value) {
  size_t index = tune_space_find_knob(space, name);
  if (index == SIZE_MAX)
    return unknown_knob(space, name);
  const tune_knob *knob = tune_space_knob(space, index);
  if (!json_is_integer(value))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "knob \"%s\" is not given an integer", name);
  size_t choice = tune_knob_find_value(knob, json_integer_value(value));
  if (choice == SIZE_MAX) {
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
    return outside_domain(knob, text);
  }
  config->choices[index] = (uint16_t)choice;
  return TUNE_OK;
}

tune_status tune_config_from_json(tune_config *config, const tune_space *space,
                                  const json_t *object) {
  *config = (tune_config){0};
  if (!json_is_object(object))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "a config is a JSON object from knob names to integers");
  TUNE_RETURN_IF_ERROR(tune_config_init_default(config, space));
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)object, name, value) {
    tune_status status = set_from_json(config, space, name, value);
    if (!tune_status_is_ok(status)) {
      tune_config_deinit(config);
      return status;
    }
  }
  return TUNE_OK;
}

// Reads what a record has for a knob; false where that is none of its values.
static bool read_choice(tune_config *config, const tune_space *space, size_t index,
                        const json_t *object) {
  const tune_knob *knob = tune_space_knob(space, index);
  const json_t *value = json_object_get(object, knob->name);
  size_t choice =
      json_is_integer(value) ? tune_knob_find_value(knob, json_integer_value(value)) : SIZE_MAX;
  if (choice != SIZE_MAX)
    config->choices[index] = (uint16_t)choice;
  return choice != SIZE_MAX;
}

// A knob that does nothing may have any number: a narrowed space has another default for it.
static bool may_have_any(const tune_space *space, size_t index, const json_t *object) {
  return tune_space_condition(space, index) &&
         json_is_integer(json_object_get(object, tune_space_knob(space, index)->name));
}

static bool read_record(tune_config *config, const tune_space *space, const json_t *object) {
  if (json_object_size(object) != config->count)
    return false;
  for (size_t i = 0; i < config->count; ++i)
    if (!read_choice(config, space, i, object) && !may_have_any(space, i, object))
      return false;
  tune_config_settle(config, space);
  for (size_t i = 0; i < config->count; ++i) {
    const tune_constraint *condition = tune_space_condition(space, i);
    if (condition && tune_constraint_holds(condition, tune_space_knobs(space), config->choices) &&
        !read_choice(config, space, i, object))
      return false;
  }
  return tune_config_is_valid(config, space, NULL);
}

static bool differs_from_record(const tune_config *config, const tune_space *space,
                                const json_t *object) {
  for (size_t i = 0; i < config->count; ++i)
    if (json_integer_value(json_object_get(object, tune_space_knob(space, i)->name)) !=
        tune_config_value(config, space, i))
      return true;
  return false;
}

tune_status tune_config_find(tune_config *config, const tune_space *space, const char *json,
                             bool *out_found, bool *out_is_settled) {
  *out_found = false;
  json_error_t error;
  json_t *object = tune_json_load(json, strlen(json), &error);
  if (!object)
    return tune_json_lacks_memory(&error)
               ? tune_status_out_of_memory("reading the config of a record")
               : TUNE_OK;
  tune_status status = tune_config_init_default(config, space);
  if (tune_status_is_ok(status)) {
    *out_found = read_record(config, space, object);
    if (*out_found && out_is_settled)
      *out_is_settled = differs_from_record(config, space, object);
    if (!*out_found)
      tune_config_deinit(config);
  }
  json_decref(object);
  return status;
}

// What a record's object has that is none of the space's, or lacks.
static tune_status check_members(const tune_space *space, const json_t *object) {
  tune_config config;
  TUNE_RETURN_IF_ERROR(tune_config_from_json(&config, space, object));
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < config.count && tune_status_is_ok(status); ++i)
    if (!json_object_get(object, tune_space_knob(space, i)->name))
      status = tune_status_make(TUNE_INVALID_ARGUMENT, "knob \"%s\" has no value",
                                tune_space_knob(space, i)->name);
  const tune_constraint *violated = NULL;
  if (tune_status_is_ok(status) && !tune_config_is_valid(&config, space, &violated)) {
    const char *why = tune_constraint_why(violated);
    status = tune_status_make(TUNE_INVALID_ARGUMENT, "it violates %s%s%s",
                              tune_constraint_text(violated), why ? ": " : "", why ? why : "");
  }
  tune_config_deinit(&config);
  return status;
}

tune_status tune_config_explain(const tune_space *space, const char *json) {
  tune_config config;
  bool is_found;
  TUNE_RETURN_IF_ERROR(tune_config_find(&config, space, json, &is_found, NULL));
  if (is_found) {
    tune_config_deinit(&config);
    return TUNE_OK;
  }
  json_error_t error;
  json_t *object = tune_json_load(json, strlen(json), &error);
  tune_status status = object ? check_members(space, object)
                              : tune_status_make(TUNE_INVALID_ARGUMENT, "it is no JSON object");
  json_decref(object);
  return status;
}

//===- Text -------------------------------------------------------------------===//

tune_status tune_config_to_text(const tune_config *config, const tune_space *space,
                                char **out_text) {
  tune_string_builder builder;
  tune_string_builder_init(&builder);
  for (size_t i = 0; i < config->count; ++i) {
    const tune_knob *knob = tune_space_knob(space, i);
    tune_string_builder_appendf(&builder, "%s%s=", i ? "," : "", knob->name);
    tune_knob_append_value(&builder, knob, config->choices[i]);
  }
  return tune_string_builder_finish(&builder, out_text);
}

static size_t find_label(const tune_knob *knob, const char *text) {
  for (size_t i = 0; knob->labels && i < knob->value_count; ++i)
    if (strcmp(knob->labels[i], text) == 0)
      return i;
  return SIZE_MAX;
}

// The number of the value written as `text`, a label or an integer, or SIZE_MAX.
static size_t find_value(const tune_knob *knob, const char *text) {
  size_t choice = find_label(knob, text);
  if (choice != SIZE_MAX)
    return choice;
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (end == text || *end || errno == ERANGE)
    return SIZE_MAX;
  return tune_knob_find_value(knob, value);
}

// Sets one knob from "name=value".
static tune_status set_from_text(tune_config *config, const tune_space *space, char *item) {
  char *equals = strchr(item, '=');
  if (!equals)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "expected knob=value, got '%s'", item);
  *equals = '\0';
  size_t index = tune_space_find_knob(space, item);
  if (index == SIZE_MAX)
    return unknown_knob(space, item);
  const tune_knob *knob = tune_space_knob(space, index);
  size_t choice = find_value(knob, equals + 1);
  if (choice == SIZE_MAX)
    return outside_domain(knob, equals + 1);
  config->choices[index] = (uint16_t)choice;
  return TUNE_OK;
}

tune_status tune_config_from_text(tune_config *config, const tune_space *space, const char *text) {
  *config = (tune_config){0};
  char *copy = strdup(text);
  if (!copy)
    return tune_status_out_of_memory("out of memory while making a config");
  tune_status status = tune_config_init_default(config, space);
  char *rest = copy;
  while (tune_status_is_ok(status) && *text && rest)
    status = set_from_text(config, space, strsep(&rest, ","));
  free(copy);
  if (!tune_status_is_ok(status))
    tune_config_deinit(config);
  return status;
}
