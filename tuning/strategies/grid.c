//===- grid.c -----------------------------------------------------------------===//

#include "tuning/strategies/strategies.h"

#include <stdlib.h>

static tune_status grid_create(const tune_strategy_context *context, void **out_self) {
  (void)context;
  *out_self = calloc(1, sizeof(tune_sampler_walk));
  return *out_self ? TUNE_OK : tune_status_out_of_memory("out of memory");
}

static void grid_destroy(void *self) {
  tune_sampler_walk_deinit(self);
  free(self);
}

static tune_status grid_propose(void *self, const tune_strategy_context *context,
                                tune_config *config, bool *out_found) {
  // Passes what is known itself: the strategy around it would take many known ones in a row for a
  // sign of exhaustion.
  do
    TUNE_RETURN_IF_ERROR(tune_sampler_walk_next(context->sampler, self, config, out_found));
  while (*out_found && tune_config_set_find(context->known, config) != SIZE_MAX);
  return TUNE_OK;
}

const tune_strategy_class tune_strategy_grid = {
    .name = "grid",
    .summary = "every valid config, in order",
    .create = grid_create,
    .destroy = grid_destroy,
    .propose = grid_propose,
};
