//===- tensor_dimensions.h - Which dimension of a tensor is which of another one ------===//
//
// Dimensions of a tensor are followed back through what moves or repeats it. Each has a number, or
// -1: it is none of those that are followed. There are TUNE_IR_MAX_RANK of them, whatever the rank;
// those behind are -1.
//
// Threads: reading IR, as MLIR allows.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_TENSOR_DIMENSIONS_H
#define TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_TENSOR_DIMENSIONS_H

#include "transforms/normalize/nest_maps.h"

#ifdef __cplusplus
extern "C" {
#endif

// Of operand `operand` of `n`, whose result's are `dimensions`. One of size 1 that is read at a
// constant, or at no dimension of the result, is none.
void tune_tensor_dimensions_of_operand(const tune_nest_maps *n, intptr_t operand,
                                       const intptr_t *dimensions, intptr_t *out_dimensions);

// Of what `op`, a tensor.expand_shape or tensor.collapse_shape of known sizes, reshapes to a tensor
// whose are `dimensions`: those that stay, but for ones of size 1 beside them. False where `op` has
// other operands or more dimensions than can be told.
bool tune_tensor_dimensions_before_reshape(MlirOperation op, const intptr_t *dimensions,
                                           intptr_t *out_dimensions);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_TENSOR_DIMENSIONS_H
