//===- task_times.h - What the tasks of a module take, sample by sample ------------------===//
//
// An artifact that times the tasks it calls (transforms/lower/cpu/backend/task_times.h) is read
// after each sample, so that a task's time is a median like that of the module.
//
// Threads: one.
//
//===--------------------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_COUNTS_TASK_TIMES_H
#define TUNE_TOOLS_TUNE_MEASURE_COUNTS_TASK_TIMES_H

#include "formats/measure_replies.h"
#include "targets/target.h"

typedef struct task_times {
  bool is_on;         // samples are taken
  size_t task_count;  // 0: the artifact does not time them
  double *samples;    // seconds of a run, of each task, of each sample
  uint64_t *calls;    // of each task, in all samples
  uint64_t runs;      // in all samples
  size_t count, room; // of samples
} task_times;

// Begins to take samples of `kernel`. Nothing of it is released where the process ends anyway.
tune_status task_times_begin(task_times *times, tune_kernel *kernel);
// Takes one, of `repeats` runs since the last. Nothing, unless it has begun.
tune_status task_times_add(task_times *times, tune_kernel *kernel, uint64_t repeats);
// Ends it, and lists the medians of those tasks that were called in each run; what is done once,
// ahead, is not among them. `*out_list` is an array of the caller's, with borrowed names.
tune_status task_times_end(task_times *times, const tune_kernel *kernel,
                           tune_task_seconds_list *out_list);

#endif // TUNE_TOOLS_TUNE_MEASURE_COUNTS_TASK_TIMES_H
