//===- vulkan_roofline.h - A Vulkan device's peak and bandwidths ----------------------===//

#ifndef TUNE_TARGETS_VULKAN_VULKAN_ROOFLINE_H
#define TUNE_TARGETS_VULKAN_VULKAN_ROOFLINE_H

#include "targets/roofline.h"
#include "targets/vulkan/vulkan_device.h"

// Measures the peak of f32, as kernels reach it, and how fast they read what fits a cache shared by
// all cores ("L2") and, unless `quick`, what fits none ("memory"). `threads` is only reported.
tune_status vulkan_roofline_measure(vulkan_device *device, size_t threads, bool quick,
                                    tune_roofline *out_roofline);

#endif // TUNE_TARGETS_VULKAN_VULKAN_ROOFLINE_H
