//===- evolutionary.c - Offspring of the best --------------------------------===//
//
// Steady-state evolution: there are no generations to wait for; every proposal is made
// from what is known at that moment, so any number of trials may be outstanding. The
// population are the best configs told so far. A proposal is an immigrant (drawn anew),
// or the most promising of a brood: children of two parents, by uniform crossover, each
// mutated and repaired. How promising a child is, the additive model of all trials says
// (effects.h): with tens of trials, as here, most children of a good parent are bad, and
// the model knows most of those without a trial.
//
// Mutation knows domains: an ordered knob mostly steps to a neighbour, a categorical one
// takes any other value. A failed trial is no parent, and counts in the model as a bad
// one. Nor is one whose code another trial had before, and children that are expected to be code
// that is known (same_values.h) are left out, mostly.
//
//===--------------------------------------------------------------------------===//

#include "tuning/space/constraint.h"
#include "tuning/space/same_values.h"
#include "tuning/strategies/effects.h"
#include "tuning/strategies/strategies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The defaults were chosen on a measured table of matmul schedules and on a synthetic objective of
// 13 knobs, 64 trials each; none of them is critical within a factor of two.
#define DEFAULT_POPULATION ((size_t)8)
#define DEFAULT_IMMIGRANTS 0.05
// The mean number of mutated knobs of a child.
#define DEFAULT_MUTATIONS 1.5
// Drawn configs that come before the first offspring, and children of which one is proposed.
#define INITIAL 12
#define BROOD 8
#define TOURNAMENT 3
// How an ordered knob mutates: to a neighbour with this probability, else anywhere.
#define STEP_PROBABILITY 0.7
// A failed trial counts in the model as this much slower than the slowest.
#define FAILURE_FACTOR 2.0
// How often a child is tried that is expected to be code that is known.
#define DOUBT 0.02

struct evolution {
  double *log_costs; // by the number of the config; NAN where not told, INFINITY where it failed
  uint64_t *codes;   // by the number of the config; 0 where not known
  size_t *told;      // the numbers of all that were told
  size_t *ranking;   // those that did not fail, the best first
  tune_config *fit_configs; // scratch for fitting the model; borrows the configs
  double *fit_costs;        // scratch
  size_t capacity;          // of all of these
  size_t told_count, ranked_count;
  tune_same_values *same;
  tune_effects *effects;
  size_t fitted_count; // of `told_count`, when the model was fitted
  tune_config child;   // scratch
};

static void evolutionary_destroy(void *self) {
  struct evolution *evolution = self;
  tune_same_values_destroy(evolution->same);
  free(evolution->log_costs);
  free(evolution->codes);
  free(evolution->told);
  free(evolution->ranking);
  free(evolution->fit_configs);
  free(evolution->fit_costs);
  tune_effects_destroy(evolution->effects);
  tune_config_deinit(&evolution->child);
  free(evolution);
}

static tune_status evolutionary_create(const tune_strategy_context *context, void **out_self) {
  struct evolution *evolution = calloc(1, sizeof *evolution);
  if (!evolution)
    return tune_status_out_of_memory("out of memory while creating a strategy");
  tune_status status = tune_effects_create(context->space, &evolution->effects);
  if (tune_status_is_ok(status))
    status = tune_same_values_create(context->space, &evolution->same);
  if (tune_status_is_ok(status))
    status = tune_config_init_default(&evolution->child, context->space);
  if (!tune_status_is_ok(status)) {
    evolutionary_destroy(evolution);
    return status;
  }
  *out_self = evolution;
  return TUNE_OK;
}

//===- Learning ---------------------------------------------------------------===//

// `array` with room for `capacity` elements; as it was, and `*ok` false, where there is no memory.
static void *regrow(void *array, size_t capacity, size_t element_size, bool *ok) {
  void *grown = realloc(array, capacity * element_size);
  *ok = *ok && grown;
  return grown ? grown : array;
}

// Makes room for what is known by `number`.
static tune_status reserve(struct evolution *evolution, size_t number) {
  if (number < evolution->capacity)
    return TUNE_OK;
  size_t capacity = 2 * number + 64;
  struct evolution *e = evolution;
  bool ok = true;
  e->log_costs = regrow(e->log_costs, capacity, sizeof *e->log_costs, &ok);
  e->codes = regrow(e->codes, capacity, sizeof *e->codes, &ok);
  e->told = regrow(e->told, capacity, sizeof *e->told, &ok);
  e->ranking = regrow(e->ranking, capacity, sizeof *e->ranking, &ok);
  e->fit_configs = regrow(e->fit_configs, capacity, sizeof *e->fit_configs, &ok);
  e->fit_costs = regrow(e->fit_costs, capacity, sizeof *e->fit_costs, &ok);
  if (!ok)
    return tune_status_out_of_memory("out of memory while learning from trials");
  for (size_t i = evolution->capacity; i < capacity; ++i)
    evolution->log_costs[i] = NAN;
  memset(evolution->codes + evolution->capacity, 0,
         (capacity - evolution->capacity) * sizeof *evolution->codes);
  evolution->capacity = capacity;
  return TUNE_OK;
}

