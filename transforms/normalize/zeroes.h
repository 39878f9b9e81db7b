//===- zeroes.h - Filters that were filled up with zeroes ----------===//
//
// StableHLO's lowering, and others, write a dilated convolution as a dense one, whose filter has
// zeroes between its elements: a tensor.insert_slice with strides into zeroes. Most of what such
// an op multiplies is zero. Here it becomes the convolution that was meant: the filter as it was,
// and an image that is read in steps.
//
// What is not read any more may be infinite or NaN, where zero times it was NaN; so it is of the
// zeroes around an image, where rules skip them.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_ZEROES_H
#define TUNE_TRANSFORMS_NORMALIZE_ZEROES_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Does so with all sums of products in `root`, named or generic, of two operands that are
// multiplied as they are (possibly widened), of which one, along loops that slide over the other,
// has its elements in steps from the first place on, and zero everywhere else. Before
// named ops are made generic or after.
void tune_normalize_zeroes(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_ZEROES_H
