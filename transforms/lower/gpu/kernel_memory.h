//===- kernel_memory.h - Memory that a kernel takes for itself ---------------===//
//
// In a gpu.func, before its conversion to SPIR-V or NVVM: what is allocated in workgroup memory
// gets the memory space that upstream's conversion knows; everything else that is allocated belongs
// to one invocation, and becomes a variable of the function.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_KERNEL_MEMORY_H
#define TUNE_TRANSFORMS_LOWER_GPU_KERNEL_MEMORY_H

#include "formats/device_facts.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes the memory of `kernel` so, and gives buffers that are textures (launch_sinking.h) a plain
// space. INVALID_ARGUMENT (located) for sizes known only at run time, or more workgroup memory than
// the device has.
tune_status tune_kernel_memory_place(MlirOperation kernel, const tune_device *device);

// Whether a memref of `type` is in workgroup memory, however that is said.
bool tune_kernel_memory_is_shared(MlirType type);

// On CUDA, of an allocation of workgroup memory: the multiple that it begins at, in bytes. It is
// 128, at which vectors, matrices of ldmatrix and lines of caches begin, or what the allocation
// says, up to 1024.
int64_t tune_kernel_memory_alignment(MlirOperation allocation);
// The most of them, and that of all of it.
#define TUNE_CUDA_SHARED_ALIGNMENT 1024
// The end of `allocation` where it is put behind `start`; where it begins to `*out_offset`.
int64_t tune_kernel_memory_put(MlirOperation allocation, int64_t start, int64_t *out_offset);

// Bytes of the memory that a memref of static shape has; -1 for others, and for elements without a
// size in memory.
int64_t tune_kernel_memory_bytes(MlirType type);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_KERNEL_MEMORY_H
