//===- nvvm_math.h - Math functions on NVIDIA's GPUs -------------------------===//
//
// PTX has few functions: square roots, rounding, and 2^x to about two units in the last place.
// NVIDIA's library of the others comes with its toolkit, which need not be here; so the others
// become approximations: upstream's for asin, erf, erfc, expm1, log1p and tanh; e^x by 2^x, sin and
// cos by Cody and Waite's reduction (of angles up to 2^16) and the polynomials of Cephes,
// logarithms and powers by Norbert Juffa's polynomials, the others as expressions of these.
// Functions of f16 and bf16 are computed in f32. docs/accuracy.md says how far each is off.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CUDA_NVVM_MATH_H
#define TUNE_TRANSFORMS_LOWER_CUDA_NVVM_MATH_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Rewrites the functions in `kernels`, a builtin.module with kernels in it, to those that PTX has.
// INVALID_ARGUMENT (located) for those of float64 that it has not.
tune_status tune_nvvm_math_lower(MlirOperation kernels);

// Upstream's conversion to NVVM makes calls into NVIDIA's library of what PTX has instructions for.
// Makes those of the calls in `kernels`, in the LLVM dialect. INTERNAL (located) for one it does
// not know.
tune_status tune_nvvm_math_finish(MlirOperation kernels);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CUDA_NVVM_MATH_H
