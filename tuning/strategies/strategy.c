//===- strategy.c -------------------------------------------------------------===//

#include "tuning/strategies/strategy.h"

#include "support/nearest.h"
#include "tuning/strategies/strategies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// How often a class may propose what is known before something else is drawn for it, and how often
// that is tried before the space is walked.
#define PROPOSAL_TRIES 48
#define DRAW_TRIES 48

#define ROW(name) &tune_strategy_##name,
static const tune_strategy_class *const classes[] = {TUNE_FOR_EACH_STRATEGY(ROW)};

#define CLASS_COUNT (sizeof classes / sizeof *classes)

struct tune_strategy {
  const tune_strategy_class *class;
  const char *name;
  void *self;
  tune_strategy_options options;
  tune_sampler *sampler;
  tune_random random;
  tune_config_set known;
  tune_config_set seeded; // the first `seeded_used` were proposed
  size_t seeded_used;
  tune_sampler_walk walk; // the last resort
  tune_strategy_context context;
};

const tune_strategy_class *const *tune_strategy_classes(size_t *out_count) {
  *out_count = CLASS_COUNT;
  return classes;
}

const char *tune_selection_name(tune_selection selection) {
  return selection == TUNE_SELECTION_TOURNAMENT ? "tournament" : "proportional";
}

tune_status tune_selection_parse(const char *text, tune_selection *out_selection) {
  for (int i = TUNE_SELECTION_TOURNAMENT; i <= TUNE_SELECTION_PROPORTIONAL; ++i) {
    if (strcmp(text, tune_selection_name((tune_selection)i)) == 0) {
      *out_selection = (tune_selection)i;
      return TUNE_OK;
    }
  }
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "'%s' is no selection; there are tournament and proportional", text);
}

void tune_strategy_options_init(tune_strategy_options *options) {
  *options = (tune_strategy_options){.mutation_rate = -1, .immigrants = -1};
}

//===- Creation ---------------------------------------------------------------===//

static const char *get_class_name(const void *table, size_t index) {
  return ((const tune_strategy_class *const *)table)[index]->name;
}

tune_status tune_strategy_find_class(const char *name, const tune_strategy_class **out_class) {
  const tune_nearest_words words = {"there are", classes, CLASS_COUNT, get_class_name};
  for (size_t i = 0; i < CLASS_COUNT; ++i)
    if (strcmp(classes[i]->name, name) == 0) {
      *out_class = classes[i];
      return TUNE_OK;
    }
  return tune_nearest_refuse(TUNE_NOT_FOUND, "no strategy", name, &words);
}

static tune_status check_options(const tune_strategy_options *options) {
  if (!(options->mutation_rate <= 1))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "mutation rate %g, expected 0 to 1",
                            options->mutation_rate);
  if (!(options->immigrants <= 1))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "share of immigrants %g, expected 0 to 1",
                            options->immigrants);
  return TUNE_OK;
}

tune_status tune_strategy_create(const char *name, const tune_space *space,
                                 const tune_strategy_options *options,
                                 tune_strategy **out_strategy) {
  *out_strategy = NULL;
  const tune_strategy_class *class = NULL;
  TUNE_RETURN_IF_ERROR(tune_strategy_find_class(name, &class));
  return tune_strategy_create_of(class, class->name, NULL, space, options, out_strategy);
}

tune_status tune_strategy_create_of(const tune_strategy_class *of, const char *name,
                                    const void *argument, const tune_space *space,
                                    const tune_strategy_options *options,
                                    tune_strategy **out_strategy) {
  *out_strategy = NULL;
  TUNE_RETURN_IF_ERROR(check_options(options));
  tune_strategy *strategy = calloc(1, sizeof *strategy);
  if (!strategy)
    return tune_status_out_of_memory("out of memory while creating a strategy");
  strategy->class = of;
  strategy->name = name;
  strategy->options = *options;
  tune_random_init(&strategy->random, options->seed);
  tune_config_set_init(&strategy->known);
  tune_config_set_init(&strategy->seeded);
  tune_status status = tune_sampler_create(space, &strategy->sampler);
  if (tune_status_is_ok(status)) {
    strategy->context = (tune_strategy_context){
        space,   &strategy->options, strategy->sampler, &strategy->random, &strategy->known,
        argument};
    status = of->create(&strategy->context, &strategy->self);
    strategy->context.argument = NULL;
  }
  if (!tune_status_is_ok(status)) {
    tune_strategy_destroy(strategy);
    return status;
  }
  *out_strategy = strategy;
  return TUNE_OK;
}

