//===- reference.h - Reference outputs of a task -----------------------------===//
//
// The reference runs in children. The CPU computes it whatever the target is.
//
// Threads: one.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_REFERENCE_H
#define TUNE_TOOLS_TUNE_MEASURE_REFERENCE_H

#include "tools/tune-measure/inputs.h"

typedef struct reference {
  const tune_measured_task *wanted; // with a reference
  const child_watch *watch;
} reference;

// Makes the outputs of `t->dense`, `reference_seconds` and `nan_share`. INTERNAL with the reason
// where it crashes, DEADLINE_EXCEEDED where it does not end, here and below; CANCELLED if the watch
// says so.
tune_status reference_run(const reference *r, task *t);
// Runs once more on inputs that are a little off, and makes the spreads of `t->dense`: zeros where
// it crashes or hangs on those.
tune_status reference_find_spreads(const reference *r, task *t);
// Runs four times more, leaning (transforms/lower/cpu/leaning.h), where it can and takes less than
// a second, and raises the leeways of `t->dense` to what that changes.
tune_status reference_lean(const reference *r, task *t);
// Makes `t->sparse`. Those of targets/sparse.h, for which the reference runs seven times, three
// where it takes 0.2 s; where the outputs' exactness is known (tune_signature) those of
// targets/exact.h, for which it runs once each; large ones, and, of what adds nothing up or takes
// NaN, those where rounding decides, with as many runs more for each. On sparse inputs it leans as
// well. There are none where it takes long, nor of a kind on which it crashes or hangs: that is
// given up after 5 s and 50 times what it took on the dense ones.
tune_status reference_run_sparse(const reference *r, const inputs_source *source, task *t);
// Leaves no outputs, and what goes with them.
void reference_forget(const task *t, task_inputs *set);

#endif // TUNE_TOOLS_TUNE_MEASURE_REFERENCE_H
