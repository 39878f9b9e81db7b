//===- device_code.h - The interface of what makes a device's code of kernels ---===//
//
// A table that each target with kernels has (cuda/cuda.h, vulkan/vulkan.h), for
// lower/device_lowering.h.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_DEVICE_CODE_H
#define TUNE_TRANSFORMS_LOWER_GPU_DEVICE_CODE_H

#include "formats/device_facts.h"
#include "transforms/lower/gpu/device_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a target makes of kernels. `state` is its own.
typedef struct tune_device_code {
  const char *target;         // of device programs: "vulkan"
  const char *stage;          // the one that conversion reaches: "spirv"
  const char *module_op;      // what conversion leaves for each kernel: "spirv.module"
  const char *no_llvm;        // why there is no LLVM IR of it
  const char *const *options; // attributes of the function that go along with its kernels
  tune_device (*least)(void); // what every device has
  tune_status (*create)(MlirContext context, const tune_device *device, void **out_state);
  void (*destroy)(void *state); // NULL as well
  // Converts `kernels`, a builtin.module of gpu.modules, in place, and describes them.
  tune_status (*convert)(void *state, MlirOperation kernels, tune_device_kernels *out_kernels);
  // Adds the code to what was described: what runs, or, for TUNE_EMIT_CUBIN, machine code.
  tune_status (*serialize)(void *state, MlirOperation kernels, tune_emit emit,
                           tune_device_kernels *described);
  // The code of all kernels as text; free() it.
  tune_status (*print)(const tune_device *device, const tune_device_kernels *kernels,
                       char **out_bytes, size_t *out_size);
} tune_device_code;

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_DEVICE_CODE_H
