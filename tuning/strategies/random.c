//===- random.c ---------------------------------------------------------------===//

#include "tuning/strategies/strategies.h"

static tune_status random_create(const tune_strategy_context *context, void **out_self) {
  (void)context;
  *out_self = NULL; // all it needs is in the context
  return TUNE_OK;
}

static void random_destroy(void *self) { (void)self; }

static tune_status random_propose(void *self, const tune_strategy_context *context,
                                  tune_config *config, bool *out_found) {
  (void)self;
  *out_found = tune_sampler_draw(context->sampler, context->random, config);
  return TUNE_OK;
}

const tune_strategy_class tune_strategy_random = {
    .name = "random",
    .summary = "uniform over the valid configs",
    .create = random_create,
    .destroy = random_destroy,
    .propose = random_propose,
};
