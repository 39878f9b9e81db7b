//===- device_program.h - Writing device programs: the host's part as a list of steps -===//
//
// A function whose loops are all in kernels takes buffers, launches, copies and returns. It is read
// as a list of steps and written with the kernels' code as a device program (docs/protocol.md),
// which a runner without MLIR carries out.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_HOST_DEVICE_PROGRAM_H
#define TUNE_TRANSFORMS_LOWER_GPU_HOST_DEVICE_PROGRAM_H

#include "support/status.h"
#include "transforms/lower/gpu/device_kernel.h"

#include "mlir-c/IR.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Writes `function`, whose gpu.launch_funcs name `kernels`, for the target `target` ("vulkan").
// `*out_bytes` (free() it) has a NUL after its `*out_size` bytes. INVALID_ARGUMENT (located) names
// an op that a device program has no step for, and sizes known only at run time.
tune_status tune_device_program_write(MlirOperation function, const char *target,
                                      const tune_device_kernels *kernels, char **out_bytes,
                                      size_t *out_size);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_HOST_DEVICE_PROGRAM_H
