//===- anchors.h - The anchors of tasks in a module --------------------------===//
//
// The decisions about a task are attributes of its anchors: the ops of the user's module that
// its occurrences come from (extract.h). This is the way back from such an op to its task.
//
// Threads: reading IR, as MLIR allows.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_TASKS_ANCHORS_H
#define TUNE_TRANSFORMS_TASKS_ANCHORS_H

#include "support/status.h"
#include "transforms/ir/op_map.h"
#include "transforms/tasks/extract.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_anchors {
  const tune_extraction *extraction; // borrowed
  tune_op_map task_of_op;            // index of the task, or TUNE_ANCHOR_OF_SEVERAL
} tune_anchors;

// An op in a function that was inlined in several places may be the anchor of different tasks. Such
// an op can carry no decisions, since they would be about all of them.
#define TUNE_ANCHOR_OF_SEVERAL ((size_t)-2)

tune_status tune_anchors_init(tune_anchors *anchors, const tune_extraction *extraction);
// Checks that every op of `module`, which was extracted, with choices for `target` on it is the
// anchor of exactly one task: choices that nobody reads are a mistake. INVALID_ARGUMENT at the op.
tune_status tune_anchors_check(const tune_anchors *anchors, MlirOperation module,
                               const char *target);
void tune_anchors_deinit(tune_anchors *anchors);

// Whether `op`, of the extracted module, can carry the decisions of task `task`: it is there, and
// the anchor of no other task.
bool tune_anchors_is_of(const tune_anchors *anchors, MlirOperation op, size_t task);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_TASKS_ANCHORS_H
