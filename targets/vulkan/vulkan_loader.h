//===- vulkan_loader.h - Vulkan's functions -------------------------------------------===//
//
// The system's Vulkan loader is opened at run time, so that nothing links to it and a
// machine without one can do all else. The environment variable TUNE_VULKAN_LOADER names
// another library in its place.
//
// Threads: immutable once loaded.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_VULKAN_VULKAN_LOADER_H
#define TUNE_TARGETS_VULKAN_VULKAN_LOADER_H

#include "support/status.h"

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

// What exists before there is an instance.
#define VULKAN_GLOBAL_FUNCTIONS(X)                                                                 \
  X(CreateInstance)                                                                                \
  X(EnumerateInstanceLayerProperties)

// X of an instance.
#define VULKAN_INSTANCE_FUNCTIONS(X)                                                               \
  X(CreateDevice)                                                                                  \
  X(DestroyInstance)                                                                               \
  X(EnumerateDeviceExtensionProperties)                                                            \
  X(EnumeratePhysicalDevices)                                                                      \
  X(GetDeviceProcAddr)                                                                             \
  X(GetPhysicalDeviceFeatures2)                                                                    \
  X(GetPhysicalDeviceFormatProperties)                                                             \
  X(GetPhysicalDeviceMemoryProperties)                                                             \
  X(GetPhysicalDeviceProperties)                                                                   \
  X(GetPhysicalDeviceProperties2)                                                                  \
  X(GetPhysicalDeviceQueueFamilyProperties)

// And of a device.
#define VULKAN_DEVICE_FUNCTIONS(X)                                                                 \
  X(AllocateCommandBuffers)                                                                        \
  X(AllocateDescriptorSets)                                                                        \
  X(AllocateMemory)                                                                                \
  X(BeginCommandBuffer)                                                                            \
  X(BindBufferMemory)                                                                              \
  X(CmdBindDescriptorSets)                                                                         \
  X(CmdBindPipeline)                                                                               \
  X(CmdCopyBuffer)                                                                                 \
  X(CmdDispatch)                                                                                   \
  X(CmdFillBuffer)                                                                                 \
  X(CmdPipelineBarrier)                                                                            \
  X(CmdResetQueryPool)                                                                             \
  X(CmdWriteTimestamp)                                                                             \
  X(CreateBuffer)                                                                                  \
  X(CreateBufferView)                                                                              \
  X(CreateCommandPool)                                                                             \
  X(CreateComputePipelines)                                                                        \
  X(CreateDescriptorPool)                                                                          \
  X(CreateDescriptorSetLayout)                                                                     \
  X(CreateFence)                                                                                   \
  X(CreatePipelineLayout)                                                                          \
  X(CreateQueryPool)                                                                               \
  X(CreateShaderModule)                                                                            \
  X(DestroyBuffer)                                                                                 \
  X(DestroyBufferView)                                                                             \
  X(DestroyCommandPool)                                                                            \
  X(DestroyDescriptorPool)                                                                         \
  X(DestroyDescriptorSetLayout)                                                                    \
  X(DestroyDevice)                                                                                 \
  X(DestroyFence)                                                                                  \
  X(DestroyPipeline)                                                                               \
  X(DestroyPipelineLayout)                                                                         \
  X(DestroyQueryPool)                                                                              \
  X(DestroyShaderModule)                                                                           \
  X(EndCommandBuffer)                                                                              \
  X(FreeCommandBuffers)                                                                            \
  X(FreeMemory)                                                                                    \
  X(GetBufferMemoryRequirements)                                                                   \
  X(GetDeviceQueue)                                                                                \
  X(GetQueryPoolResults)                                                                           \
  X(MapMemory)                                                                                     \
  X(QueueSubmit)                                                                                   \
  X(ResetFences)                                                                                   \
  X(UpdateDescriptorSets)                                                                          \
  X(WaitForFences)

typedef struct vulkan_functions {
  void *library;
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
  PFN_vkEnumerateInstanceVersion EnumerateInstanceVersion; // NULL: it is 1.0
#define VULKAN_DECLARE(name) PFN_vk##name name;
  VULKAN_GLOBAL_FUNCTIONS(VULKAN_DECLARE)
  VULKAN_INSTANCE_FUNCTIONS(VULKAN_DECLARE)
  VULKAN_DEVICE_FUNCTIONS(VULKAN_DECLARE)
#undef VULKAN_DECLARE
} vulkan_functions;

// Opens the loader and finds the global functions. UNAVAILABLE says what to install.
tune_status vulkan_functions_load(vulkan_functions *out_functions);
// Finds those of an instance, and of a device. UNAVAILABLE names one that is missing.
tune_status vulkan_functions_load_instance(vulkan_functions *functions, VkInstance instance);
tune_status vulkan_functions_load_device(vulkan_functions *functions, VkDevice device);
void vulkan_functions_unload(vulkan_functions *functions);

// TUNE_OK for VK_SUCCESS; else "<formatted>: VK_ERROR_…", OUT_OF_MEMORY where it is about memory,
// DATA_LOSS for a device that was lost, INTERNAL for the rest.
tune_status vulkan_status(VkResult result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// "VK_ERROR_DEVICE_LOST"; "an unknown VkResult" for what is not known here.
const char *vulkan_result_name(VkResult result);

#endif // TUNE_TARGETS_VULKAN_VULKAN_LOADER_H
