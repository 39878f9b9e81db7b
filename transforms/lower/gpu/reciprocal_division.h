//===- reciprocal_division.h - Division by one number as multiplication by its reciprocal -===//
//
// Where many numbers are divided by one, it is cheaper to multiply them with what one divided by it
// is: a rounding more for each, which stays within the 2.5 ulp that Vulkan allows quotients, and
// within what checks do. Divisors that have no such inverse, or an inexact one, are scaled by a
// power of two, and what they divide as well. Of f32 alone.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_RECIPROCAL_DIVISION_H
#define TUNE_TRANSFORMS_LOWER_GPU_RECIPROCAL_DIVISION_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// In `kernels`, a builtin.module with kernels in it: where a loop divides by what is made outside
// of it, and where a block divides by the same value more than once.
tune_status tune_reciprocal_division_run(MlirOperation kernels);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_RECIPROCAL_DIVISION_H
