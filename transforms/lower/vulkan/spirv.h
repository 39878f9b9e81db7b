//===- spirv.h - Conversion of kernels to SPIR-V -----------------------------===//
//
// Kernels are gpu.funcs, each in a gpu.module of its own, with scalars, loops, vectors of up to
// four, and memory that is plain (no views left). They go to the SPIR-V dialect through upstream's
// conversions, for the environment that the device gives; then to words, through spirv-opt where
// the schedule says so, and always through spirv-val.
//
// What is known of a kernel is on its gpu.module:
//
//   tune.spirv.opt = "…"              spirv_tools.h
//   tune.roots = array<i64: …>        device_kernel.h; where one of a buffer's is written, the code
//                                     is told
//
// Argument i is binding i of descriptor set 0: a storage buffer, also for a scalar, or a uniform
// texel buffer (launch_sinking.h).
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_VULKAN_SPIRV_H
#define TUNE_TRANSFORMS_LOWER_VULKAN_SPIRV_H

#include "formats/device_facts.h"
#include "support/status.h"
#include "transforms/lower/gpu/device_kernel.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_spirv tune_spirv;

tune_status tune_spirv_create(MlirContext context, const tune_device *device,
                              tune_spirv **out_spirv);
void tune_spirv_destroy(tune_spirv *spirv);

// Converts all gpu.modules in `kernels`, a builtin.module of nothing else, to spirv.modules beside
// them. Fills in `out_kernels`, in order, but for their code; deinitialize it also after a failure.
// INVALID_ARGUMENT (located where that is known) for types, groups or memory that the device does
// not have, and for what upstream does not convert.
tune_status tune_spirv_convert(tune_spirv *spirv, MlirOperation kernels,
                               tune_device_kernels *out_kernels);

// Fills in the code of what tune_spirv_convert made. `kernels` is used up.
tune_status tune_spirv_serialize(tune_spirv *spirv, MlirOperation kernels,
                                 tune_device_kernels *out_kernels);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_VULKAN_SPIRV_H
