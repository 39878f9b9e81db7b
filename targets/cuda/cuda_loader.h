//===- cuda_loader.h - The functions of CUDA's driver -----------------------------------===//
//
// The driver's library is opened at run time, so that nothing links to it and a machine
// without one can do all else. The environment variable TUNE_CUDA_LOADER names another
// library in its place.
//
// Threads: immutable once loaded.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_CUDA_CUDA_LOADER_H
#define TUNE_TARGETS_CUDA_CUDA_LOADER_H

#include "support/status.h"
#include "targets/cuda/cuda_api.h"

typedef struct cuda_functions {
  CUDA_FUNCTIONS(CUDA_DEFINE_POINTER)
  CUDA_LATER_FUNCTIONS(CUDA_DEFINE_POINTER) // NULL where the driver is older
} cuda_functions;

// Opens the library, which stays until the process ends, since threads of the driver run in it, and
// finds its functions. UNAVAILABLE says what to install.
tune_status cuda_functions_load(cuda_functions *out_functions);

// TUNE_OK for CUDA_SUCCESS; else "<formatted>: CUDA_ERROR_… (n): what the driver says of it".
// OUT_OF_MEMORY where it is about memory or registers; DATA_LOSS where the device is lost to this
// process, as after any fault of a kernel; INTERNAL for the rest.
tune_status cuda_status(const cuda_functions *functions, CUresult result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// "CUDA_ERROR_LAUNCH_FAILED".
const char *cuda_result_name(const cuda_functions *functions, CUresult result);

#endif // TUNE_TARGETS_CUDA_CUDA_LOADER_H
