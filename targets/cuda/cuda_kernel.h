//===- cuda_kernel.h - A program on a CUDA device ---------------------------------------===//
//
// A run is all steps of the program, in order, on one stream. Runs are recorded as graphs
// of 1, 8 and 64 of them, so that launching costs little beside what is launched; any number
// of repeats is made of these. Graphs are made, and code is loaded, ahead of the time that
// is taken, between two events on the stream.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_CUDA_CUDA_KERNEL_H
#define TUNE_TARGETS_CUDA_CUDA_KERNEL_H

#include "targets/device/device_kernel.h"

// Of kernels on a cuda_device.
extern const tune_device_driver cuda_driver;

#endif // TUNE_TARGETS_CUDA_CUDA_KERNEL_H
