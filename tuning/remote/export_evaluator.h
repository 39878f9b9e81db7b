//===- export_evaluator.h - The evaluator that exports builds and imports times -===//
//
// The evaluator of a search in rounds (tuning/remote/rounds.h). What a round of the folder has is
// taken from there: a build is not made, and a time not measured, twice. What comes after the
// last one is built here and goes into the next export, and the evaluator is suspended: the
// session ends.
//
// For a session with rounds (tune_session_options.round). Events come in the order of the
// tickets, so that a session goes the same way each time.
//
// Threads: as remote_builder.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_REMOTE_EXPORT_EVALUATOR_H
#define TUNE_TUNING_REMOTE_EXPORT_EVALUATOR_H

#include "tuning/evaluators/process.h"
#include "tuning/remote/rounds.h"

#ifdef __cplusplus
extern "C" {
#endif

// All borrowed.
typedef struct tune_export_evaluator_options {
  tune_process_evaluator_options process; // how to build, and for export how to run
  const json_t *device;                   // see tune_export_source
  const char *strategy;                   // for the records of what is exported
  uint64_t seed;                          // of the strategy
  tune_rounds *rounds;
} tune_export_evaluator_options;

// Starts nothing until something is to be built.
tune_status tune_evaluator_elsewhere_create(const tune_export_evaluator_options *options,
                                            tune_evaluator *out_evaluator);
// The line (database_transfer.h) of the task that is opened next; a reference is kept.
void tune_evaluator_elsewhere_set_line(tune_evaluator *evaluator, json_t *line);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_REMOTE_EXPORT_EVALUATOR_H
