//===- spirv_environment.h - The SPIR-V target environment of a device -------===//
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_VULKAN_SPIRV_ENVIRONMENT_H
#define TUNE_TRANSFORMS_LOWER_VULKAN_SPIRV_ENVIRONMENT_H

#include "formats/device_facts.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a kernel has that SPIR-V 1.3, and what devices have in common, has not.
typedef enum tune_spirv_needs {
  TUNE_SPIRV_NEEDS_NOTHING,
  TUNE_SPIRV_NEEDS_DOTS,     // dot products of words
  TUNE_SPIRV_NEEDS_MATRICES, // cooperative matrices
  TUNE_SPIRV_NEEDS_COUNT
} tune_spirv_needs;

// The #spirv.target_env of `device` for kernels with `needs`: its capabilities, extensions and
// limits. The dialect has to be loaded.
tune_status tune_spirv_environment_make(MlirContext context, const tune_device *device,
                                        tune_spirv_needs needs, MlirAttribute *out_environment);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_VULKAN_SPIRV_ENVIRONMENT_H
