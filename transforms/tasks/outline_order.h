//===- outline_order.h - In which order the ops of a task are copied ---------===//
//
// For the script that outlines tasks (outline_script.c), which copies ops one by one, each right
// before the first of its users. Ops of a task are copied in the order of the module, last ones
// first, and after them the cheap ones that it only has copies of. Where that does not give the
// order that tasks have (task_order.h), they are copied in the order that does.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_TASKS_OUTLINE_ORDER_H
#define TUNE_TRANSFORMS_TASKS_OUTLINE_ORDER_H

#include "transforms/tasks/fusion_groups.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_outline_order {
  size_t *nodes; // of the group and its copies, the root first
  size_t count;
  bool mixes; // members come after copies
} tune_outline_order;

tune_status tune_outline_order_find(const tune_fusion_groups *groups, size_t group,
                                    tune_outline_order *out_order);
void tune_outline_order_deinit(tune_outline_order *order);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_TASKS_OUTLINE_ORDER_H
