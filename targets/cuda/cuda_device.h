//===- cuda_device.h - One CUDA device, and what is needed to run on it -----------------===//
//
// A device, its primary context, which is current in the calling thread, and a stream.
//
// CUDA cannot be used in a process whose parent has: tune-measure opens devices in its
// children alone.
//
// Threads: one thread at a time, the one that opened it.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_CUDA_CUDA_DEVICE_H
#define TUNE_TARGETS_CUDA_CUDA_DEVICE_H

#include "targets/cuda/cuda_loader.h"
#include "targets/fingerprint.h"

typedef struct cuda_device {
  cuda_functions functions;
  int version; // of the driver's API: 13000 for 13.0
  CUdevice device;
  int major, minor; // compute capability
  CUcontext context;
  CUstream stream;
  tune_fingerprint fingerprint;
} cuda_device;

// Opens the device that `selector` (see tune_target_options) picks. UNAVAILABLE says what to
// install; NOT_FOUND lists the devices there are.
tune_status cuda_device_open(const char *selector, cuda_device *out_device);
void cuda_device_close(cuda_device *device);

#endif // TUNE_TARGETS_CUDA_CUDA_DEVICE_H
