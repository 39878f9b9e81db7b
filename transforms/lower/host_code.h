//===- host_code.h - Code for the steps of a device program on the host ------===//
//
// The functions that the host does (gpu/host_functions.h) become a shared object each, by the plain
// lowering for CPUs.
//
// Threads: as lowering.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_HOST_CODE_H
#define TUNE_TRANSFORMS_LOWER_HOST_CODE_H

#include "transforms/lower/cpu/cpu.h"

#ifdef __cplusplus
extern "C" {
#endif

// Of such a function, at most.
enum { TUNE_HOST_ARGUMENTS = 256 };

// Builds those of `module`: their bodies go, and the attribute `tune.host_code` of each has its
// code. `user` is a tune_cpu_lowering. UNAVAILABLE where there is no linker.
tune_status tune_host_code_make(void *user, MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_HOST_CODE_H
