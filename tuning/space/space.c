//===- space.c ----------------------------------------------------------------===//

#include "tuning/space/space.h"

#include "support/nearest.h"
#include "tuning/space/constraint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const level_names[TUNE_LEVEL_COUNT] = {
    "graph", "linalg", "vector", "loop", "buffer", "gpu", "target",
};

struct tune_space {
  tune_knob *knobs;
  size_t knob_count, knob_capacity;
  tune_constraint **constraints;
  size_t constraint_count, constraint_capacity;
  struct condition *conditions;
  size_t condition_count, condition_capacity;
};

// Where a knob does something, and the constraint that has it keep its default elsewhere.
struct condition {
  size_t knob;
  size_t implied; // number of the constraint
  tune_constraint *holds;
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

tune_status tune_space_create(tune_space **out_space) {
  *out_space = calloc(1, sizeof **out_space);
  return *out_space ? TUNE_OK : tune_status_out_of_memory("out of memory while making a space");
}

static void knob_deinit(tune_knob *knob) {
  for (size_t i = 0; knob->labels && i < knob->value_count; ++i)
    free(knob->labels[i]);
  free(knob->labels);
  free(knob->values);
  free(knob->name);
}

void tune_space_destroy(tune_space *space) {
  if (!space)
    return;
  for (size_t i = 0; i < space->constraint_count; ++i)
    tune_constraint_destroy(space->constraints[i]);
  for (size_t i = 0; i < space->condition_count; ++i)
    tune_constraint_destroy(space->conditions[i].holds);
  for (size_t i = 0; i < space->knob_count; ++i)
    knob_deinit(&space->knobs[i]);
  free(space->conditions);
  free(space->constraints);
  free(space->knobs);
  free(space);
}

//===- Knobs ------------------------------------------------------------------===//

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

static tune_status knob_init_copy(tune_knob *knob, const tune_knob *other) {
  *knob = *other;
  size_t size = other->value_count * sizeof *knob->values;
  knob->name = strdup(other->name);
  knob->values = malloc(size);
  knob->labels = other->labels ? calloc(other->value_count, sizeof *knob->labels) : NULL;
  bool ok = knob->name && knob->values && (knob->labels || !other->labels);
  if (knob->values)
    memcpy(knob->values, other->values, size);
  for (size_t i = 0; knob->labels && i < other->value_count; ++i) {
    knob->labels[i] = strdup(other->labels[i]);
    ok = ok && knob->labels[i];
  }
  if (ok)
    return TUNE_OK;
  knob_deinit(knob);
  return tune_status_out_of_memory("out of memory while making a space");
}

// Makes room for one more element in the array at `*array`.
static tune_status grow(void **array, size_t count, size_t *capacity, size_t element_size) {
  if (count < *capacity)
    return TUNE_OK;
  size_t new_capacity = *capacity ? 2 * *capacity : 8;
  void *grown = realloc(*array, new_capacity * element_size);
  if (!grown)
    return tune_status_out_of_memory("out of memory while making a space");
  *array = grown;
  *capacity = new_capacity;
  return TUNE_OK;
}

tune_status tune_space_add_knob(tune_space *space, const tune_knob *knob) {
  if (!knob->name || !is_word(knob->name))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "'%s' is no name for a knob: expected a word without spaces, commas, "
                            "'=' and quotes",
                            knob->name ? knob->name : "");
  if (tune_space_find_knob(space, knob->name) != SIZE_MAX)
    return tune_status_make(TUNE_ALREADY_EXISTS, "there is a knob \"%s\" already", knob->name);
  TUNE_RETURN_IF_ERROR(check_domain(knob));
  TUNE_RETURN_IF_ERROR(check_labels(knob));
  void *knobs = space->knobs;
  TUNE_RETURN_IF_ERROR(grow(&knobs, space->knob_count, &space->knob_capacity, sizeof *knob));
  space->knobs = knobs;
  TUNE_RETURN_IF_ERROR(knob_init_copy(&space->knobs[space->knob_count], knob));
  ++space->knob_count;
  return TUNE_OK;
}

