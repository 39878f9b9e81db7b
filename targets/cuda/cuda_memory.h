//===- cuda_memory.h - Memory of a CUDA device ------------------------------------------===//

#ifndef TUNE_TARGETS_CUDA_CUDA_MEMORY_H
#define TUNE_TARGETS_CUDA_CUDA_MEMORY_H

#include "targets/cuda/cuda_device.h"
#include "targets/device/device_memory.h"

typedef struct cuda_buffer {
  tune_device_buffer base;
  CUdeviceptr memory; // 0: there is none
} cuda_buffer;

extern const tune_device_memory cuda_memory;

// What kernels are given; aligned as memory from the driver is.
CUdeviceptr cuda_buffer_data(const cuda_buffer *buffer);

#endif // TUNE_TARGETS_CUDA_CUDA_MEMORY_H