static void remove_from_ranking(struct evolution *evolution, size_t number) {
  for (size_t i = 0; i < evolution->ranked_count; ++i) {
    if (evolution->ranking[i] == number) {
      memmove(&evolution->ranking[i], &evolution->ranking[i + 1],
              (--evolution->ranked_count - i) * sizeof *evolution->ranking);
      return;
    }
  }
}

static void insert_into_ranking(struct evolution *evolution, size_t number) {
  size_t at = evolution->ranked_count++;
  while (at > 0 &&
         evolution->log_costs[evolution->ranking[at - 1]] > evolution->log_costs[number]) {
    evolution->ranking[at] = evolution->ranking[at - 1];
    --at;
  }
  evolution->ranking[at] = number;
}

// Compares the code of config `number` with that of those told before. Whether one has it, too.
static bool learn_code(struct evolution *evolution, const tune_strategy_context *context,
                       size_t number, uint64_t code) {
  const tune_config *configs = context->known->configs;
  bool is_known = false, has_news = evolution->codes[number] != code;
  evolution->codes[number] = code;
  for (size_t i = 0; i < evolution->told_count && evolution->told[i] != number && code; ++i) {
    size_t other = evolution->told[i];
    bool is_same = evolution->codes[other] == code;
    if (evolution->codes[other] && has_news)
      tune_same_values_learn(evolution->same, &configs[number], &configs[other], is_same);
    is_known |= is_same;
  }
  return is_known;
}

static tune_status evolutionary_learn(void *self, const tune_strategy_context *context,
                                      size_t number, tune_outcome outcome) {
  struct evolution *evolution = self;
  TUNE_RETURN_IF_ERROR(reserve(evolution, number));
  bool is_known = learn_code(evolution, context, number, outcome.code);
  if (isnan(evolution->log_costs[number]))
    evolution->told[evolution->told_count++] = number;
  else
    remove_from_ranking(evolution, number);
  evolution->log_costs[number] = outcome.failed ? INFINITY : log(outcome.seconds);
  if (!outcome.failed && !is_known)
    insert_into_ranking(evolution, number);
  return TUNE_OK;
}

static tune_status refit_effects(struct evolution *evolution,
                                 const tune_strategy_context *context) {
  // A few more among many change little, and fitting takes time in proportion to all of them.
  if (evolution->told_count <= evolution->fitted_count + evolution->fitted_count / 64)
    return TUNE_OK;
  size_t slowest = evolution->ranking[evolution->ranked_count - 1];
  double failure = evolution->log_costs[slowest] + log(FAILURE_FACTOR);
  for (size_t i = 0; i < evolution->told_count; ++i) {
    size_t number = evolution->told[i];
    double log_cost = evolution->log_costs[number];
    evolution->fit_configs[i] = context->known->configs[number];
    evolution->fit_costs[i] = isinf(log_cost) ? failure : log_cost;
  }
  evolution->fitted_count = evolution->told_count;
  return tune_effects_fit(evolution->effects, evolution->fit_configs, evolution->fit_costs,
                          evolution->told_count);
}

//===- Parents ----------------------------------------------------------------===//

// The rank of a parent among the first `population`.
static size_t select_by_tournament(const tune_strategy_context *context, size_t population) {
  size_t best = population - 1;
  for (size_t i = 0; i < TOURNAMENT; ++i) {
    size_t rank = (size_t)tune_random_below(context->random, population);
    best = rank < best ? rank : best;
  }
  return best;
}

// Weighs each by how much faster it is than the slowest of the population, which keeps a small
// chance.
static size_t select_proportionally(const struct evolution *evolution,
                                    const tune_strategy_context *context, size_t population) {
  const double *log_costs = evolution->log_costs;
  const size_t *ranking = evolution->ranking;
  double slowest = log_costs[ranking[population - 1]];
  double chance = 0.1 * (slowest - log_costs[ranking[0]]) + 1e-9, total = 0;
  for (size_t i = 0; i < population; ++i)
    total += slowest - log_costs[ranking[i]] + chance;
  double drawn = tune_random_unit(context->random) * total;
  for (size_t i = 0; i < population; ++i) {
    drawn -= slowest - log_costs[ranking[i]] + chance;
    if (drawn < 0)
      return i;
  }
  return population - 1;
}

static const tune_config *select_parent(const struct evolution *evolution,
                                        const tune_strategy_context *context, size_t population) {
  size_t rank = context->options->selection == TUNE_SELECTION_TOURNAMENT
                    ? select_by_tournament(context, population)
                    : select_proportionally(evolution, context, population);
  return &context->known->configs[evolution->ranking[rank]];
}

//===- Offspring --------------------------------------------------------------===//

