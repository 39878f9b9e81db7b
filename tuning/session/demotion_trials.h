//===- demotion_trials.h - Modules built and judged beside their default ------===//
//
// Internal to demotion.c: forms of a module, that is what each of its tasks has, are built one at a
// time, and compared with the form that has the defaults, or with one another.
//
// Threads: one thread at a time per evaluator.
//
//===----------------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SESSION_DEMOTION_TRIALS_H
#define TUNE_TUNING_SESSION_DEMOTION_TRIALS_H

#include "tuning/session/demotion.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_whole_trials {
  const tune_demotion_options *options;
  tune_evaluator *evaluator;
  uint64_t last_ticket;
  size_t builds;
  const char *ended; // why nothing more is to be tried; NULL: it goes on
} tune_whole_trials;

// A form of the module, and what is known of it. Its artifact stays with the evaluator until it is
// dropped.
typedef struct tune_whole_form {
  uint64_t ticket; // 0: it has no artifact
  char *digest;
  tune_verdict verdict; // OK: it is right
  char *error;
  tune_ratio ratio; // of its time to that of the form that it was judged beside
  double time;
} tune_whole_form;

void tune_whole_drop(tune_whole_trials *trials, tune_whole_form *form);

// Builds the module with `config`; where that fails the form's verdict says so. Nothing is built,
// and `trials->ended` says why, where time or builds have run out, or somebody has interrupted it.
tune_status tune_whole_build(tune_whole_trials *trials, const tune_config *config,
                             tune_whole_form *out_form);

// The same of two at once, where the evaluator builds so many.
tune_status tune_whole_build_two(tune_whole_trials *trials, const tune_config *const configs[2],
                                 tune_whole_form *const out_forms[2]);

// Checks and times `form` beside `base`, both built: its ratio is to that. The verdict of the one
// to blame is no longer OK where one is wrong; neither has a new time then.
tune_status tune_whole_judge(tune_whole_trials *trials, tune_whole_form *base,
                             tune_whole_form *form);

// Checks and times `form`, which is built, alone.
tune_status tune_whole_check(tune_whole_trials *trials, tune_whole_form *form);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_SESSION_DEMOTION_TRIALS_H
