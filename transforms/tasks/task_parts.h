//===- task_parts.h - What a task consists of, in the order of its function ---===//
//
// The first half of making a function of a task (task_function.h): its ops in the order of a
// depth-first walk from the results, what becomes an argument, and from which argument each size
// that is known only at run time is taken. Nothing is changed.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_TASKS_TASK_PARTS_H
#define TUNE_TRANSFORMS_TASKS_TASK_PARTS_H

#include "transforms/ir/op_facts.h"
#include "transforms/ir/op_map.h"
#include "transforms/tasks/task_function.h"

#ifdef __cplusplus
extern "C" {
#endif

// A size known at run time: dimension `position` of an argument (by what it stands for).
typedef struct tune_task_size {
  MlirValue value; // null: unknown
  size_t position;
} tune_task_size;

typedef struct tune_task_op {
  MlirOperation op;
  tune_op_facts facts;
  tune_task_size sizes[TUNE_OP_MAX_LOOPS]; // of its loops
} tune_task_op;

typedef struct tune_task_parts {
  const tune_task_body *body;
  tune_op_words words;
  tune_status status; // the first failure; what follows does nothing

  tune_task_op *ops; // in order
  size_t op_count, op_capacity;
  tune_op_map ops_seen; // to the index in ops

  MlirValue *inputs; // the destinations last
  size_t input_count, input_capacity;
  MlirValue *destinations; // one at most for a result
  size_t destination_count;
  tune_op_map inputs_seen; // values, destinations too
} tune_task_parts;

// `body` must outlive the parts. INVALID_ARGUMENT where a result is not computed by a contained op.
// `*out_parts` is to be deinitialized after a failure too.
tune_status tune_task_parts_collect(const tune_task_body *body, tune_task_parts *out_parts);
void tune_task_parts_deinit(tune_task_parts *parts);

// Where dimension `position` of operand `operand` of `op`, a tensor.empty, comes from.
tune_task_size tune_task_parts_empty_size(const tune_task_op *op, size_t operand, size_t position);

// `array` with room for one more element of `size` bytes than `count`; it doubles. After a failure,
// which goes to `*status`, and where there was one, it is as it was.
void *tune_task_parts_reserve(tune_status *status, void *array, size_t count, size_t *capacity,
                              size_t size);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_TASKS_TASK_PARTS_H
