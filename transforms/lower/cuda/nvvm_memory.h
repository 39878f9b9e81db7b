//===- nvvm_memory.h - Shared memory of kernels for NVIDIA's GPUs ------------===//
//
// What a kernel has in workgroup memory (kernel_memory.h) becomes variables of its gpu.module. A
// kernel may have 48 KiB of such; one that takes more gets all of it at its launch, and its
// variables are parts of that.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CUDA_NVVM_MEMORY_H
#define TUNE_TRANSFORMS_LOWER_CUDA_NVVM_MEMORY_H

#include "support/status.h"

#include "mlir-c/IR.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Places the memref.alloc of workgroup memory in `kernel`, a gpu.func after
// tune_kernel_memory_place. `most_static` is what variables may have, in bytes;
// `*out_launch_bytes` is what a launch has to ask for, 0 where that is enough.
tune_status tune_nvvm_memory_place(MlirOperation kernel, int64_t most_static,
                                   int64_t *out_launch_bytes);

// Upstream's conversion makes of what a launch gives a variable of the kernel, of one byte. In
// `kernels`, in the LLVM dialect, it becomes one from elsewhere (.extern .shared), which takes
// nothing.
tune_status tune_nvvm_memory_finish(MlirOperation kernels);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CUDA_NVVM_MEMORY_H
