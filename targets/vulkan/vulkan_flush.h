//===- vulkan_flush.h - Emptying the caches of a Vulkan device ------------------------===//
//
// By filling a buffer that is larger than they are. Vulkan does not tell how large that is: of a
// device that is software it is as the CPU says, of others more than those of any GPU have.
//
// Threads: one thread at a time per device.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_VULKAN_VULKAN_FLUSH_H
#define TUNE_TARGETS_VULKAN_VULKAN_FLUSH_H

#include "targets/vulkan/vulkan_memory.h"

// Zeroes at first.
typedef struct vulkan_flush {
  vulkan_buffer buffer;
  VkCommandBuffer commands; // none before the first use
} vulkan_flush;

// OUT_OF_MEMORY where the device has no room for the buffer; DATA_LOSS where it was lost.
tune_status vulkan_flush_run(vulkan_flush *flush, vulkan_device *device);
void vulkan_flush_deinit(vulkan_flush *flush, vulkan_device *device);

#endif // TUNE_TARGETS_VULKAN_VULKAN_FLUSH_H
