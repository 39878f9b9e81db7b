//===- steps.h - Images of which a product reads every second pixel ---------------===//
//
// A 1x1 convolution with a stride (the shortcuts of residual networks) multiplies a part of its
// pixels, which lie apart. Here that part is cut out first (tensor.extract_slice with strides):
// the copy is small beside what reads it, and the rest is a matrix product.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_STEPS_H
#define TUNE_TRANSFORMS_NORMALIZE_STEPS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Does so with all sums of products in `root`, named or generic, of known sizes, of which a factor
// is indexed by loops times numbers and by nothing else, where each element of it is multiplied 32
// times or more. Before named ops are made generic or after. False where memory ran out and not all
// was done.
bool tune_normalize_steps(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_STEPS_H
