//===- null.h - Configs timed by a formula -----------------------------------===//
//
// The evaluator of the target `null`: nothing is built and nothing runs; the time of a
// config is what an objective says, with noise, and failures come where they are asked
// for. All of it is a function of the config, the seed and how often the config was compared,
// so that a search over it is the same on every machine and may be compared with a golden
// one.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_EVALUATORS_NULL_H
#define TUNE_TUNING_EVALUATORS_NULL_H

#include "tuning/evaluators/evaluator.h"

#ifdef __cplusplus
extern "C" {
#endif

// Seconds of one run of `config`; above 0. `user` is the options'.
typedef double (*tune_null_objective)(void *user, const tune_space *space,
                                      const tune_config *config);

typedef struct tune_null_options {
  tune_null_objective objective; // NULL: tune_null_bowl
  void *user;
  uint64_t seed;
  double noise;          // standard deviation of a time, relative: 0.03
  double build_failures; // share of configs that fail that way, always the same ones
  double run_crashes;
  double wrong_results;
  // Where above 0: configs that agree in value / granularity of every knob have the same artifact.
  // Inert knobs and rounding make such duplicates in real spaces.
  int64_t granularity;
  size_t capacity; // tickets outstanding; 0: 4
  // Where there is one: the noise of a machine in place of `noise`, times of the runs of one kernel
  // in the order in which they came, relative to their median. Each run of a config takes the next
  // one's share, round and round from where the seed says, and what to run is up to the measuring
  // protocol (tuning/measure/measure.h), which so sees what it would see there. Borrowed.
  const double *trace;
  size_t trace_count;
  // What the place in memory does to a kernel, as factors of its time, of which each config draws
  // one in each placement (tuning/measure/placements.h), trials included. NULL: nothing. With a
  // trace only. Borrowed.
  const double *places;
  size_t place_count;
} tune_null_options;

tune_status tune_evaluator_null_create(const tune_null_options *options,
                                       tune_evaluator *out_evaluator);

// An objective for any space: a bowl with its best value somewhere in the domain of each knob (a
// hash of the knob's name says where), steeper for some knobs than for others, and with
// neighbouring knobs depending on each other. Its minimum is TUNE_NULL_BOWL_MINIMUM seconds, where
// a config is best in all knobs. In a narrowed space (tuning/space/narrowed.h) a config takes as
// long as in the whole one.
#define TUNE_NULL_BOWL_MINIMUM 1e-3
double tune_null_bowl(void *user, const tune_space *space, const tune_config *config);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_EVALUATORS_NULL_H
