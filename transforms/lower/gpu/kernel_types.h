//===- kernel_types.h - Types that a device has ------------------------------===//
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_KERNEL_TYPES_H
#define TUNE_TRANSFORMS_LOWER_GPU_KERNEL_TYPES_H

#include "formats/device_facts.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// INVALID_ARGUMENT, at the first op of `kernel` that has a value of such a type, for a type that
// `device` does not have, and for one that no shader has: vectors other than of two to four, memory
// of indices (which are 64 bits there and 32 in a kernel); bf16 has gone before
// (float_emulation.h).
tune_status tune_kernel_types_check(MlirOperation kernel, const tune_device *device);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_KERNEL_TYPES_H
