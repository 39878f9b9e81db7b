//===- vulkan.h - From a scheduled module to a device program for Vulkan ----------===//
//
// A tune_vulkan_lowering holds what all builds of one kind share: parsed pass pipelines, the target
// environment. It is made once, in the process that forks a child per candidate.
//
// What a run does:
//  1. tensors that the schedule left are bufferized, results are placed (as lower/cpu.h);
//  2. every top-level scf.forall becomes a gpu.launch, as does every linalg op that no schedule has
//     taken (launches.h); what is left of the function is the host's part: buffers, launches,
//     copies;
//  3. vectors become those that shaders have (vector_pieces.h); kernels go to SPIR-V through
//  upstream's
//     conversions, through spirv-opt where the schedule says so, and always through spirv-val;
//  4. the host's part is read as a list of steps (device_program.h) and written down with the code.
//
// Threads: as lower/cpu.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_VULKAN_H
#define TUNE_TRANSFORMS_LOWER_VULKAN_H

#include "transforms/lower/cpu.h"
#include "transforms/lower/stages.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_vulkan_options {
  // The fingerprint of the device (targets/fingerprint.h), needed only until the lowering is made;
  // NULL: what every Vulkan 1.1 device has.
  const json_t *device;
  tune_stages stages; // those of device_launches.h, and "spirv" of tune_vulkan_lowering_run_module
} tune_vulkan_options;

typedef struct tune_vulkan_lowering tune_vulkan_lowering;

// INVALID_ARGUMENT where the fingerprint is none. mlirRegisterAllPasses must have been called.
tune_status tune_vulkan_lowering_create(MlirContext context, const tune_vulkan_options *options,
                                        tune_vulkan_lowering **out_lowering);
void tune_vulkan_lowering_destroy(tune_vulkan_lowering *lowering);

// As tune_cpu_lowering_run. `emit` is TUNE_EMIT_OBJECT: a device program (docs/architecture.md);
// TUNE_EMIT_MLIR: two modules as text, that of the host with kernels in the gpu dialect, and their
// SPIR-V dialect; TUNE_EMIT_ASSEMBLY: the SPIR-V as text (SPIRV-Tools' disassembler), one module
// after the other. TUNE_EMIT_LLVM is INVALID_ARGUMENT.
tune_status tune_vulkan_lowering_run(tune_vulkan_lowering *lowering, MlirOperation module,
                                     const char *function, const tune_function_signature *signature,
                                     tune_emit emit, char **out_bytes, size_t *out_size,
                                     tune_cpu_report *out_report);

// Lowers `module` in place: to the host's part, and the kernels in the SPIR-V dialect, each beside
// its gpu.module, to which the launches refer. What the device does not have is found as by the
// other.
tune_status tune_vulkan_lowering_run_module(tune_vulkan_lowering *lowering, MlirOperation module,
                                            const char *function,
                                            const tune_function_signature *signature);

// As tune_cpu_lowering_warm_up.
tune_status tune_vulkan_lowering_warm_up(tune_vulkan_lowering *lowering);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_VULKAN_H
