//===- texels.h - Buffers that kernels read as textures ----------------------===//
//
// Texel fetches go another way through a GPU than loads from a storage buffer (on lavapipe twice as
// fast). SPIR-V's conversion upstream does not know them: until then such a buffer is like any
// other, and after it its variable becomes a uniform texel buffer, and each load from it a fetch.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_VULKAN_TEXELS_H
#define TUNE_TRANSFORMS_LOWER_VULKAN_TEXELS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes the storage buffer `variable`, a spirv.GlobalVariable in `module` (spirv.module) of f32 or
// vectors of four, a texel buffer. INVALID_ARGUMENT (located) where it is of another type, or used
// for anything but loads.
tune_status tune_texels_lower(MlirOperation module, MlirOperation variable);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_VULKAN_TEXELS_H
