//===- vulkan.h - The code of kernels for Vulkan -----------------------------===//
//
// SPIR-V: through upstream's conversions (spirv.h), through spirv-opt where the schedule says so,
// and always through spirv-val (spirv_tools.h). Conversion leaves a spirv.module beside the
// gpu.module of each kernel. As text it is what SPIRV-Tools' disassembler prints.
//
// Threads: as lower/cpu/cpu.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_VULKAN_VULKAN_H
#define TUNE_TRANSFORMS_LOWER_VULKAN_VULKAN_H

#include "transforms/lower/gpu/device_code.h"

#ifdef __cplusplus
extern "C" {
#endif

// Its least device has what every one with Vulkan 1.1 has.
extern const tune_device_code tune_vulkan_code;

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_VULKAN_VULKAN_H
