//===- launch_kernels.h - Outlining of launches as named kernels -------------===//
//
// Each gpu.launch of a function becomes a gpu.launch_func of a kernel in a gpu.module of its own,
// both named after the function: "f_kernel", "f_kernel_1", … What is known at the launch goes on
// the module: which arguments lie in the same buffer, and what the schedule says of the code
// (tune.spirv.*, see spirv.h; tune.ptx.*, see nvvm.h).
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_LAUNCH_KERNELS_H
#define TUNE_TRANSFORMS_LOWER_GPU_LAUNCH_KERNELS_H

#include "support/status.h"

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

// Puts what `function` says of its code on its launches that do not say it themselves, as the
// functions of a module's tasks end up in one. INVALID_ARGUMENT (located) for an attribute
// tune.spirv.* or tune.ptx.* that is not one of `known` (NULL after the last).
tune_status tune_launch_kernels_spread(MlirOperation function, const char *const *known);

// `outline` is upstream's gpu-kernel-outlining.
tune_status tune_launch_kernels_outline(MlirOperation module, MlirOperation function,
                                        MlirPassManager outline);

// A module of copies of the kernels, in the order of their launches; mlirOperationDestroy it.
tune_status tune_launch_kernels_copy(MlirOperation module, MlirOperation function,
                                     MlirOperation *out_kernels);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_LAUNCH_KERNELS_H
