//===- cuda.h - From a scheduled module to a device program for CUDA ----------------===//
//
// A tune_cuda_lowering holds what all builds of one kind share. It is made once, in the process
// that forks a child per candidate.
//
// What a run does: the function becomes launches and kernels (device_launches.h); kernels go to PTX
// (nvvm.h), through NVIDIA's assembler where that is here; the host's part is read as a list of
// steps (device_program.h) and written down with the PTX, which the driver assembles.
//
// Threads: as lower/cpu.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CUDA_H
#define TUNE_TRANSFORMS_LOWER_CUDA_H

#include "transforms/lower/cpu.h"
#include "transforms/lower/stages.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_cuda_options {
  // The fingerprint of the device (targets/fingerprint.h), needed only until the lowering is made;
  // NULL: what every device of compute capability 8.0 has.
  const json_t *device;
  tune_stages stages; // those of device_launches.h, and "nvvm" of tune_cuda_lowering_run_module
} tune_cuda_options;

typedef struct tune_cuda_lowering tune_cuda_lowering;

// INVALID_ARGUMENT where the fingerprint is none; UNAVAILABLE where $TUNE_PTXAS is no program.
// mlirRegisterAllPasses must have been called.
tune_status tune_cuda_lowering_create(MlirContext context, const tune_cuda_options *options,
                                      tune_cuda_lowering **out_lowering);
void tune_cuda_lowering_destroy(tune_cuda_lowering *lowering);

// As tune_cpu_lowering_run. `emit` is TUNE_EMIT_OBJECT: a device program (docs/architecture.md) of
// PTX; TUNE_EMIT_CUBIN: one of machine code; TUNE_EMIT_ASSEMBLY: the PTX, one module after the
// other; TUNE_EMIT_MLIR: two modules as text, that of the host with kernels in the gpu dialect, and
// the kernels in the LLVM dialect. TUNE_EMIT_LLVM is INVALID_ARGUMENT.
tune_status tune_cuda_lowering_run(tune_cuda_lowering *lowering, MlirOperation module,
                                   const char *function, const tune_function_signature *signature,
                                   tune_emit emit, char **out_bytes, size_t *out_size,
                                   tune_cpu_report *out_report);

// Lowers `module` in place: to the host's part, and the kernels in the LLVM dialect. What the
// device does not have is found as by the other.
tune_status tune_cuda_lowering_run_module(tune_cuda_lowering *lowering, MlirOperation module,
                                          const char *function,
                                          const tune_function_signature *signature);

// As tune_cpu_lowering_warm_up.
tune_status tune_cuda_lowering_warm_up(tune_cuda_lowering *lowering);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CUDA_H