static void cross(tune_random *random, const tune_config *mother, const tune_config *father,
                  tune_config *child) {
  for (size_t i = 0; i < child->count; ++i)
    child->choices[i] = tune_random_next(random) >> 63 ? mother->choices[i] : father->choices[i];
}

static void mutate_knob(tune_random *random, const tune_knob *knob, uint16_t *choice) {
  if (knob->value_count < 2)
    return;
  if (knob->is_ordered && tune_random_unit(random) < STEP_PROBABILITY) {
    bool up = tune_random_next(random) >> 63;
    if (*choice == 0)
      up = true;
    else if (*choice + 1u == knob->value_count)
      up = false;
    *choice = (uint16_t)(up ? *choice + 1 : *choice - 1);
    return;
  }
  uint16_t other = (uint16_t)tune_random_below(random, knob->value_count - 1);
  *choice = (uint16_t)(other + (other >= *choice));
}

// Whether the knob has a choice, and does something under `config`.
static bool is_free(const tune_space *space, size_t knob, const tune_config *config) {
  const tune_constraint *condition = tune_space_condition(space, knob);
  return tune_space_knob(space, knob)->value_count > 1 &&
         (!condition || tune_constraint_holds(condition, tune_space_knobs(space), config->choices));
}

static size_t count_free(const tune_space *space, const tune_config *config) {
  size_t count = 0;
  for (size_t i = 0; i < tune_space_knob_count(space); ++i)
    count += is_free(space, i, config);
  return count;
}

static void mutate(const tune_strategy_context *context, tune_config *child) {
  size_t free_count = count_free(context->space, child);
  if (!free_count)
    return;
  double rate = context->options->mutation_rate;
  if (rate < 0)
    rate = DEFAULT_MUTATIONS / (double)free_count;
  for (size_t i = 0; i < child->count; ++i)
    if (tune_random_unit(context->random) < rate && is_free(context->space, i, child))
      mutate_knob(context->random, tune_space_knob(context->space, i), &child->choices[i]);
}

// Overwrites `child`; false where it could not be made valid.
static bool breed(const struct evolution *evolution, const tune_strategy_context *context,
                  size_t population, tune_config *child) {
  const tune_config *mother = select_parent(evolution, context, population);
  const tune_config *father = select_parent(evolution, context, population);
  cross(context->random, mother, father, child);
  tune_config_settle(child, context->space);
  mutate(context, child);
  return tune_sampler_repair(context->sampler, context->random, child);
}

// Whether the child is known, or expected to become code that is.
static bool is_repeat(const struct evolution *evolution, const tune_strategy_context *context,
                      const tune_config *child) {
  const tune_config_set *known = context->known;
  if (tune_config_set_find(known, child) != SIZE_MAX)
    return true;
  bool is_expected = false;
  for (size_t i = 0; i < known->count && !is_expected; ++i)
    is_expected = tune_same_values_expect(evolution->same, child, &known->configs[i]);
  return is_expected && tune_random_unit(context->random) >= DOUBT;
}

// Overwrites `config` with the most promising of a brood; leaves it where all are known or invalid.
static void breed_best(struct evolution *evolution, const tune_strategy_context *context,
                       size_t population, tune_config *config) {
  double best = INFINITY;
  for (size_t i = 0; i < BROOD; ++i) {
    tune_config *child = &evolution->child;
    if (!breed(evolution, context, population, child) || is_repeat(evolution, context, child))
      continue;
    double promise = tune_effects_predict(evolution->effects, child);
    if (promise < best) {
      best = promise;
      memcpy(config->choices, child->choices, child->count * sizeof *child->choices);
    }
  }
}

static tune_status evolutionary_propose(void *self, const tune_strategy_context *context,
                                        tune_config *config, bool *out_found) {
  struct evolution *evolution = self;
  const tune_strategy_options *options = context->options;
  size_t population = options->population ? options->population : DEFAULT_POPULATION;
  double immigrants = options->immigrants >= 0 ? options->immigrants : DEFAULT_IMMIGRANTS;
  bool is_beginning = context->known->count < INITIAL || evolution->ranked_count < 2;
  if (is_beginning || tune_random_unit(context->random) < immigrants) {
    *out_found = tune_sampler_draw(context->sampler, context->random, config);
    return TUNE_OK;
  }
  TUNE_RETURN_IF_ERROR(refit_effects(evolution, context));
  if (population > evolution->ranked_count)
    population = evolution->ranked_count;
  // Where the whole brood is known, so is the best of the population, which says so.
  const tune_config *parent = &context->known->configs[evolution->ranking[0]];
  memcpy(config->choices, parent->choices, parent->count * sizeof *parent->choices);
  breed_best(evolution, context, population, config);
  *out_found = true;
  return TUNE_OK;
}

const tune_strategy_class tune_strategy_evolutionary = {
    .name = "evolutionary",
    .summary = "offspring of the best so far",
    .create = evolutionary_create,
    .destroy = evolutionary_destroy,
    .propose = evolutionary_propose,
    .learn = evolutionary_learn,
};
