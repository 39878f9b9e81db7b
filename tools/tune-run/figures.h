//===- figures.h - Figures made of a time: rates and shares of the roofline --===//
//
// Work and traffic of a module are those of its tasks together (transforms/tasks/task_summary.h);
// ops that belong to no task count nothing. The time at the peak is the sum over the tasks of their
// flops at the peak for their type; the time at the roofline that of the longer of that and of
// their bytes at the bandwidth of the memory that holds them.
//
// Threads: a value.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_RUN_FIGURES_H
#define TUNE_TOOLS_TUNE_RUN_FIGURES_H

#include "formats/worker_replies.h"
#include "tuning/device/target_facts.h"

#define FIGURES_BOUNDS 8 // more kinds of arithmetic and levels of memory are not told apart

// NAN for what is not known.
typedef struct figures {
  double flops, bytes;
  double peak_seconds, roofline_seconds; // of one run at best
  // What bounds the tasks (tuning/device/roofline_share.h), with the part of `roofline_seconds`
  // that it has; none where that is not known.
  struct {
    char name[TUNE_ROOFLINE_BOUND];
    double seconds;
  } bounds[FIGURES_BOUNDS];
  size_t bound_count;
} figures;

// Of a module with these tasks. `facts`, with its roofline, may be NULL. Unknown are: all of a
// module with a task that has an unknown dimension, or with no task; times at best where one of the
// tasks has a type without a peak.
figures figures_of_tasks(const tune_described_task_list *tasks, const tune_target_facts *facts);

// The longest reduction of all tasks. That one task amplifies what another has rounded is not in
// it: for that tune-measure is asked for the sensitivity. What is not known counts as 4096.
int64_t figures_reduction(const tune_described_task_list *tasks);

#endif // TUNE_TOOLS_TUNE_RUN_FIGURES_H
