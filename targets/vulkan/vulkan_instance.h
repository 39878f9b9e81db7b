//===- vulkan_instance.h - The Vulkan instance and its physical devices ------===//
//
// The first half of opening a device: the instance, what the validation layer says, and
// the choice among the devices there are. The device's members are those of
// vulkan_device.h.
//
// Threads: one thread at a time.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_VULKAN_VULKAN_INSTANCE_H
#define TUNE_TARGETS_VULKAN_VULKAN_INSTANCE_H

#include "targets/vulkan/vulkan_device.h"

// Loads the functions and makes the instance. What was made is in `device`, also on failure.
// UNAVAILABLE says what to install.
tune_status vulkan_instance_create(vulkan_device *device);
// Picks `device->physical` and reads its `properties`. NOT_FOUND lists the devices there are.
tune_status vulkan_instance_choose(vulkan_device *device, const char *selector);
// Takes back what create made.
void vulkan_instance_destroy(vulkan_device *device);

#endif // TUNE_TARGETS_VULKAN_VULKAN_INSTANCE_H
