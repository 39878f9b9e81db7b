//===- odd_integers.h - Integers of 4 bits and the like, in those that shaders have ---===//
//
// Shaders have integers of 8, 16, 32 and 64 bits. Upstream's conversion takes those of other widths
// for 32 bits and does not cut what is computed to the bits that they have. So here they get wider
// types first, as zero-extended numbers: what may carry into the bits above is cut off after each
// op, and what asks for a sign extends it first.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_VULKAN_ODD_INTEGERS_H
#define TUNE_TRANSFORMS_LOWER_VULKAN_ODD_INTEGERS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// In the kernels of `kernels`, a builtin.module of gpu.modules: no value is an integer of up to 64
// bits that shaders do not have. INVALID_ARGUMENT (located) for ops on such that have no other
// form: memory of them, and bits taken for another type.
tune_status tune_odd_integers_widen(MlirOperation kernels);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_VULKAN_ODD_INTEGERS_H
