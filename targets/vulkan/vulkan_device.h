//===- vulkan_device.h - One Vulkan device, and what is needed to run on it -----------===//
//
// A device with a queue that computes, its limits, and the features that are turned on:
// all that it has of those that kernels here can make use of.
//
// With the environment variable TUNE_VULKAN_VALIDATION=1 the Khronos validation layer
// watches, and its first complaint makes the next status an error. One that comes while
// closing, when no status is left to say it, is printed and ends the process.
// TUNE_VULKAN_STAGING=1 treats memory as if the host could see none of the device's, which
// is how software devices stand in for discrete ones in tests.
//
// Threads: one thread at a time.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_VULKAN_VULKAN_DEVICE_H
#define TUNE_TARGETS_VULKAN_VULKAN_DEVICE_H

#include "targets/vulkan/vulkan_loader.h"

#include <stddef.h>

// Bit i: feature i of vulkan_feature_names.
typedef uint32_t vulkan_feature_set;

typedef enum vulkan_feature {
  VULKAN_BUFFER_DEVICE_ADDRESS,
  VULKAN_COOPERATIVE_MATRIX,
  VULKAN_FLOAT16,
  VULKAN_FLOAT64,
  VULKAN_INT16,
  VULKAN_INT64,
  VULKAN_INT8,
  VULKAN_INTEGER_DOT_PRODUCT,
  VULKAN_MEMORY_MODEL,
  VULKAN_PACKED_DOT_MIXED, // dot products of four bytes in a word that it has instructions for
  VULKAN_PACKED_DOT_SIGNED,
  VULKAN_PACKED_DOT_UNSIGNED,
  VULKAN_SCALAR_BLOCK_LAYOUT,
  VULKAN_STORAGE16,
  VULKAN_STORAGE8,
  VULKAN_SUBGROUP_SIZE_CONTROL,
  VULKAN_FEATURE_COUNT,
} vulkan_feature;

// As fingerprints name them, sorted.
extern const char *const vulkan_feature_names[VULKAN_FEATURE_COUNT];

typedef struct vulkan_device {
  vulkan_functions functions;
  VkInstance instance;
  VkDebugUtilsMessengerEXT messenger; // with validation, else none
  char *complaint;                    // of the validation layer, not told yet
  VkPhysicalDevice physical;
  uint32_t api; // what the device and we both speak
  VkPhysicalDeviceProperties properties;
  VkPhysicalDeviceSubgroupProperties subgroup;
  VkPhysicalDeviceDriverProperties driver; // of a device of Vulkan 1.2 or later
  VkPhysicalDeviceSubgroupSizeControlProperties subgroup_sizes; // of 1.3 or later
  bool has_full_subgroups; // pipelines may ask that no lane of a subgroup is missing
  VkPhysicalDeviceMemoryProperties memory;
  vulkan_feature_set features;
  bool stages; // device memory is never mapped, see above
  VkDevice device;
  uint32_t queue_family;
  uint32_t timestamp_bits; // of the queue's timestamps that count; 0: it has none
  VkQueue queue;
  VkCommandPool pool;
  VkFence fence;
} vulkan_device;

// Opens the device that `selector` (see tune_target_options) picks. UNAVAILABLE says what to
// install; NOT_FOUND lists the devices there are.
tune_status vulkan_device_open(const char *selector, vulkan_device *out_device);
void vulkan_device_close(vulkan_device *device);

bool vulkan_device_has(const vulkan_device *device, vulkan_feature feature);

// Hands in command buffers and waits until they are done.
tune_status vulkan_device_run(vulkan_device *device, const VkCommandBuffer *commands, size_t count);
// A command buffer in which commands are being recorded; `usage` as Vulkan's. finish ends that;
// free hands it back.
tune_status vulkan_device_begin(vulkan_device *device, VkCommandBufferUsageFlags usage,
                                VkCommandBuffer *out_commands);
tune_status vulkan_device_finish(vulkan_device *device, VkCommandBuffer commands);
void vulkan_device_free(vulkan_device *device, VkCommandBuffer commands);
// Whatever comes after sees what came before, of kernels and copies alike.
void vulkan_device_barrier(vulkan_device *device, VkCommandBuffer commands);

// `status`, unless it is TUNE_OK and the validation layer has complained: then INTERNAL.
tune_status vulkan_device_validate(vulkan_device *device, tune_status status);

#endif // TUNE_TARGETS_VULKAN_VULKAN_DEVICE_H
