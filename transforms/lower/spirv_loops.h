//===- spirv_loops.h - Loops for spirv-opt to unroll -------------------------------------===//
//
// spirv-opt unrolls the loops that say so, and upstream's conversion says so of none.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_SPIRV_LOOPS_H
#define TUNE_TRANSFORMS_LOWER_SPIRV_LOOPS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Marks the innermost loops in `module`, a spirv.module, that end at a constant of up to `most` to
// be unrolled.
void tune_spirv_loops_mark(MlirOperation module, int64_t most);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_SPIRV_LOOPS_H
