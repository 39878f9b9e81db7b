//===- spirv_loops.h - Repairs of loops after upstream's conversion to SPIR-V -===//
//
// spirv-opt unrolls the loops that say so, and upstream's conversion says so of none. And it keeps
// what a loop carries in variables that only the loop's body writes: after a loop that does not run
// they hold nothing.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_VULKAN_SPIRV_LOOPS_H
#define TUNE_TRANSFORMS_LOWER_VULKAN_SPIRV_LOOPS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Marks the innermost loops in `module`, a spirv.module, that end at a constant of up to `most` to
// be unrolled, but for those in which a group waits at a barrier.
void tune_spirv_loops_mark(MlirOperation module, int64_t most);

// Writes what the loops in `module` begin with to these variables, before each loop that is not
// known to run at least once.
void tune_spirv_loops_start(MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_VULKAN_SPIRV_LOOPS_H
