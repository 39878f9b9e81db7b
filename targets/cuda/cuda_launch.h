//===- cuda_launch.h - The kernels of a program, ready to be launched -------------------===//
//
// The modules of a program, loaded, and for each step that launches something the function,
// with leave to use as much shared memory as the step says.
//
// Threads: one thread at a time per device.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_CUDA_CUDA_LAUNCH_H
#define TUNE_TARGETS_CUDA_CUDA_LAUNCH_H

#include "targets/cuda/cuda_device.h"
#include "targets/program.h"

typedef struct cuda_launches {
  CUmodule *modules; // one for each of the program's
  size_t module_count;
  CUfunction *functions; // one for each step; NULL for copies
} cuda_launches;

// Checks the program's code and launches against the device. INVALID_ARGUMENT says which limit is
// exceeded and by what; NOT_FOUND names a kernel that is not there. See cuda_module.h, too.
tune_status cuda_launches_init(const cuda_device *device, const tune_program *program,
                               cuda_launches *out_launches);
void cuda_launches_deinit(const cuda_device *device, cuda_launches *launches);

#endif // TUNE_TARGETS_CUDA_CUDA_LAUNCH_H
