//===- fusion_uses.h - Uses of results between the nodes of fusion groups ----===//
//
// Between fusion_groups.c and its parts only.
//
// Threads: as fusion_groups.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_TASKS_FUSION_USES_H
#define TUNE_TRANSFORMS_TASKS_FUSION_USES_H

#include "transforms/tasks/fusion_groups.h"

#ifdef __cplusplus
extern "C" {
#endif

// One use of a result of a node.
typedef struct tune_fusion_use {
  size_t user;      // node in the same block, or TUNE_GROUP_NONE for any other user
  size_t elsewhere; // node in another block, a loop's or a branch's, or TUNE_GROUP_NONE
  size_t operand;   // of the user
  size_t result;    // of the used op
} tune_fusion_use;

typedef struct tune_fusion_uses {
  const tune_fusion_groups *groups;
  MlirOperation op;
  intptr_t result;
  MlirOpOperand next;
} tune_fusion_uses;

// The uses of all results of `op`.
tune_fusion_uses tune_fusion_uses_of(const tune_fusion_groups *groups, MlirOperation op);
// Moves on to the next use; false where there is none left.
bool tune_fusion_uses_next(tune_fusion_uses *uses, tune_fusion_use *out_use);

// The node that computes `value`, or TUNE_GROUP_NONE.
size_t tune_fusion_producer(const tune_fusion_groups *groups, MlirValue value);

// Marks fills, broadcasts, and short computations on nothing but indices and constants: is_cheap.
// `costs` is room for a number for each node.
void tune_group_mark_cheap(tune_fusion_groups *groups, size_t *costs);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_TASKS_FUSION_USES_H
