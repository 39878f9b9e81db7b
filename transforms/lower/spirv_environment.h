//===- spirv_environment.h - What a device takes, as MLIR says it -----------------------===//
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_SPIRV_ENVIRONMENT_H
#define TUNE_TRANSFORMS_LOWER_SPIRV_ENVIRONMENT_H

#include "transforms/lower/device.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// The #spirv.target_env of `device`: its capabilities, extensions and limits, and what kernels with
// cooperative matrices need, where `has_matrices` says so. The dialect has to be loaded.
tune_status tune_spirv_environment_make(MlirContext context, const tune_device *device,
                                        bool has_matrices, MlirAttribute *out_environment);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_SPIRV_ENVIRONMENT_H
