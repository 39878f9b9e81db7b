//===- cuda_roofline.h - A CUDA device's peaks and bandwidths ---------------------------===//

#ifndef TUNE_TARGETS_CUDA_CUDA_ROOFLINE_H
#define TUNE_TARGETS_CUDA_CUDA_ROOFLINE_H

#include "targets/cuda/cuda_device.h"
#include "targets/roofline.h"

// Measures the peaks of f32 and f64, those of f16, bf16 and i8 by tensor cores (from sm_80 on, by
// mma.sync, which on sm_90 reaches about two thirds of what wgmma does), and how fast kernels read
// what fits the cache that all multiprocessors share ("L2") and, unless `quick`, what does not
// ("memory").
tune_status cuda_roofline_measure(cuda_device *device, bool quick, tune_roofline *out_roofline);

#endif // TUNE_TARGETS_CUDA_CUDA_ROOFLINE_H
