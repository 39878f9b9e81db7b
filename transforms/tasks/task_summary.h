//===- task_summary.h - Name and cost of a task ------------------------------===//
//
// Threads: reading IR, as MLIR allows.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_TASKS_TASK_SUMMARY_H
#define TUNE_TRANSFORMS_TASKS_TASK_SUMMARY_H

#include "support/status.h"
#include "transforms/tasks/fusion_groups.h"
#include "transforms/tasks/task_function.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_task_description {
  // For people: "matmul 128x512x784 f32 +transpose +bias +gelu", "softmax 12x128x128 f32". Sizes
  // are rows x columns x depth for a contraction, before them the batch; ? is known only at run
  // time.
  char *name; // owned
  // Arithmetic ops of all points of all loops; one for an exp as for an add, none for a comparison,
  // a selection or a conversion. 0: not known before run time.
  uint64_t flops;
  // What has to be read and written at least once: arguments and results, not what is between
  // the ops. 0: not known before run time.
  uint64_t bytes;
  // The longest sum: elements added into one result. 1 where nothing is reduced; 0: not known
  // before run time.
  uint64_t reduction_length;
  bool is_empty; // a result has no elements: there is nothing to compute, and nothing unknown
} tune_task_description;

// Describes group `group`, of which `function` was built.
tune_status tune_task_describe(const tune_fusion_groups *groups, size_t group,
                               const tune_task_function *function,
                               tune_task_description *out_description);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_TASKS_TASK_SUMMARY_H
