//===- reference.h - What is right for a task's inputs ---------------------------------===//
//
// The reference runs in children. The CPU computes it whatever the target is.
//
// Threads: one.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_REFERENCE_H
#define TUNE_TOOLS_TUNE_MEASURE_REFERENCE_H

#include "tools/tune-measure/task.h"

typedef struct reference {
  const json_t *request; // of the task: "limits"
  const char *path;      // of the artifact
  const child_watch *watch;
} reference;

// Makes the outputs of `t->dense`, `reference_seconds` and `nan_share`. INTERNAL with the reason
// where it crashes or hangs, here and below; CANCELLED if the watch says so.
tune_status reference_run(const reference *r, task *t);
// Runs once more on inputs that are a little off, and makes the spreads of `t->dense`.
tune_status reference_find_spreads(const reference *r, task *t);
// Makes `t->sparse` (targets/sparse.h), for which the reference runs three times. There is none
// where it takes long, or crashes or hangs on such inputs.
tune_status reference_run_sparse(const reference *r, uint64_t seed, tune_fill fill, task *t);
// Leaves no outputs, and what goes with them.
void reference_forget(const task *t, task_inputs *set);

#endif // TUNE_TOOLS_TUNE_MEASURE_REFERENCE_H
