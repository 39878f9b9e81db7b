//===- equal_sizes.h - Sizes of arguments that have to be equal --------------===//
//
// Code that takes any sizes computes something where those of its arguments do not go together, or
// reads what is not there. Which ones have to be equal is read off the structured ops of a
// function: what one of its loops runs over has one size in all operands.
//
//   linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)    dimension 1 of argument 0 and
//                                                                   dimension 0 of argument 1
//
// Only of ops that run in each call, and of operands whose sizes are those of arguments by what the
// ops say: a dimension that something computes is left out.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_IR_EQUAL_SIZES_H
#define TUNE_TRANSFORMS_IR_EQUAL_SIZES_H

#include "formats/worker_replies.h"
#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Lists them for `function`, which has a body; each once. Free with tune_equal_sizes_deinit.
tune_status tune_equal_sizes_find(MlirOperation function, tune_equal_size_list *out_list);
void tune_equal_sizes_deinit(tune_equal_size_list *list);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_IR_EQUAL_SIZES_H
