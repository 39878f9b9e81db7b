//===- blocks.h - Branches between blocks as ops with regions ----------------===//
//
// Upstream gives memory back in loops that are ops (scf.while) alone, and a device program has
// branches where such ops were: branches between the blocks of a function become ops of scf.
//
// Threads: as the context of the module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_BLOCKS_H
#define TUNE_TRANSFORMS_LOWER_COMMON_BLOCKS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Of the functions of `module` that have several blocks; with `loops_only`, where some branch goes
// back. INVALID_ARGUMENT where upstream does not do it.
tune_status tune_blocks_lift(MlirOperation module, bool loops_only);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_BLOCKS_H
