//===- process.h - Configs built by tune-worker and timed by tune-measure ----===//
//
// The evaluator of real targets. It drives the two servers of docs/protocol.md: the
// worker builds several configs at once, the measurer times one artifact at a time, on
// cores where nothing builds meanwhile; where no core is left for building, the two take
// turns (cores.h). Artifacts lie in a scratch folder that goes with the evaluator.
//
// A server that dies is started again and gets its unanswered requests once more; how often that
// was `restarted` tells. One that dies twice with nothing answered in between, or does not answer
// long after its limits, is an error.
//
// The reference, the task lowered plainly, is the first thing built for a task; where it
// does not build or run, wait says so with FAILED_PRECONDITION. What it computes stays until a task
// is opened that has another one: the same task comes again by other rules.
//
// Threads: one thread at a time per evaluator, and the one that created it has to live as
// long as it.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_EVALUATORS_PROCESS_H
#define TUNE_TUNING_EVALUATORS_PROCESS_H

#include "formats/messages.h"
#include "tuning/evaluators/evaluator.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

// What code is made for and runs on, and under which conditions: what records are told apart by.
// tune_process_target_of (tuning/device/process_target.h) has it of a target's facts.
typedef struct tune_process_target {
  const char *name;          // of targets/: "cpu"
  const char *device;        // which of the target's; NULL: whichever it takes
  const json_t *fingerprint; // of the device that code is made for; NULL: of any
  const char *triple;        // for code of the CPU; NULL: the host's
  const char *cpu;           // "znver5"; NULL: the host's
  const char *features;      // "+avx512f"; NULL: the CPU's
  size_t threads;            // that an artifact runs with, at least 1
  bool flush_cache;          // ahead of each run that is timed
} tune_process_target;

// Of the time that checking and timing an artifact has, its samples have a third at most.
#define TUNE_MOST_BUDGET (TUNE_RUN_SECONDS / 3)

// How an artifact is measured.
typedef struct tune_measuring {
  bool counters;            // what the processor does in a run is counted (target cpu)
  double precision, budget; // of the samples, as in measure.h; 0: as there
  double seconds, bytes; // limits of checking and timing one artifact; 0: TUNE_RUN_SECONDS, _BYTES
} tune_measuring;

// How configs are built.
typedef struct tune_building {
  size_t jobs;       // at once; 0: as many as there are cores to build on
  bool on_all_cores; // also on those that measure, in turns with that
  double seconds,
      bytes; // limits of one build: wall time, address space; 0: TUNE_BUILD_SECONDS, _BYTES
} tune_building;

typedef struct tune_process_evaluator_options {
  const char *worker;   // program; NULL: tune-worker
  const char *measurer; // program; NULL: tune-measure
  tune_process_target target;
  tune_building building;
  tune_measuring measuring;
  uint64_t seed; // of the inputs; below 2^63
} tune_process_evaluator_options;

// A cpu target, one thread, everything else by default.
void tune_process_evaluator_options_init(tune_process_evaluator_options *options);

// Starts both servers, without waiting for them. The texts of `options` are copied, the fingerprint
// is shared.
// UNAVAILABLE where a program is not found; INVALID_ARGUMENT for more threads than cores.
tune_status tune_evaluator_process_create(const tune_process_evaluator_options *options,
                                          tune_evaluator *out_evaluator);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_EVALUATORS_PROCESS_H
