//===- size_evaluation.h - Analysis: how large a tensor is at given sizes ----===//
//
// The sizes of a tensor inside a function follow from those of the function's arguments. Here they
// are followed back through linalg ops, reshapes, slices, pads, loops and the arithmetic on sizes
// to the arguments, of which the sizes are given.
//
// Threads: reading IR, as MLIR allows.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_TASKS_SIZE_EVALUATION_H
#define TUNE_TRANSFORMS_TASKS_SIZE_EVALUATION_H

#include "mlir-c/IR.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What is given: the size of a dimension of a function's argument; 0: nobody says.
typedef struct tune_given_sizes {
  int64_t (*get)(void *user, intptr_t argument, intptr_t dimension);
  void *user;
} tune_given_sizes;

// The size of dimension `dimension` of the tensor `value`, at least 1; 0: it does not follow.
int64_t tune_size_evaluate(MlirValue value, intptr_t dimension, const tune_given_sizes *given);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_TASKS_SIZE_EVALUATION_H