size_t tune_space_knob_count(const tune_space *space) { return space->knob_count; }

const tune_knob *tune_space_knob(const tune_space *space, size_t index) {
  return &space->knobs[index];
}

size_t tune_space_find_knob(const tune_space *space, const char *name) {
  for (size_t i = 0; i < space->knob_count; ++i)
    if (strcmp(space->knobs[i].name, name) == 0)
      return i;
  return SIZE_MAX;
}

const char *tune_space_nearest_knob(const tune_space *space, const char *name) {
  tune_nearest nearest;
  tune_nearest_init(&nearest, name);
  for (size_t i = 0; i < space->knob_count; ++i)
    tune_nearest_offer(&nearest, space->knobs[i].name);
  return nearest.best;
}

size_t tune_knob_find_value(const tune_knob *knob, int64_t value) {
  for (size_t i = 0; i < knob->value_count; ++i)
    if (knob->values[i] == value)
      return i;
  return SIZE_MAX;
}

void tune_knob_append_value(tune_string_builder *text, const tune_knob *knob, size_t index) {
  if (knob->labels)
    tune_string_builder_append(text, knob->labels[index]);
  else
    tune_string_builder_appendf(text, "%lld", (long long)knob->values[index]);
}

//===- Constraints ------------------------------------------------------------===//

tune_status tune_space_add_constraint(tune_space *space, const char *expression, const char *why) {
  void *constraints = space->constraints;
  TUNE_RETURN_IF_ERROR(grow(&constraints, space->constraint_count, &space->constraint_capacity,
                            sizeof *space->constraints));
  space->constraints = constraints;
  TUNE_RETURN_IF_ERROR(
      tune_constraint_create(space, expression, why, &space->constraints[space->constraint_count]));
  ++space->constraint_count;
  return TUNE_OK;
}

size_t tune_space_constraint_count(const tune_space *space) { return space->constraint_count; }

const tune_constraint *tune_space_constraint(const tune_space *space, size_t index) {
  return space->constraints[index];
}

//===- Conditions -------------------------------------------------------------===//

tune_status tune_space_add_condition(tune_space *space, size_t knob, const char *expression) {
  void *conditions = space->conditions;
  TUNE_RETURN_IF_ERROR(grow(&conditions, space->condition_count, &space->condition_capacity,
                            sizeof *space->conditions));
  space->conditions = conditions;
  const tune_knob *of = &space->knobs[knob];
  char *text = NULL, *why = NULL;
  if (asprintf(&text, "(%s) || '%s' == %lld", expression, of->name,
               (long long)of->values[of->default_index]) < 0)
    return tune_status_out_of_memory("out of memory while making a space");
  if (asprintf(&why, "%s does nothing in the alternative that is chosen: leave it out", of->name) <
      0) {
    free(text);
    return tune_status_out_of_memory("out of memory while making a space");
  }
  struct condition condition = {.knob = knob, .implied = space->constraint_count};
  tune_status status = tune_constraint_create(space, expression, NULL, &condition.holds);
  if (tune_status_is_ok(status))
    status = tune_space_add_constraint(space, text, why);
  free(why);
  free(text);
  if (!tune_status_is_ok(status)) {
    tune_constraint_destroy(condition.holds);
    return status;
  }
  space->conditions[space->condition_count++] = condition;
  return TUNE_OK;
}

bool tune_space_constraint_is_implied(const tune_space *space, size_t index) {
  for (size_t i = 0; i < space->condition_count; ++i)
    if (space->conditions[i].implied == index)
      return true;
  return false;
}

const tune_constraint *tune_space_condition(const tune_space *space, size_t knob) {
  for (size_t i = 0; i < space->condition_count; ++i)
    if (space->conditions[i].knob == knob)
      return space->conditions[i].holds;
  return NULL;
}

uint64_t tune_space_size(const tune_space *space) {
  uint64_t size = 1;
  for (size_t i = 0; i < space->knob_count; ++i)
    if (__builtin_mul_overflow(size, (uint64_t)space->knobs[i].value_count, &size))
      return UINT64_MAX;
  return size;
}
