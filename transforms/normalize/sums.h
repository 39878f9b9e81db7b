//===- sums.h - Reductions one dimension at a time, as one ------------===//
//
// TOSA reduces one dimension by one op. A sum of everything comes as sums over columns and a sum of
// these, a mean over an image as one over its lines and one over what is left: a pass over the
// first result for each more, and the first goes over memory in the order of its own dimension
// alone. Here ops that reduce dimensions beside each other in turn become one that reduces them
// together, as StableHLO and torch-mlir write it. Devices divide the first of them among more
// invocations: for them they stay.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_SUMS_H
#define TUNE_TRANSFORMS_NORMALIZE_SUMS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Does so with all such ops in `root`, of known sizes, sums, products and extrema, whose result is
// reduced further, by the same op, and read by nothing else. Between them dimensions of size 1 may
// come and go. Sums and products of f16 and bf16 stay, which would be rounded elsewhere. False
// where memory ran out and not all was done.
bool tune_normalize_sums(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_SUMS_H
