//===- trial.h - Building, running and checking candidates of a rule's space --------===//
//
// A trial takes a payload through what a search does with it: a rule makes the space, the
// default config, each other form of it and random ones are built, run on seeded inputs,
// and compared with the plain lowering. Each candidate is built and run in a forked child,
// so that one that crashes costs itself only.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_RULES_TRIAL_H
#define TUNE_UNITTESTS_RULES_TRIAL_H

#include "support/string_builder.h"
#include "transforms/build/build.h"
#include "transforms/lower/cpu/backend/link.h"
#include "transforms/rules/rule.h"

#define TRIAL_THREADS 2

// What all trials share.
typedef struct trial_bench {
  MlirContext context;
  tune_lowering *lowering[TRIAL_THREADS]; // for 1 thread, for 2
  tune_linker *linker[TRIAL_THREADS];
  char folder[64]; // for artifacts
} trial_bench;

tune_status trial_bench_init(trial_bench *bench);
void trial_bench_deinit(trial_bench *bench);

typedef struct trial_subject {
  const char *name;    // for messages
  const char *payload; // text
  const char *rule;    // that is expected to take it; NULL: any
  bool is_asked;       // that rule is asked for: another one goes first
  unsigned threads;    // to be run with, whatever the machine; 0: as it has
  unsigned bits;       // of vectors, the same
  tune_machine machine;
  int64_t reduction;   // for the tolerance: targets/output_check.h
  int64_t index_limit; // of integers among the inputs
  int64_t dynamic;     // the extent of dimensions known at run time only
} trial_subject;

typedef struct trial_outcome {
  size_t built;             // and right
  size_t unbuilt;           // configs other than the default whose build failed
  bool is_right;            // all else
  tune_string_builder text; // what went wrong, a line each
} trial_outcome;

// Tries the default config, for each decision between words down to vectors (an algorithm, a
// layout) its other values with all else by default, where that is valid, and `count` random
// configs that follow from `seed`.
void trial_run(const trial_bench *bench, const trial_subject *subject, size_t count, uint64_t seed,
               trial_outcome *out_outcome);
void trial_outcome_deinit(trial_outcome *outcome);

#endif // TUNE_UNITTESTS_RULES_TRIAL_H
