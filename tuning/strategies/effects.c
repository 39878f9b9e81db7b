//===- effects.c --------------------------------------------------------------===//

#include "tuning/strategies/effects.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS 6
// How many sightings without effect are assumed of each value.
#define SHRINKAGE 1.0

struct tune_effects {
  const tune_space *space;
  size_t count;     // of knobs
  size_t *first;    // effects of knob k are effect[first[k], first[k+1])
  double *effect;   //
  double *sum;      // scratch, as long as `effect`
  double *seen;     // scratch, as long as `effect`
  double mean;      //
  double *variance; // of the effect of each knob over the configs it was fitted to
  double total;     // variance of the log costs
};

tune_status tune_effects_create(const tune_space *space, tune_effects **out_effects) {
  *out_effects = NULL;
  tune_effects *effects = calloc(1, sizeof *effects);
  size_t count = tune_space_knob_count(space), values = 0;
  for (size_t knob = 0; knob < count; ++knob)
    values += tune_space_knob(space, knob)->value_count;
  if (effects) {
    effects->space = space;
    effects->count = count;
    effects->first = calloc(count + 1, sizeof *effects->first);
    effects->variance = calloc(count + 1, sizeof *effects->variance);
    effects->effect = calloc(values + 1, sizeof *effects->effect);
    effects->sum = calloc(values + 1, sizeof *effects->sum);
    effects->seen = calloc(values + 1, sizeof *effects->seen);
  }
  if (!effects || !effects->first || !effects->variance || !effects->effect || !effects->sum ||
      !effects->seen) {
    tune_effects_destroy(effects);
    return tune_status_out_of_memory("out of memory while modelling trials");
  }
  for (size_t knob = 0; knob < count; ++knob)
    effects->first[knob + 1] = effects->first[knob] + tune_space_knob(space, knob)->value_count;
  *out_effects = effects;
  return TUNE_OK;
}

void tune_effects_destroy(tune_effects *effects) {
  if (!effects)
    return;
  free(effects->first);
  free(effects->variance);
  free(effects->effect);
  free(effects->sum);
  free(effects->seen);
  free(effects);
}

double tune_effects_predict(const tune_effects *effects, const tune_config *config) {
  double cost = effects->mean;
  for (size_t knob = 0; knob < effects->count; ++knob)
    cost += effects->effect[effects->first[knob] + config->choices[knob]];
  return cost;
}

// Refits the effects of one knob to what the others leave unexplained; `residuals` are kept
// current.
static void refit_knob(tune_effects *effects, size_t knob, const tune_config *configs,
                       double *residuals, size_t count) {
  size_t first = effects->first[knob], values = effects->first[knob + 1] - first;
  double *effect = effects->effect + first, *sum = effects->sum + first;
  double *seen = effects->seen + first;
  memset(sum, 0, values * sizeof *sum);
  memset(seen, 0, values * sizeof *seen);
  for (size_t i = 0; i < count; ++i) {
    size_t choice = configs[i].choices[knob];
    residuals[i] += effect[choice];
    sum[choice] += residuals[i];
    seen[choice] += 1;
  }
  for (size_t value = 0; value < values; ++value)
    effect[value] = sum[value] / (seen[value] + SHRINKAGE);
  for (size_t i = 0; i < count; ++i)
    residuals[i] -= effect[configs[i].choices[knob]];
}

// Variance of the knob's effect over the configs; `seen` is from the last refit.
static double effect_variance(const tune_effects *effects, size_t knob, size_t count) {
  double sum = 0, squares = 0;
  for (size_t i = effects->first[knob]; i < effects->first[knob + 1]; ++i) {
    sum += effects->seen[i] * effects->effect[i];
    squares += effects->seen[i] * effects->effect[i] * effects->effect[i];
  }
  double mean = sum / (double)count;
  return squares / (double)count - mean * mean;
}

tune_status tune_effects_fit(tune_effects *effects, const tune_config *configs,
                             const double *log_costs, size_t count) {
  memset(effects->effect, 0, effects->first[effects->count] * sizeof *effects->effect);
  memset(effects->variance, 0, effects->count * sizeof *effects->variance);
  effects->mean = effects->total = 0;
  if (!count)
    return TUNE_OK;
  double *residuals = malloc(count * sizeof *residuals);
  if (!residuals)
    return tune_status_out_of_memory("out of memory while modelling trials");
  for (size_t i = 0; i < count; ++i)
    effects->mean += log_costs[i] / (double)count;
  for (size_t i = 0; i < count; ++i) {
    residuals[i] = log_costs[i] - effects->mean;
    effects->total += residuals[i] * residuals[i] / (double)count;
  }
  for (size_t round = 0; round < ROUNDS; ++round)
    for (size_t knob = 0; knob < effects->count; ++knob)
      refit_knob(effects, knob, configs, residuals, count);
  for (size_t knob = 0; knob < effects->count; ++knob)
    effects->variance[knob] = effect_variance(effects, knob, count);
  free(residuals);
  return TUNE_OK;
}

void tune_effects_shares(const tune_effects *effects, double *shares) {
  for (size_t knob = 0; knob < effects->count; ++knob) {
    double share = effects->total > 0 ? effects->variance[knob] / effects->total : 0;
    shares[knob] = share < 0 ? 0 : share > 1 ? 1 : share;
  }
}