void tune_strategy_destroy(tune_strategy *strategy) {
  if (!strategy)
    return;
  if (strategy->self)
    strategy->class->destroy(strategy->self);
  tune_sampler_destroy(strategy->sampler);
  tune_sampler_walk_deinit(&strategy->walk);
  tune_config_set_deinit(&strategy->known);
  tune_config_set_deinit(&strategy->seeded);
  free(strategy);
}

const char *tune_strategy_name(const tune_strategy *strategy) { return strategy->name; }

bool tune_strategy_learns(const tune_strategy *strategy) { return strategy->class->learn != NULL; }

bool tune_strategy_waits(const tune_strategy *strategy) {
  return strategy->class->waits && strategy->class->waits(strategy->self);
}

void tune_strategy_note_time(tune_strategy *strategy, double share) {
  if (strategy->class->note_time)
    strategy->class->note_time(strategy->self, share);
}

//===- Asking -----------------------------------------------------------------===//

tune_status tune_strategy_seed_config(tune_strategy *strategy, const tune_config *config) {
  tune_config valid;
  TUNE_RETURN_IF_ERROR(tune_config_init_copy(&valid, config));
  tune_status status = TUNE_OK;
  if (tune_sampler_repair(strategy->sampler, &strategy->random, &valid))
    status = tune_config_set_add(&strategy->seeded, &valid, NULL);
  tune_config_deinit(&valid);
  return status;
}

static bool is_known(const tune_strategy *strategy, const tune_config *config) {
  return tune_config_set_find(&strategy->known, config) != SIZE_MAX;
}

static bool take_seeded(tune_strategy *strategy, tune_config *config) {
  while (strategy->seeded_used < strategy->seeded.count) {
    const tune_config *seeded = &strategy->seeded.configs[strategy->seeded_used++];
    if (is_known(strategy, seeded))
      continue;
    memcpy(config->choices, seeded->choices, seeded->count * sizeof *seeded->choices);
    return true;
  }
  return false;
}

// Finds any config that is not known: drawn at random while that works, then by walking.
static tune_status find_any(tune_strategy *strategy, tune_config *config, bool *out_found) {
  for (size_t i = 0; i < DRAW_TRIES && !strategy->walk.choices; ++i) {
    if (!tune_sampler_draw(strategy->sampler, &strategy->random, config))
      break;
    if (!is_known(strategy, config)) {
      *out_found = true;
      return TUNE_OK;
    }
  }
  do
    TUNE_RETURN_IF_ERROR(
        tune_sampler_walk_next(strategy->sampler, &strategy->walk, config, out_found));
  while (*out_found && is_known(strategy, config));
  return TUNE_OK;
}

// Overwrites `config` with one that is not known.
static tune_status propose(tune_strategy *strategy, tune_config *config, bool *out_found) {
  *out_found = true;
  if (take_seeded(strategy, config))
    return TUNE_OK;
  // Once the walk has begun, nearly everything is known and the class would try in vain.
  for (size_t i = 0; i < PROPOSAL_TRIES && !strategy->walk.choices; ++i) {
    TUNE_RETURN_IF_ERROR(
        strategy->class->propose(strategy->self, &strategy->context, config, out_found));
    if (!*out_found && strategy->class->keeps_to_itself)
      return TUNE_OK;
    if (!*out_found)
      break; // the class has nothing more, the space may
    if (!is_known(strategy, config))
      return TUNE_OK;
  }
  return find_any(strategy, config, out_found);
}

tune_status tune_strategy_ask(tune_strategy *strategy, size_t capacity, tune_config *configs,
                              size_t *out_count) {
  *out_count = 0;
  tune_status status = TUNE_OK;
  bool found = true;
  while (*out_count < capacity) {
    tune_config config;
    status = tune_config_init_default(&config, strategy->context.space);
    if (!tune_status_is_ok(status))
      break;
    status = propose(strategy, &config, &found);
    if (tune_status_is_ok(status) && found)
      status = tune_config_set_add(&strategy->known, &config, NULL);
    if (!tune_status_is_ok(status) || !found) {
      tune_config_deinit(&config);
      break;
    }
    configs[(*out_count)++] = config;
  }
  if (!tune_status_is_ok(status)) {
    while (*out_count)
      tune_config_deinit(&configs[--*out_count]);
  }
  return status;
}

tune_status tune_strategy_tell(tune_strategy *strategy, const tune_config *config,
                               tune_outcome outcome) {
  if (!outcome.failed && !(outcome.seconds > 0 && isfinite(outcome.seconds)))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "an outcome of %g seconds", outcome.seconds);
  TUNE_RETURN_IF_ERROR(tune_config_set_add(&strategy->known, config, NULL));
  if (!strategy->class->learn)
    return TUNE_OK;
  return strategy->class->learn(strategy->self, &strategy->context,
                                tune_config_set_find(&strategy->known, config), outcome);
}
