//===- spread_indices.h - Numbered rows that are broadcast -------------------------===//
//
// JAX's causal mask compares a row of numbers, 0, 1, 2, ..., with itself as a column. Both read one
// op, which asks where it is; so upstream joins it with neither, and a mask is no mask of indices.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_FRONT_ENDS_SPREAD_INDICES_H
#define TUNE_TRANSFORMS_NORMALIZE_FRONT_ENDS_SPREAD_INDICES_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// In `root`, makes each op that only moves what another one computes of its indices one that
// computes it of its own. False where memory ran out and not all was done.
bool tune_normalize_spread_indices(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_FRONT_ENDS_SPREAD_INDICES_H
