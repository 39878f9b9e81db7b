//===- conflict.c -------------------------------------------------------------===//

#include "tuning/space/conflict.h"

#include "tuning/space/constraint.h"
#include "tuning/space/sampler.h"

#include <stdlib.h>

// When so many partial configs were tried, some seconds, no further constraint is left out to see
// whether it matters. A clock would find others on a slower machine.
#define LOOK_EFFORT ((size_t)4000000)

// The knobs of `space` with those of its constraints that `is_left`.
static tune_status copy_space(const tune_space *space, const bool *is_left,
                              tune_space **out_space) {
  TUNE_RETURN_IF_ERROR(tune_space_create(out_space));
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < tune_space_knob_count(space) && tune_status_is_ok(status); ++i)
    status = tune_space_add_knob(*out_space, tune_space_knob(space, i));
  for (size_t i = 0; i < tune_space_constraint_count(space) && tune_status_is_ok(status); ++i)
    if (is_left[i])
      status = tune_space_add_constraint(
          *out_space, tune_constraint_text(tune_space_constraint(space, i)), NULL);
  if (!tune_status_is_ok(status))
    tune_space_destroy(*out_space);
  return status;
}

// Takes what it took off `*effort`; where nothing is left, nobody knows.
static tune_status has_valid_config(const tune_space *space, const bool *is_left, size_t *effort,
                                    bool *out_has) {
  tune_space *copy;
  tune_sampler *sampler = NULL;
  tune_config config;
  tune_random random;
  tune_random_init(&random, 0);
  TUNE_RETURN_IF_ERROR(copy_space(space, is_left, &copy));
  tune_status status = tune_config_init_default(&config, copy);
  if (tune_status_is_ok(status)) {
    status = tune_sampler_create(copy, &sampler);
    if (tune_status_is_ok(status))
      *out_has = tune_sampler_draw_within(sampler, &random, &config, effort);
    tune_sampler_destroy(sampler);
    tune_config_deinit(&config);
  }
  tune_space_destroy(copy);
  return status;
}

// Leaves what cannot be left out.
static tune_status reduce(const tune_space *space, bool *is_left) {
  size_t count = tune_space_constraint_count(space), effort = LOOK_EFFORT;
  for (size_t i = 0; i < count && effort > 0; ++i) {
    bool matters;
    is_left[i] = false;
    TUNE_RETURN_IF_ERROR(has_valid_config(space, is_left, &effort, &matters));
    is_left[i] = matters || effort == 0;
  }
  return TUNE_OK;
}

tune_status tune_conflict_find(const tune_space *space, size_t *constraints, size_t *out_count) {
  size_t count = tune_space_constraint_count(space);
  *out_count = 0;
  bool *is_left = calloc(count + 1, sizeof *is_left);
  if (!is_left)
    return tune_status_out_of_memory("out of memory while looking at constraints");
  for (size_t i = 0; i < count; ++i)
    is_left[i] = true;
  tune_status status = reduce(space, is_left);
  for (size_t i = 0; i < count && tune_status_is_ok(status); ++i)
    if (is_left[i])
      constraints[(*out_count)++] = i;
  free(is_left);
  return status;
}
