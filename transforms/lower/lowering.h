//===- lowering.h - The lowering of a scheduled module, for any target -------===//
//
// A tune_lowering makes what a target runs: for the CPU what becomes a shared object
// (cpu.h), for a device a program (vulkan.h, cuda.h). The plain lowering, which candidates of any
// target are compared with, is always the CPU's.
//
// Threads: as cpu.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_LOWERING_H
#define TUNE_TRANSFORMS_LOWER_LOWERING_H

#include "transforms/lower/common/stages.h"
#include "transforms/lower/cpu/cpu.h"
#include "tuning/device/target_name.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_lowering_options {
  tune_target_kind kind;
  tune_cpu_options cpu;
  // Of what is no CPU: the fingerprint of the device (formats/fingerprint.h), needed only until the
  // lowering is made; NULL: what every device of the kind has.
  const json_t *device;
  tune_stages stages; // of what is no CPU
} tune_lowering_options;

typedef struct tune_lowering tune_lowering;

// Errors as those of the target's own.
tune_status tune_lowering_create(MlirContext context, const tune_lowering_options *options,
                                 tune_lowering **out_lowering);
void tune_lowering_destroy(tune_lowering *lowering);

// Whether what is emitted as TUNE_EMIT_OBJECT is code of the CPU, to be linked (link.h), and not an
// artifact already. Plain code is.
bool tune_lowering_makes_objects(const tune_lowering *lowering, bool plain);

// As tune_cpu_lowering_run. INVALID_ARGUMENT for a form that the target's code does not go through.
tune_status tune_lowering_run(tune_lowering *lowering, const tune_build_order *order,
                              tune_code *out_code);

// Lowers `module` in place, as far as MLIR goes: for a CPU to the LLVM dialect, all of it, else for
// `function`, to the host's part and kernels in the dialect of the device.
tune_status tune_lowering_run_module(tune_lowering *lowering, MlirOperation module,
                                     const char *function,
                                     const tune_function_signature *signature);

// As tune_cpu_lowering_warm_up.
tune_status tune_lowering_warm_up(tune_lowering *lowering);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_LOWERING_H
