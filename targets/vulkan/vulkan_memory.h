//===- vulkan_memory.h - Memory of a Vulkan device ------------------------------------===//
//
// It is device-local. Where the host can see that memory well it is mapped, else bytes go to
// and fro through a staging buffer.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_VULKAN_VULKAN_MEMORY_H
#define TUNE_TARGETS_VULKAN_VULKAN_MEMORY_H

#include "targets/device/device_memory.h"
#include "targets/vulkan/vulkan_device.h"

typedef struct vulkan_buffer {
  tune_device_buffer base;
  VkBuffer buffer;
  VkDeviceMemory memory;
  unsigned char *mapped; // all of it, or NULL
} vulkan_buffer;

extern const tune_device_memory vulkan_memory;

// The bytes that a kernel is given, which Vulkan wants to be some also where there are none.
VkDeviceSize vulkan_buffer_range(const vulkan_buffer *buffer);

#endif // TUNE_TARGETS_VULKAN_VULKAN_MEMORY_H
