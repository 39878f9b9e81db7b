//===- task_function.h - A task as a function of its own ---------------------===//
//
// Copies the ops of a task into a func.func in canonical form. Ops stand in the order of a
// depth-first walk from the results through the operands, arguments in the order in which
// that walk meets them, so that two tasks of equal structure give functions that print
// alike, whatever order, names and places their ops had.
//
// Arguments are first what the task reads, then the destinations: the values that the results are
// written into (traced through the outs operands), allocated by the caller. Constants of one value
// and the tensor.empty of other shapes are inside. Sizes known only at run time are taken from
// arguments with tensor.dim; only where no argument tells one it is an argument of its own.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_TASKS_TASK_FUNCTION_H
#define TUNE_TRANSFORMS_TASKS_TASK_FUNCTION_H

#include "support/status.h"

#include "mlir-c/IR.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_task_function {
  MlirOperation function; // detached, public, without attributes of ours; owned
  MlirOperation anchor;   // the copy of the anchor in it, or null
  MlirValue *inputs;      // for each argument, what it stands for in the original
  size_t input_count;
  size_t destination_count; // the last of the inputs
  size_t op_count;          // structured ops in the body
} tune_task_function;

// What is to be copied. `contains` says of an op whether it is part of the task; constants of one
// value and tensor.empty always are.
typedef struct tune_task_body {
  const MlirValue *results;
  size_t result_count;  // at least 1
  MlirOperation anchor; // or null
  bool (*contains)(MlirOperation op, const void *user_data);
  const void *user_data;
} tune_task_body;

// The context of the results needs the dialects func, arith and tensor loaded.
// INVALID_ARGUMENT where a result is not computed by a contained op.
tune_status tune_task_function_build(const tune_task_body *body, const char *name,
                                     tune_task_function *out_function);
// Destroys the function too, unless `function->function` was set to null by who took it.
void tune_task_function_deinit(tune_task_function *function);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_TASKS_TASK_FUNCTION_H
