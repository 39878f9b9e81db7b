//===- spirv_matrices.h - Cooperative matrices in SPIR-V ---------------------===//
//
// Modules with matrices of SPV_KHR_cooperative_matrix are of the Vulkan memory model, of which
// upstream's conversion knows nothing: there a barrier makes seen only what says that it is not the
// invocation's own, and only if the barrier says that it does (SPIR-V, "Memory Model").
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_VULKAN_SPIRV_MATRICES_H
#define TUNE_TRANSFORMS_LOWER_VULKAN_SPIRV_MATRICES_H

#include "support/status.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether `kernel`, a gpu.func, has such (gpu.subgroup_mma_*).
bool tune_spirv_matrices_are_in(MlirOperation kernel);

// Gives `module`, a spirv.module, that memory model: in it what is in a group's memory is the
// group's, and its barriers make it seen. Products of bytes get the signs of their types.
void tune_spirv_matrices_settle(MlirOperation module);

// Declares, once upstream has listed what the ops of `module` need, what the number of a subgroup
// needs, which upstream forgets.
tune_status tune_spirv_matrices_declare(MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_VULKAN_SPIRV_MATRICES_H
