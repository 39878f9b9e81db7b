//===- joined_tensors.h - Concatenations in other words ---------------------------===//
//
// StableHLO's concatenation comes, out of its lowering to linalg, as an op without inputs that asks
// for each element in which of the tensors it is, and takes it out of that:
//
//   i < 4 ? extract A[..., i, ...] : extract B[..., i - 4, ...]
//
// TOSA's is a tensor.insert_slice for each, into the result of the one before. Everybody else knows
// both as tensor.concat, through which layouts go.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_FRONT_ENDS_JOINED_TENSORS_H
#define TUNE_TRANSFORMS_NORMALIZE_FRONT_ENDS_JOINED_TENSORS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Makes tensor.concat of all of them in `root`, of known sizes. False where memory ran out and not
// all was done.
bool tune_normalize_joined_tensors(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_FRONT_ENDS_JOINED_TENSORS_H
