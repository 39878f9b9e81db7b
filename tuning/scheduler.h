//===- scheduler.h - Which task next, and for how long ------------------------------===//
//
// Tasks are tuned one after the other. The one that the program spends most time in comes
// first, so that an interrupt or the end of the time leaves the least gain behind. A limit
// on the time of all tasks is shared: each may take a part of what is left, in proportion
// to what it is expected to matter, and what it does not use goes to those after it. Trials
// are counted per task, by its session.
//
//   while (tune_scheduler_next(scheduler, &index, &seconds))
//     ... a session of task `index`, with the stop rule `seconds` ...
//
// A third of the time is shared evenly all the same, since what matters is only guessed,
// and a small task may have the larger part to gain.
//
// Threads: one thread at a time per scheduler.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SCHEDULER_H
#define TUNE_TUNING_SCHEDULER_H

#include "support/status.h"

#include <stddef.h>

typedef struct tune_scheduler tune_scheduler;

// What is known of a task before it is tuned.
typedef struct tune_scheduler_task {
  double occurrences; // in the program; above 0
  double flops;       // of one run; 0 where that says nothing
  double bytes;       // moved by one run; 0 where unknown
} tune_scheduler_task;

// `seconds` is for all tasks, from now on; 0: no limit. INVALID_ARGUMENT where it is negative.
tune_status tune_scheduler_create(const tune_scheduler_task *tasks, size_t count, double seconds,
                                  tune_scheduler **out_scheduler);
void tune_scheduler_destroy(tune_scheduler *scheduler);

// The next task, each once; false when there are no more. `*out_seconds` is its share of the time
// that is left, above 0 also where none is, or 0 without a limit.
bool tune_scheduler_next(tune_scheduler *scheduler, size_t *out_index, double *out_seconds);

#endif // TUNE_TUNING_SCHEDULER_H
