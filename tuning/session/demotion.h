//===- demotion.h - Which winners stand in the module as a whole --------------===//
//
// What wins alone may lose in its module: it takes the caches from what comes after it, or its
// result only shows there to be wrong. So the module with all winners is built whole, checked, and
// timed side by side with the module under its default schedules. Where it is wrong, or slower
// beyond doubt, tasks lose their winners until it is neither; where it gains less than half of what
// its winners promise, tasks without whose winners it is faster beyond doubt lose them.
//
// Which tasks these are is found by halves, in the order of what their winners promise, least
// first. Builds and time are bounded: what is not looked into by then is as it was, or, where the
// module loses, as by default.
//
// The module is a task of an evaluator (tuning/record/task.h): its space has a knob for each of its
// tasks, with the values below.
//
// Threads: one thread at a time per evaluator.
//
//===----------------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SESSION_DEMOTION_H
#define TUNE_TUNING_SESSION_DEMOTION_H

#include "tuning/evaluators/evaluator.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a task of the module may have; a knob has the first of these that there are, two at most
// where the winner is the default.
enum { TUNE_WHOLE_WINNER, TUNE_WHOLE_DEFAULT, TUNE_WHOLE_NEXT };

typedef struct tune_demotion_options {
  const double *gains; // of each task: the seconds that its winner saves where it is run alone
  size_t builds;       // at most so many
  double deadline;     // tune_clock_seconds; 0: none
  const volatile sig_atomic_t *interrupted; // not 0: it ends; NULL: never
} tune_demotion_options;

// A task that has lost its winner.
typedef struct tune_demoted {
  size_t task;
  uint16_t value;       // what it has now
  tune_verdict verdict; // of the module with its winner; OK: it was slower
  double slowdown;      // then: how much slower than without it; 0: all were slower together
  char *error;          // else: why; NULL: no reason was given
} tune_demoted;

typedef struct tune_demotion {
  tune_config config; // what the tasks have
  tune_demoted *demoted;
  size_t demoted_count;
  // The module with `config`. OK: it was right, and timed beside the default.
  tune_verdict verdict;
  char *error;
  tune_ratio ratio; // of its time to that by default; zeroes: it was not timed
  double time, default_time;
  size_t builds;
  char *ended; // why it was not looked into further: no time was left, …; NULL: it was
} tune_demotion;

// `evaluator` has the module's task open. FAILED_PRECONDITION where the reference says nothing;
// otherwise errors are those of the evaluator.
tune_status tune_demotion_run(const tune_task *task, const tune_demotion_options *options,
                              tune_evaluator *evaluator, tune_demotion *out_demotion);
void tune_demotion_deinit(tune_demotion *demotion);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_SESSION_DEMOTION_H
