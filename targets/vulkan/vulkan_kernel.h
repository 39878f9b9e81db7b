//===- vulkan_kernel.h - A program on a Vulkan device ---------------------------------===//
//
// What is recorded once is one run, and MANY in a row; any number of repeats is made of these
// two. Kernels are compiled by their first launch (on lavapipe), which therefore is one of no
// groups at all, ahead of the time that is taken.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_VULKAN_VULKAN_KERNEL_H
#define TUNE_TARGETS_VULKAN_VULKAN_KERNEL_H

#include "targets/device/device_kernel.h"

// Of kernels on a vulkan_device.
extern const tune_device_driver vulkan_driver;

#endif // TUNE_TARGETS_VULKAN_VULKAN_KERNEL_H
