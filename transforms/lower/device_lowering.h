//===- device_lowering.h - The lowering for devices: scheduled modules to device programs ---===//
//
// A tune_device_lowering holds what all builds for a device share: parsed pass pipelines, the
// device. It is made once, in the process that forks a child per candidate.
//
// What a run does:
//  1. the function becomes the host's part, with buffers, copies and launches, and kernels
//     (device_launches.h);
//  2. kernels become code of the target's (vulkan.h, cuda.h), always through whoever can tell
//     whether it is right;
//  3. the host's part is read as a list of steps (device_program.h) and written down with the code.
//
// Threads: as lower/cpu/cpu.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_DEVICE_LOWERING_H
#define TUNE_TRANSFORMS_LOWER_DEVICE_LOWERING_H

#include "transforms/lower/common/build_order.h"
#include "transforms/lower/common/stages.h"
#include "transforms/lower/device_launches.h"
#include "transforms/lower/gpu/device_code.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_device_lowering tune_device_lowering;

// `device` is a fingerprint (formats/fingerprint.h), needed only here; NULL: what every device has.
// `stages` are those of device_launches.h, and the code's own of tune_device_lowering_run_module.
// INVALID_ARGUMENT where the fingerprint is none, and what `code` needs. mlirRegisterAllPasses must
// have been called.
tune_status tune_device_lowering_create(MlirContext context, const tune_device_code *code,
                                        const json_t *device, const tune_stages *stages,
                                        tune_device_lowering **out_lowering);
void tune_device_lowering_destroy(tune_device_lowering *lowering);

// Steps on the host are made by `make` (host_code.h), which is handed `user`, from then on.
void tune_device_lowering_set_host(tune_device_lowering *lowering, tune_host_maker make,
                                   void *user);

// As tune_cpu_lowering_run, and never plain. What comes of TUNE_EMIT_OBJECT is a device program
// (docs/protocol.md); of TUNE_EMIT_CUBIN one of machine code, where the target has such; of
// TUNE_EMIT_MLIR two modules as text, that of the host with kernels in the gpu dialect, and the
// kernels as they were converted; of TUNE_EMIT_ASSEMBLY their code as text, one after the other.
// TUNE_EMIT_LLVM is INVALID_ARGUMENT.
tune_status tune_device_lowering_run(tune_device_lowering *lowering, const tune_build_order *order,
                                     tune_code *out_code);

// Lowers `module` in place: to the host's part, and the converted kernels. What the device does not
// have is found as by the other.
tune_status tune_device_lowering_run_module(tune_device_lowering *lowering, MlirOperation module,
                                            const char *function,
                                            const tune_function_signature *signature);

// As tune_cpu_lowering_warm_up.
tune_status tune_device_lowering_warm_up(tune_device_lowering *lowering);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_DEVICE_LOWERING_H
