//===- effects.h - Effects of each value of each knob on the cost ------------===//
//
// The additive model of trials: log cost = mean + one effect per knob for the value it
// has, fitted by backfitting (Hastie and Tibshirani, "Generalized Additive Models", 1990)
// with effects pulled towards 0 as if each value had been seen some times more without
// effect, since many values are seen once or never. It says which knobs matter, and guesses
// the cost of configs not tried; what knobs do to each other it does not see.
//
// Threads: one thread at a time.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_STRATEGIES_EFFECTS_H
#define TUNE_TUNING_STRATEGIES_EFFECTS_H

#include "tuning/space/config.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_effects tune_effects;

// The model of nothing: predicts 0. `space` must outlive it.
tune_status tune_effects_create(const tune_space *space, tune_effects **out_effects);
void tune_effects_destroy(tune_effects *effects);

// Fits anew to `count` configs and the logarithms of their costs.
tune_status tune_effects_fit(tune_effects *effects, const tune_config *configs,
                             const double *log_costs, size_t count);

// The log cost expected of `config`.
double tune_effects_predict(const tune_effects *effects, const tune_config *config);

// Fills `shares`, one for each knob: the part of the variance of the log costs it was fitted to
// that goes with the knob, 0..1. What remains to 1 is noise and what knobs do together.
void tune_effects_shares(const tune_effects *effects, double *shares);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_STRATEGIES_EFFECTS_H
