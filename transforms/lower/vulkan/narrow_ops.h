//===- narrow_ops.h - Ops on narrow types: which they are, and making others --===//
//
// A type is narrow where the device has it in memory alone: bf16, which no shader has arithmetic
// for, and f16 where the device lacks it or is software, which takes a conversion for each operand
// and result of an op on f16. What float emulation (float_emulation.h) says of such ops and makes
// in place of them, shared by its parts. Values and types are scalars or vectors of one dimension.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_VULKAN_NARROW_OPS_H
#define TUNE_TRANSFORMS_LOWER_VULKAN_NARROW_OPS_H

#include "formats/device_facts.h"
#include "support/status.h"
#include "transforms/ir/ir_builder.h"

#ifdef __cplusplus
extern "C" {
#endif

bool tune_narrow_is_bf16(MlirValue value);
// Whether `type`, or its element, is narrow on `device`.
bool tune_narrow_is_type(MlirType type, const tune_device *device);
bool tune_narrow_is_value(MlirValue value, const tune_device *device);
// Whether `op` is nothing but the step between f32 and another type: arith.extf or arith.truncf.
bool tune_narrow_is_step(MlirOperation op);

// The op `name` (a conversion) on `value`, whose result has elements of `element`.
MlirValue tune_narrow_build_step(const tune_ir_builder *builder, const char *name, MlirValue value,
                                 MlirType element);
// The op `name` of `value` and `bits`, an integer of its type; `value` itself where these are 0.
MlirValue tune_narrow_build_shift(const tune_ir_builder *builder, const char *name, MlirValue value,
                                  int64_t bits);

typedef bool (*tune_narrow_question)(MlirOperation op, const tune_device *device);
// What takes the place of the only result of `op`, made by `builder` before it; or a null value
// where the op stays.
typedef MlirValue (*tune_narrow_replacement)(const tune_ir_builder *builder, MlirOperation op,
                                             const tune_device *device);

// Rewrites the ops within `kernels` that `is_wanted` says, in their order. OUT_OF_MEMORY alone.
tune_status tune_narrow_rewrite(MlirOperation kernels, const tune_device *device,
                                tune_narrow_question is_wanted, tune_narrow_replacement rewrite);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_VULKAN_NARROW_OPS_H
