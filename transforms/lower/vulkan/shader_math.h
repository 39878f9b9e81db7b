//===- shader_math.h - Math functions of shaders -----------------------------===//
//
// Upstream's conversion takes the functions that GLSL has. Before it, the others become
// approximations (asin, erf, erfc, cbrt, expm1, log1p: upstream's, on f32; atan, atan2 and acos:
// one polynomial), or expressions of others (trunc, isfinite, fpowi); functions of f16 are computed
// in f32. exp2 is GLSL's.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_VULKAN_SHADER_MATH_H
#define TUNE_TRANSFORMS_LOWER_VULKAN_SHADER_MATH_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Rewrites the functions in `kernels`, a builtin.module with kernels in it.
tune_status tune_shader_math_lower(MlirOperation kernels);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_VULKAN_SHADER_MATH_H
