//===- knobs.c ----------------------------------------------------------------===//

#include "tuning/space/knobs.h"

#include "support/nearest.h"

#include <stdlib.h>
#include <string.h>

static const char *const level_names[TUNE_LEVEL_COUNT] = {
    "graph", "linalg", "vector", "loop", "buffer", "gpu", "target",
};

const char *tune_level_name(tune_level level) { return level_names[level]; }

tune_status tune_level_parse(const char *text, tune_level *out_level) {
  for (size_t i = 0; i < TUNE_LEVEL_COUNT; ++i) {
    if (strcmp(text, level_names[i]) == 0) {
      *out_level = (tune_level)i;
      return TUNE_OK;
    }
  }
  return tune_status_make(
      TUNE_INVALID_ARGUMENT,
      "'%s' is no level; there are graph, linalg, vector, loop, buffer, gpu and target", text);
}

//===- One knob ---------------------------------------------------------------===//

// A word that stands alone in "name=value,name=value".
static bool is_word(const char *text) { return *text && !strpbrk(text, " \t\r\n,='\""); }

static bool looks_like_integer(const char *text) {
  char *end;
  strtoll(text, &end, 10);
  return end != text && !*end;
}

static tune_status check_domain(const tune_knob *knob) {
  if (knob->value_count == 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "knob \"%s\" has an empty domain", knob->name);
  if (knob->value_count > UINT16_MAX)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "knob \"%s\" has %zu values, more than %d",
                            knob->name, knob->value_count, UINT16_MAX);
  if (knob->default_index >= knob->value_count)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "knob \"%s\" has the default number %zu, but only %zu values",
                            knob->name, knob->default_index, knob->value_count);
  for (size_t i = 1; i < knob->value_count; ++i) {
    if (knob->is_ordered && knob->values[i] < knob->values[i - 1])
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              "knob \"%s\" is ordered, but %lld comes after %lld", knob->name,
                              (long long)knob->values[i], (long long)knob->values[i - 1]);
    // Where they ascend, equal ones are neighbours.
    for (size_t j = knob->is_ordered ? i - 1 : 0; j < i; ++j)
      if (knob->values[i] == knob->values[j])
        return tune_status_make(TUNE_INVALID_ARGUMENT, "knob \"%s\" has the value %lld twice",
                                knob->name, (long long)knob->values[i]);
  }
  return TUNE_OK;
}

static tune_status check_labels(const tune_knob *knob) {
  for (size_t i = 0; knob->labels && i < knob->value_count; ++i) {
    if (!is_word(knob->labels[i]) || looks_like_integer(knob->labels[i]))
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              "knob \"%s\" has the label '%s', expected a word without spaces, "
                              "commas, '=' and quotes that is no integer",
                              knob->name, knob->labels[i]);
    for (size_t j = 0; j < i; ++j)
      if (strcmp(knob->labels[i], knob->labels[j]) == 0)
        return tune_status_make(TUNE_INVALID_ARGUMENT, "knob \"%s\" has the label '%s' twice",
                                knob->name, knob->labels[i]);
  }
  return TUNE_OK;
}

static void knob_deinit(tune_knob *knob) {
  for (size_t i = 0; knob->labels && i < knob->value_count; ++i)
    free(knob->labels[i]);
  free(knob->labels);
  free(knob->places);
  free(knob->values);
  free(knob->name);
}

static tune_status knob_init_copy(tune_knob *knob, const tune_knob *other) {
  *knob = *other;
  size_t size = other->value_count * sizeof *knob->values;
  knob->name = strdup(other->name);
  knob->values = malloc(size);
  knob->labels = other->labels ? calloc(other->value_count, sizeof *knob->labels) : NULL;
  knob->places = other->places ? calloc(other->value_count, sizeof *knob->places) : NULL;
  bool ok = knob->name && knob->values && (knob->labels || !other->labels) &&
            (knob->places || !other->places);
  if (knob->values)
    memcpy(knob->values, other->values, size);
  if (knob->places)
    memcpy(knob->places, other->places, other->value_count * sizeof *knob->places);
  for (size_t i = 0; knob->labels && i < other->value_count; ++i) {
    knob->labels[i] = strdup(other->labels[i]);
    ok = ok && knob->labels[i];
  }
  if (ok)
    return TUNE_OK;
  knob_deinit(knob);
  return tune_status_out_of_memory("out of memory while making a space");
}

size_t tune_knob_find_value(const tune_knob *knob, int64_t value) {
  for (size_t i = 0; i < knob->value_count; ++i)
    if (knob->values[i] == value)
      return i;
  return SIZE_MAX;
}

size_t tune_knob_whole_count(const tune_knob *knob) {
  return knob->places ? knob->whole_count : knob->value_count;
}

size_t tune_knob_place(const tune_knob *knob, size_t index) {
  return knob->places ? knob->places[index] : index;
}

void tune_knob_append_value(tune_string_builder *text, const tune_knob *knob, size_t index) {
  if (knob->labels)
    tune_string_builder_append(text, knob->labels[index]);
  else
    tune_string_builder_appendf(text, "%lld", (long long)knob->values[index]);
}

//===- Many -------------------------------------------------------------------===//

static tune_status make_room(tune_knobs *knobs) {
  if (knobs->count < knobs->capacity)
    return TUNE_OK;
  size_t capacity = knobs->capacity ? 2 * knobs->capacity : 8;
  tune_knob *grown = realloc(knobs->knobs, capacity * sizeof *grown);
  if (!grown)
    return tune_status_out_of_memory("out of memory while making a space");
  knobs->knobs = grown;
  knobs->capacity = capacity;
  return TUNE_OK;
}

tune_status tune_knobs_add(tune_knobs *knobs, const tune_knob *knob) {
  if (!knob->name || !is_word(knob->name))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "'%s' is no name for a knob: expected a word without spaces, commas, "
                            "'=' and quotes",
                            knob->name ? knob->name : "");
  if (tune_knobs_find(knobs, knob->name) != SIZE_MAX)
    return tune_status_make(TUNE_ALREADY_EXISTS, "there is a knob \"%s\" already", knob->name);
  TUNE_RETURN_IF_ERROR(check_domain(knob));
  TUNE_RETURN_IF_ERROR(check_labels(knob));
  TUNE_RETURN_IF_ERROR(make_room(knobs));
  TUNE_RETURN_IF_ERROR(knob_init_copy(&knobs->knobs[knobs->count], knob));
  ++knobs->count;
  return TUNE_OK;
}

void tune_knobs_deinit(tune_knobs *knobs) {
  for (size_t i = 0; i < knobs->count; ++i)
    knob_deinit(&knobs->knobs[i]);
  free(knobs->knobs);
  *knobs = (tune_knobs){0};
}

size_t tune_knobs_find(const tune_knobs *knobs, const char *name) {
  for (size_t i = 0; i < knobs->count; ++i)
    if (strcmp(knobs->knobs[i].name, name) == 0)
      return i;
  return SIZE_MAX;
}

const char *tune_knobs_nearest(const tune_knobs *knobs, const char *name) {
  tune_nearest nearest;
  tune_nearest_init(&nearest, name);
  for (size_t i = 0; i < knobs->count; ++i)
    tune_nearest_offer(&nearest, knobs->knobs[i].name);
  return nearest.best;
}
