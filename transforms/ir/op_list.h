//===- op_list.h - Ops that a walk found -------------------------------------===//
//
// A walk may not change what it walks over: what is to be changed is listed first. A list starts as
// {0}.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_IR_OP_LIST_H
#define TUNE_TRANSFORMS_IR_OP_LIST_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_op_list {
  MlirOperation *ops; // borrowed
  size_t count, capacity;
  bool failed; // memory ran out; some ops are not in it
} tune_op_list;

// Adds `op` at the end. False, as `failed` says from then on, where memory ran out.
bool tune_op_list_add(tune_op_list *list, MlirOperation op);
// The same, but where `op` is in it already.
bool tune_op_list_add_once(tune_op_list *list, MlirOperation op);
// Destroys those that nothing uses, over and over, since they use each other. Their places become
// null; an op may be in the list once.
void tune_op_list_destroy_unused(tune_op_list *list);
// Does so with the ops below `root` that `list` adds to the list that is its user data. False where
// memory ran out and not all was done.
bool tune_op_list_destroy_below(MlirOperation root, MlirOperationWalkCallback list);
// `failed` can still be read after it.
void tune_op_list_deinit(tune_op_list *list);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_IR_OP_LIST_H
