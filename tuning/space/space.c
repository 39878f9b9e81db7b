//===- space.c ----------------------------------------------------------------===//

#include "tuning/space/space.h"

#include "tuning/space/constraint.h"

#include <stdio.h>
#include <stdlib.h>

struct tune_space {
  tune_knobs knobs;
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

tune_status tune_space_create(tune_space **out_space) {
  *out_space = calloc(1, sizeof **out_space);
  return *out_space ? TUNE_OK : tune_status_out_of_memory("out of memory while making a space");
}

void tune_space_destroy(tune_space *space) {
  if (!space)
    return;
  for (size_t i = 0; i < space->constraint_count; ++i)
    tune_constraint_destroy(space->constraints[i]);
  for (size_t i = 0; i < space->condition_count; ++i)
    tune_constraint_destroy(space->conditions[i].holds);
  free(space->conditions);
  free(space->constraints);
  tune_knobs_deinit(&space->knobs);
  free(space);
}

//===- Knobs ------------------------------------------------------------------===//

tune_status tune_space_add_knob(tune_space *space, const tune_knob *knob) {
  return tune_knobs_add(&space->knobs, knob);
}

const tune_knobs *tune_space_knobs(const tune_space *space) { return &space->knobs; }

size_t tune_space_knob_count(const tune_space *space) { return space->knobs.count; }

const tune_knob *tune_space_knob(const tune_space *space, size_t index) {
  return &space->knobs.knobs[index];
}

size_t tune_space_find_knob(const tune_space *space, const char *name) {
  return tune_knobs_find(&space->knobs, name);
}

const char *tune_space_nearest_knob(const tune_space *space, const char *name) {
  return tune_knobs_nearest(&space->knobs, name);
}

//===- Constraints ------------------------------------------------------------===//

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

tune_status tune_space_add_constraint(tune_space *space, const char *expression, const char *why) {
  void *constraints = space->constraints;
  TUNE_RETURN_IF_ERROR(grow(&constraints, space->constraint_count, &space->constraint_capacity,
                            sizeof *space->constraints));
  space->constraints = constraints;
  TUNE_RETURN_IF_ERROR(tune_constraint_create(&space->knobs, expression, why,
                                              &space->constraints[space->constraint_count]));
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
  const tune_knob *of = &space->knobs.knobs[knob];
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
  tune_status status = tune_constraint_create(&space->knobs, expression, NULL, &condition.holds);
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
  for (size_t i = 0; i < space->knobs.count; ++i)
    if (__builtin_mul_overflow(size, (uint64_t)space->knobs.knobs[i].value_count, &size))
      return UINT64_MAX;
  return size;
}
