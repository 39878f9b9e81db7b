//===- cuda.h - The code of kernels for CUDA ---------------------------------===//
//
// PTX (nvvm.h), through NVIDIA's assembler where that is here; the driver assembles it where it
// runs. Conversion leaves the kernels in the LLVM dialect.
//
// Threads: as lower/cpu/cpu.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CUDA_CUDA_H
#define TUNE_TRANSFORMS_LOWER_CUDA_CUDA_H

#include "transforms/lower/gpu/device_code.h"

#ifdef __cplusplus
extern "C" {
#endif

// Its least device has what every one of compute capability 8.0 has. Making a lowering is
// UNAVAILABLE where $TUNE_PTXAS is no program.
extern const tune_device_code tune_cuda_code;

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CUDA_CUDA_H
