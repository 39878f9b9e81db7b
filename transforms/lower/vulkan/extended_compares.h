//===- extended_compares.h - Comparisons of extended integers with constants -===//
//
// What compares `extsi x` with a constant that x's own type has compares x: that is the same, takes
// registers of half the size, and Mesa (22.3's llvmpipe at least) gets the other wrong for
// x of i32: `extsi x to i64 >= 1` is true of every x. What is compared with a constant beyond that
// type is known.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_VULKAN_EXTENDED_COMPARES_H
#define TUNE_TRANSFORMS_LOWER_VULKAN_EXTENDED_COMPARES_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Rewrites the comparisons in `kernels`, a builtin.module with kernels in it.
tune_status tune_extended_compares_narrow(MlirOperation kernels);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_VULKAN_EXTENDED_COMPARES_H
