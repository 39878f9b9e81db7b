//===- unordered.h - Analysis: results that may differ from run to run -------===//
//
// Floats that threads add up by atomic operations, or that a parallel loop reduces, are added in
// another order each time. All other code makes the same of the same inputs, bit for bit, or
// threads race in it, or it reads what nobody wrote; integers are added up, put together bit by bit
// and compared the same in any order. Artifacts say which they are (docs/protocol.md), and
// whoever runs them demands it.
//
// Threads: reading IR, as MLIR allows.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_UNORDERED_H
#define TUNE_TRANSFORMS_LOWER_COMMON_UNORDERED_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether there are such ops in `op`: of memref, scf, the LLVM dialect or OpenMP. Atomic ops on
// integers are such where one does something else than another, or something with what was there
// before.
bool tune_unordered_find(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_UNORDERED_H
