//===- vulkan_fingerprint.h - The fingerprint of a Vulkan device -------------===//

#ifndef TUNE_TARGETS_VULKAN_VULKAN_FINGERPRINT_H
#define TUNE_TARGETS_VULKAN_VULKAN_FINGERPRINT_H

#include "targets/fingerprint.h"
#include "targets/vulkan/vulkan_device.h"

tune_status vulkan_fingerprint_read(const vulkan_device *device, tune_fingerprint *out_fingerprint);

#endif // TUNE_TARGETS_VULKAN_VULKAN_FINGERPRINT_H
