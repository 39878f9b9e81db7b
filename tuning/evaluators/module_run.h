//===- module_run.h - A module that is run for what it computes ---------------===//
//
// Where evaluators time what may be wrong, this builds a module once, by its choices and the
// defaults, and runs it on arrays that are given: for whoever wants to know its outputs. It has
// servers of its own, and is waited for.
//
// Threads: one thread at a time per run, the one that opened it.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_EVALUATORS_MODULE_RUN_H
#define TUNE_TUNING_EVALUATORS_MODULE_RUN_H

#include "formats/members.h"
#include "tuning/evaluators/exchange.h"
#include "tuning/evaluators/process.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_module_run_options {
  tune_process_target target; // borrowed texts
  const char *path;           // of the module
  const char *function;       // NULL: the only one, or @main
  const char *artifact;       // path that is written to
  uint64_t seed;              // of inputs that are not given
  tune_patience patience;
} tune_module_run_options;

typedef struct tune_module_run tune_module_run;

// Opens the module. INVALID_ARGUMENT where it is none; DEADLINE_EXCEEDED and CANCELLED as the
// patience is over; errors of the servers. All that `options` borrow has to live as long as the
// run.
tune_status tune_module_run_open(const tune_module_run_options *options, tune_module_run **out_run);
// What it takes and gives (formats/signature.h). Borrowed.
const json_t *tune_module_run_signature(const tune_module_run *run);
// Runs it on the .npy files `inputs`, by argument (a gap, or what is beyond: made by the seed, as
// `signature` says, or where that is NULL its own), and writes `outputs`, by result; builds it
// before, the first time. FAILED_PRECONDITION where it cannot be built, crashes or takes too long,
// with the reason.
tune_status tune_module_run_once(tune_module_run *run, const json_t *signature,
                                 tune_text_list inputs, tune_text_list outputs);
// NULL may be given.
void tune_module_run_close(tune_module_run *run);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_EVALUATORS_MODULE_RUN_H
