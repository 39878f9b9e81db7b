//===- task_order.h - The order of independent ops in a task -----------------===//
//
// A schedule finds ops by their order in the task's function, so that all ways to make that
// function have to agree on it. Stock transforms copy an op right before the first of its users,
// once all of these are there (outline_script.c). So this is the order that both follow: ops are
// placed so, those first that come first in a depth-first walk from the result. It depends on
// nothing but the structure, and nearly always it is the order of that walk.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_TASKS_TASK_ORDER_H
#define TUNE_TRANSFORMS_TASKS_TASK_ORDER_H

#include "support/status.h"
#include "transforms/ir/op_facts.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_task_order {
  size_t count;
  bool *uses;     // uses[user * count + used]
  size_t *steps;  // step 0 places the last op, ...
  size_t *places; // and this is the order that comes of it
} tune_task_order;

// Of `ops`, in the order of a depth-first walk from the last one, which is the only one without a
// user among them. Numbers are indices in `ops`.
tune_status tune_task_order_find(const MlirOperation *ops, size_t count,
                                 tune_task_order *out_order);
void tune_task_order_deinit(tune_task_order *order);

// The order that comes of placing ops in the order of `steps`, users before what they use.
// `places` has room for `order->count`.
void tune_task_order_place(const tune_task_order *order, const size_t *steps, size_t *places);

// Whether schedules need not tell the op from independent ones: fills are found by whom they are
// for, and elementwise ops fold into their users before (preparation.h). Not so conversions, which
// stay before a product, indices and gathers.
bool tune_task_order_is_free(MlirOperation op, const tune_op_facts *facts);

// Whether `places` has the ops in the order of `others`, those that are free (by number) left out.
bool tune_task_order_is_same(const tune_task_order *order, const bool *is_free,
                             const size_t *places, const size_t *others);

// Brings the structured ops of a task's function into this order, unless they are in the same.
tune_status tune_task_order_apply(MlirOperation function);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_TASKS_TASK_ORDER_H
