//===- host_functions.h - Functions of a device program that the host does ---===//
//
// A task that no kernel can be made of has `tune.host` on its function
// (transforms/rules/gpu/host.c). What it does goes into a function of its own, that takes buffers
// alone and is left as it is, until it becomes code of the host (transforms/lower/host_code.h) and
// a step of the program (device_program.h).
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_HOST_HOST_FUNCTIONS_H
#define TUNE_TRANSFORMS_LOWER_GPU_HOST_HOST_FUNCTIONS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether `op` is a function that the host does, or a call of such a one in `module`.
bool tune_host_functions_is(MlirOperation op);
bool tune_host_functions_is_call(MlirOperation module, MlirOperation op);

// Cuts such functions out of those of `module`, on buffers, that the schedule has marked.
// INVALID_ARGUMENT (located) for what takes scalars, or gives back something else than buffers of
// sizes that are known.
tune_status tune_host_functions_cut(MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_HOST_HOST_FUNCTIONS_H
