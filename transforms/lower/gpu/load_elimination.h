//===- load_elimination.h - Elimination of repeated loads in kernels ---------===//
//
// Upstream's elimination of common subexpressions keeps two reads of the same place apart where
// anything stands between them whose effects it does not know, as a sum over a subgroup. A buffer
// that nothing in a kernel writes is the same all the time: of equal reads in one block the first
// stays.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_LOAD_ELIMINATION_H
#define TUNE_TRANSFORMS_LOWER_GPU_LOAD_ELIMINATION_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// In each gpu.launch of `function`, which is on buffers. Indices count as equal where they are the
// same value: merge what computes them before.
tune_status tune_load_elimination_run(MlirOperation function);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_LOAD_ELIMINATION_H
