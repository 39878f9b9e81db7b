//===- scheduler.h - Tuning several tasks ------------------------------------------===//
//
// Runs a session for each task, one after the other: the one that the module spends most
// time in comes first, so that an interrupt or the end of the time leaves the least gain
// behind. Trials are counted per task. Time is shared: each task may take a part of what is
// left, in proportion to what it is expected to matter, and what it does not use goes to
// those after it.
//
// What a task is expected to matter: how often it occurs, times a rough time of one run
// (from flops and bytes). A third of the time is shared evenly all the same, since the
// guess is rough and a small task may have the larger part to gain.
//
// Threads: as a session.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SCHEDULER_H
#define TUNE_TUNING_SCHEDULER_H

#include "tuning/session.h"

typedef struct tune_scheduled_task {
  const tune_task *task;
  double occurrences;       // in the module; above 0
  const tune_config *seeds; // as in tune_session_options
  size_t seed_count;
} tune_scheduled_task;

typedef struct tune_scheduler_options {
  tune_session_options session; // of every task; `seconds` and the seeds are replaced
  double seconds;               // for all tasks; 0: no limit
  // Called after each task with its result. May be NULL. `index` is that in the array of tasks.
  void (*finished)(void *user, size_t index, const tune_session_result *result);
  void *user;
} tune_scheduler_options;

// Tunes `count` tasks; `out_results` has room for as many, in the order of the tasks, each the
// caller's to deinit. Where a session fails, so does all, and nothing is left to deinit. After an
// interrupt, the remaining tasks get what the store knows of them.
tune_status tune_scheduler_run(const tune_scheduled_task *tasks, size_t count,
                               const tune_scheduler_options *options, tune_evaluator *evaluator,
                               const tune_record_store *store, tune_session_result *out_results);

// Splits `seconds` among tasks by what each is expected to matter. For tests; `out_shares` has room
// for `count`.
void tune_scheduler_split(const tune_scheduled_task *tasks, size_t count, double seconds,
                          double *out_shares);

#endif // TUNE_TUNING_SCHEDULER_H
