//===- cuda_module.h - Loaded code of a CUDA device --------------------------===//
//
// PTX, which the driver compiles, or a cubin, which ptxas has compiled. What the driver
// would refuse without saying why, and what it would take without looking, such as a launch
// with fewer arguments than the kernel reads, is looked for first.
//
// Threads: one thread at a time per device.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_CUDA_CUDA_MODULE_H
#define TUNE_TARGETS_CUDA_CUDA_MODULE_H

#include "targets/cuda/cuda_device.h"
#include "targets/program.h"

// Hands the code to the driver, with what the module says to its compiler. INVALID_ARGUMENT for
// what is neither PTX nor a cubin, what is made for another architecture, what the driver is too
// old for, with what to do, and for what it does not compile, with its messages.
tune_status cuda_module_load(const cuda_device *device, const tune_program_module *module,
                             CUmodule *out_module);

// Of PTX, as far as its text says: NOT_FOUND if it has no kernel of the launch's name;
// INVALID_ARGUMENT if that takes another number of arguments or is made for another group size than
// the launch says. Of a cubin nothing is known.
tune_status cuda_module_check_launch(const tune_program_module *module,
                                     const tune_program_step *launch);

#endif // TUNE_TARGETS_CUDA_CUDA_MODULE_H
