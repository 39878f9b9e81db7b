//===- cuda_fingerprint.h - The fingerprint of a CUDA device -----------------===//

#ifndef TUNE_TARGETS_CUDA_CUDA_FINGERPRINT_H
#define TUNE_TARGETS_CUDA_CUDA_FINGERPRINT_H

#include "targets/cuda/cuda_device.h"

// Of the device whose functions, version, number and compute capability `device` has already.
tune_status cuda_fingerprint_read(const cuda_device *device, tune_fingerprint *out_fingerprint);

// Of any device of the architecture called `architecture`, "sm_90"; NULL: of any that code is made
// for. NOT_FOUND lists the architectures.
tune_status cuda_fingerprint_describe(const char *architecture, tune_fingerprint *out_fingerprint);

#endif // TUNE_TARGETS_CUDA_CUDA_FINGERPRINT_H
