//===- device_math.h - Math functions of devices -----------------------------===//
//
// What the ways to shaders (shader_math.h) and to PTX (nvvm_math.h) share.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_DEVICE_MATH_H
#define TUNE_TRANSFORMS_LOWER_GPU_DEVICE_MATH_H

#include "support/status.h"
#include "transforms/ir/ir_builder.h"

#ifdef __cplusplus
extern "C" {
#endif

// In `kernels`, a builtin.module with kernels in it: functions of f16 and bf16 become functions of
// f32, those called `approximated` ("math.erf") upstream's approximations, those called `expanded`
// ("sinh") expressions of others, and so do powers of small numbers and divisions that round. Names
// end with NULL. `*out_found` tells whether there are any.
tune_status tune_device_math_lower(MlirOperation kernels, const char *const *approximated,
                                   const char *const *expanded, bool *out_found);

// What `op`, of the dialect math, is in other words; `*out_value` stays null where it stays.
typedef tune_status (*tune_device_math_words)(MlirOperation op, MlirValue *out_value);

// Puts every op for which there are other words into these, once.
tune_status tune_device_math_rewrite(MlirOperation kernels, tune_device_math_words in_other_words,
                                     bool *out_changed);

// math.atan, math.atan2 or math.acos of f32 to two ulp, before `op`; null for any other op.
MlirValue tune_device_math_arc(const tune_ir_builder *builder, MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_DEVICE_MATH_H
