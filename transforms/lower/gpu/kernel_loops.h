//===- kernel_loops.h - The limit on iterations of loops in kernels ----------===//
//
// Some drivers stop loops after so many iterations, and say nothing (lavapipe after 65,535, those
// of all loops of an invocation together): results are wrong, and not always seen to be. That is
// checked before.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_KERNEL_LOOPS_H
#define TUNE_TRANSFORMS_LOWER_GPU_KERNEL_LOOPS_H

#include "formats/device_facts.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// INVALID_ARGUMENT (located) where the loops in `kernel` may take more iterations than `device`
// allows, or nothing is known of how many: bounds are constants, or made of these and the numbers
// of invocations and loops. Innermost ones of up to `unrolled` iterations are none, unless a group
// waits in them.
tune_status tune_kernel_loops_check(MlirOperation kernel, const tune_device *device,
                                    int64_t unrolled);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_KERNEL_LOOPS_H
