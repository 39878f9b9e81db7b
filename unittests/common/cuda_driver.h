//===- cuda_driver.h - For tests of CUDA, also where there is none ----------------------------===//
//
// With a GPU and NVIDIA's driver they run on these, else on the stand-in for the driver
// (unittests/ptx/fake_cuda.c), whose path is CUDA_STAND_IN.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_COMMON_CUDA_DRIVER_H
#define TUNE_UNITTESTS_COMMON_CUDA_DRIVER_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool cuda_driver_is_there(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library)
    return false;
  int (*init)(unsigned) = NULL, (*count)(int *) = NULL;
  void *found = dlsym(library, "cuInit");
  memcpy(&init, &found, sizeof found);
  found = dlsym(library, "cuDeviceGetCount");
  memcpy(&count, &found, sizeof found);
  int devices = 0;
  return init && count && init(0) == 0 && count(&devices) == 0 && devices > 0;
}

// From here on TUNE_CUDA_LOADER is the stand-in, here and in processes that are started.
static inline void cuda_driver_stand_in(void) { setenv("TUNE_CUDA_LOADER", CUDA_STAND_IN, 1); }

// The same where there is no driver with a device. Whether it is the stand-in.
static inline bool cuda_driver_choose(void) {
  bool is_stand_in = !cuda_driver_is_there();
  if (is_stand_in)
    cuda_driver_stand_in();
  return is_stand_in;
}

#endif // TUNE_UNITTESTS_COMMON_CUDA_DRIVER_H
