//===- narrowed.c -------------------------------------------------------------===//

#include "tuning/space/narrowed.h"

#include "tuning/space/constraint.h"

#include <stdlib.h>

static size_t distance_of(const tune_knob *knob, size_t index) {
  return index > knob->default_index ? index - knob->default_index : knob->default_index - index;
}

// Fills `narrowed`, whose arrays have room for all values, with those that stay.
static void take_allowed(const tune_knob *knob, const bool *allowed, tune_knob *narrowed) {
  size_t nearest = SIZE_MAX;
  for (size_t i = 0; i < knob->value_count; ++i) {
    if (!allowed[i])
      continue;
    if (distance_of(knob, i) < nearest) {
      nearest = distance_of(knob, i);
      narrowed->default_index = narrowed->value_count;
    }
    if (narrowed->labels)
      narrowed->labels[narrowed->value_count] = knob->labels[i];
    narrowed->places[narrowed->value_count] = tune_knob_place(knob, i);
    narrowed->values[narrowed->value_count++] = knob->values[i];
  }
}

static tune_status add_knob(tune_space *space, const tune_knob *knob, const bool *allowed) {
  tune_knob narrowed = *knob;
  narrowed.value_count = narrowed.default_index = 0;
  narrowed.whole_count = tune_knob_whole_count(knob);
  narrowed.values = calloc(knob->value_count, sizeof *narrowed.values);
  narrowed.places = calloc(knob->value_count, sizeof *narrowed.places);
  narrowed.labels = knob->labels ? calloc(knob->value_count, sizeof *narrowed.labels) : NULL;
  tune_status status = TUNE_OK;
  if (!narrowed.values || !narrowed.places || (knob->labels && !narrowed.labels))
    status = tune_status_out_of_memory("out of memory while making a space");
  if (tune_status_is_ok(status)) {
    take_allowed(knob, allowed, &narrowed);
    status = tune_space_add_knob(space, &narrowed);
  }
  free(narrowed.values);
  free(narrowed.places);
  free(narrowed.labels);
  return status;
}

tune_status tune_space_add_narrowed(tune_space *space, const tune_space *whole,
                                    bool *const *allowed) {
  for (size_t i = 0; i < tune_space_knob_count(whole); ++i)
    TUNE_RETURN_IF_ERROR(add_knob(space, tune_space_knob(whole, i), allowed[i]));
  for (size_t i = 0; i < tune_space_constraint_count(whole); ++i) {
    if (tune_space_constraint_is_implied(whole, i))
      continue;
    const tune_constraint *constraint = tune_space_constraint(whole, i);
    TUNE_RETURN_IF_ERROR(tune_space_add_constraint(space, tune_constraint_text(constraint),
                                                   tune_constraint_why(constraint)));
  }
  for (size_t i = 0; i < tune_space_knob_count(whole); ++i) {
    const tune_constraint *condition = tune_space_condition(whole, i);
    if (condition)
      TUNE_RETURN_IF_ERROR(tune_space_add_condition(space, i, tune_constraint_text(condition)));
  }
  return TUNE_OK;
}
