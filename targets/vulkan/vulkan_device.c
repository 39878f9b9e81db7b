//===- vulkan_device.c - One Vulkan device, and what is needed to run on it -----------===//

#include "targets/vulkan/vulkan_device.h"
#include "targets/vulkan/vulkan_instance.h"
#include "targets/vulkan/vulkan_matrices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const vulkan_feature_names[VULKAN_FEATURE_COUNT] = {
    [VULKAN_BUFFER_DEVICE_ADDRESS] = "buffer_device_address",
    [VULKAN_COOPERATIVE_MATRIX] = "cooperative_matrix",
    [VULKAN_FLOAT16] = "float16",
    [VULKAN_FLOAT64] = "float64",
    [VULKAN_INT16] = "int16",
    [VULKAN_INT64] = "int64",
    [VULKAN_INT8] = "int8",
    [VULKAN_INTEGER_DOT_PRODUCT] = "integer_dot_product",
    [VULKAN_MEMORY_MODEL] = "memory_model",
    [VULKAN_PACKED_DOT_MIXED] = "packed_dot_mixed",
    [VULKAN_PACKED_DOT_SIGNED] = "packed_dot_signed",
    [VULKAN_PACKED_DOT_UNSIGNED] = "packed_dot_unsigned",
    [VULKAN_SCALAR_BLOCK_LAYOUT] = "scalar_block_layout",
    [VULKAN_STORAGE16] = "storage16",
    [VULKAN_STORAGE8] = "storage8",
    [VULKAN_SUBGROUP_SIZE_CONTROL] = "subgroup_size_control",
};

bool vulkan_device_has(const vulkan_device *device, vulkan_feature feature) {
  return device->features >> feature & 1;
}

//===- Features ---------------------------------------------------------------------===//

// The structures that features are asked for and turned on with, chained.
typedef struct feature_chain {
  VkPhysicalDeviceFeatures2 all;
  VkPhysicalDeviceVulkan11Features v11;
  VkPhysicalDeviceVulkan12Features v12;
  VkPhysicalDeviceVulkan13Features v13;
} feature_chain;

static void link_chain(feature_chain *chain, uint32_t api) {
  *chain = (feature_chain){.all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2},
                           .v11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES},
                           .v12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES},
                           .v13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES}};
  // A device of 1.1 has the first alone: even the structure that is called 1.1 came with 1.2.
  if (api >= VK_API_VERSION_1_2) {
    chain->all.pNext = &chain->v11;
    chain->v11.pNext = &chain->v12;
  }
  if (api >= VK_API_VERSION_1_3)
    chain->v12.pNext = &chain->v13;
}

typedef struct feature_switch {
  vulkan_feature feature;
  const VkBool32 *found;
  VkBool32 *wanted;
} feature_switch;

// Fills `wanted`, linked already, with what `device` has of the features that are used here.
static void choose_features(vulkan_device *device, feature_chain *wanted) {
  feature_chain found;
  link_chain(&found, device->api);
  device->functions.GetPhysicalDeviceFeatures2(device->physical, &found.all);
#define SWITCH(feature, member)                                                                    \
  { feature, &found.member, &wanted->member }
  const feature_switch switches[] = {
      SWITCH(VULKAN_BUFFER_DEVICE_ADDRESS, v12.bufferDeviceAddress),
      SWITCH(VULKAN_FLOAT16, v12.shaderFloat16),
      SWITCH(VULKAN_FLOAT64, all.features.shaderFloat64),
      SWITCH(VULKAN_INT16, all.features.shaderInt16),
      SWITCH(VULKAN_INT64, all.features.shaderInt64),
      SWITCH(VULKAN_INT8, v12.shaderInt8),
      SWITCH(VULKAN_INTEGER_DOT_PRODUCT, v13.shaderIntegerDotProduct),
      SWITCH(VULKAN_MEMORY_MODEL, v12.vulkanMemoryModel),
      SWITCH(VULKAN_SCALAR_BLOCK_LAYOUT, v12.scalarBlockLayout),
      SWITCH(VULKAN_STORAGE16, v11.storageBuffer16BitAccess),
      SWITCH(VULKAN_STORAGE8, v12.storageBuffer8BitAccess),
      SWITCH(VULKAN_SUBGROUP_SIZE_CONTROL, v13.subgroupSizeControl),
  };
#undef SWITCH
  for (size_t i = 0; i < sizeof switches / sizeof *switches; ++i)
    if (*switches[i].found) {
      *switches[i].wanted = VK_TRUE;
      device->features |= 1u << switches[i].feature;
    }
  // Not told apart in fingerprints: whoever has the feature above has these, or does without.
  wanted->v12.shaderSubgroupExtendedTypes = found.v12.shaderSubgroupExtendedTypes;
  wanted->v12.uniformAndStorageBuffer8BitAccess = found.v12.uniformAndStorageBuffer8BitAccess;
  wanted->v12.vulkanMemoryModelDeviceScope = found.v12.vulkanMemoryModelDeviceScope;
  wanted->v11.variablePointers = found.v11.variablePointers;
  wanted->v11.variablePointersStorageBuffer = found.v11.variablePointersStorageBuffer;
  wanted->v13.computeFullSubgroups = found.v13.computeFullSubgroups;
  device->has_full_subgroups = found.v13.computeFullSubgroups;
  wanted->v13.maintenance4 = found.v13.maintenance4; // workgroup sizes as SPIR-V 1.6 says them
}

// What of dot products is no emulation.
static vulkan_feature_set
find_dot_products(const VkPhysicalDeviceShaderIntegerDotProductProperties *found) {
  vulkan_feature_set features = 0;
  if (found->integerDotProduct4x8BitPackedMixedSignednessAccelerated)
    features |= 1u << VULKAN_PACKED_DOT_MIXED;
  if (found->integerDotProduct4x8BitPackedSignedAccelerated)
    features |= 1u << VULKAN_PACKED_DOT_SIGNED;
  if (found->integerDotProduct4x8BitPackedUnsignedAccelerated)
    features |= 1u << VULKAN_PACKED_DOT_UNSIGNED;
  return features;
}

static void read_properties(vulkan_device *device) {
  device->subgroup = (VkPhysicalDeviceSubgroupProperties){
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
  device->driver = (VkPhysicalDeviceDriverProperties){
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
  device->subgroup_sizes = (VkPhysicalDeviceSubgroupSizeControlProperties){
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
  VkPhysicalDeviceShaderIntegerDotProductProperties dot_products = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES};
  VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                     .pNext = &device->subgroup};
  if (device->api >= VK_API_VERSION_1_2)
    device->subgroup.pNext = &device->driver;
  if (device->api >= VK_API_VERSION_1_3) {
    device->driver.pNext = &device->subgroup_sizes;
    device->subgroup_sizes.pNext = &dot_products;
  }
  device->functions.GetPhysicalDeviceProperties2(device->physical, &all);
  device->features |= find_dot_products(&dot_products);
  device->functions.GetPhysicalDeviceMemoryProperties(device->physical, &device->memory);
}

//===- Opening ----------------------------------------------------------------------===//

// A queue that computes, if possible with a clock.
static tune_status choose_queue(vulkan_device *device) {
  const vulkan_functions *f = &device->functions;
  uint32_t count = 0;
  f->GetPhysicalDeviceQueueFamilyProperties(device->physical, &count, NULL);
  VkQueueFamilyProperties *families = calloc(count + 1, sizeof *families);
  if (!families)
    return tune_status_out_of_memory("asking for queues");
  f->GetPhysicalDeviceQueueFamilyProperties(device->physical, &count, families);
  bool is_found = false;
  for (uint32_t i = 0; i < count; ++i) {
    bool computes = families[i].queueFlags & VK_QUEUE_COMPUTE_BIT;
    if (!computes || (is_found && (device->timestamp_bits || !families[i].timestampValidBits)))
      continue;
    is_found = true;
    device->queue_family = i;
    device->timestamp_bits = families[i].timestampValidBits;
  }
  free(families);
  return is_found ? TUNE_OK
                  : tune_status_make(TUNE_UNAVAILABLE, "%s has no queue that computes",
                                     device->properties.deviceName);
}

static tune_status create_device(vulkan_device *device) {
  const vulkan_functions *f = &device->functions;
  feature_chain wanted;
  link_chain(&wanted, device->api);
  choose_features(device, &wanted);
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
      .pNext = &wanted.all,
      .cooperativeMatrix = VK_TRUE};
  const char *extension = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;
  bool has_matrices =
      vulkan_device_has(device, VULKAN_MEMORY_MODEL) && vulkan_matrices_are_there(device);
  if (has_matrices)
    device->features |= 1u << VULKAN_COOPERATIVE_MATRIX;
  float priority = 1;
  VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                   .queueFamilyIndex = device->queue_family,
                                   .queueCount = 1,
                                   .pQueuePriorities = &priority};
  VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                             .pNext = has_matrices ? (const void *)&matrices : &wanted.all,
                             .queueCreateInfoCount = 1,
                             .pQueueCreateInfos = &queue,
                             .enabledExtensionCount = has_matrices,
                             .ppEnabledExtensionNames = &extension};
  TUNE_RETURN_IF_ERROR(vulkan_status(
      f->CreateDevice(device->physical, &info, NULL, &device->device), "opening the device"));
  TUNE_RETURN_IF_ERROR(vulkan_functions_load_device(&device->functions, device->device));
  f->GetDeviceQueue(device->device, device->queue_family, 0, &device->queue);
  return TUNE_OK;
}

static tune_status create_pool(vulkan_device *device) {
  const vulkan_functions *f = &device->functions;
  VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                  .queueFamilyIndex = device->queue_family};
  TUNE_RETURN_IF_ERROR(vulkan_status(
      f->CreateCommandPool(device->device, &pool, NULL, &device->pool), "making a command pool"));
  VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  return vulkan_status(f->CreateFence(device->device, &fence, NULL, &device->fence),
                       "making a fence");
}

static tune_status open_all(const char *selector, vulkan_device *device) {
  TUNE_RETURN_IF_ERROR(vulkan_instance_create(device));
  TUNE_RETURN_IF_ERROR(vulkan_instance_choose(device, selector));
  read_properties(device);
  tune_status status = choose_queue(device);
  if (tune_status_is_ok(status))
    status = create_device(device);
  if (tune_status_is_ok(status))
    status = create_pool(device);
  return tune_status_annotate(status, "%s", device->properties.deviceName);
}

tune_status vulkan_device_open(const char *selector, vulkan_device *out_device) {
  *out_device = (vulkan_device){0};
  const char *staging = getenv("TUNE_VULKAN_STAGING");
  out_device->stages = staging && strcmp(staging, "1") == 0;
  tune_status status = vulkan_device_validate(out_device, open_all(selector, out_device));
  if (!tune_status_is_ok(status))
    vulkan_device_close(out_device);
  return status;
}

void vulkan_device_close(vulkan_device *device) {
  const vulkan_functions *f = &device->functions;
  // What an error has told of is no complaint about closing.
  free(device->complaint);
  device->complaint = NULL;
  if (device->device && f->DestroyFence) {
    f->DestroyFence(device->device, device->fence, NULL);
    f->DestroyCommandPool(device->device, device->pool, NULL);
    f->DestroyDevice(device->device, NULL);
  }
  vulkan_instance_destroy(device);
  if (device->complaint) {
    fprintf(stderr, "while closing a Vulkan device: %s\n", device->complaint);
    abort();
  }
  *device = (vulkan_device){0};
}

//===- Running ----------------------------------------------------------------------===//

tune_status vulkan_device_run(vulkan_device *device, const VkCommandBuffer *commands,
                              size_t count) {
  const vulkan_functions *f = &device->functions;
  VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .commandBufferCount = (uint32_t)count,
                         .pCommandBuffers = commands};
  TUNE_RETURN_IF_ERROR(
      vulkan_status(f->QueueSubmit(device->queue, 1, &submit, device->fence), "running"));
  // Without an end: whoever runs what may hang does so in a child.
  TUNE_RETURN_IF_ERROR(vulkan_status(
      f->WaitForFences(device->device, 1, &device->fence, VK_TRUE, UINT64_MAX), "running"));
  return vulkan_status(f->ResetFences(device->device, 1, &device->fence), "running");
}

tune_status vulkan_device_begin(vulkan_device *device, VkCommandBufferUsageFlags usage,
                                VkCommandBuffer *out_commands) {
  const vulkan_functions *f = &device->functions;
  *out_commands = VK_NULL_HANDLE;
  VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                          .commandPool = device->pool,
                                          .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                          .commandBufferCount = 1};
  TUNE_RETURN_IF_ERROR(vulkan_status(
      f->AllocateCommandBuffers(device->device, &allocate, out_commands), "recording commands"));
  VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                    .flags = usage};
  return vulkan_status(f->BeginCommandBuffer(*out_commands, &begin), "recording commands");
}

tune_status vulkan_device_finish(vulkan_device *device, VkCommandBuffer commands) {
  return vulkan_status(device->functions.EndCommandBuffer(commands), "recording commands");
}

void vulkan_device_free(vulkan_device *device, VkCommandBuffer commands) {
  if (commands)
    device->functions.FreeCommandBuffers(device->device, device->pool, 1, &commands);
}

void vulkan_device_barrier(vulkan_device *device, VkCommandBuffer commands) {
  const VkPipelineStageFlags work =
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  VkMemoryBarrier barrier = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                       VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
                       VK_ACCESS_HOST_READ_BIT};
  device->functions.CmdPipelineBarrier(commands, work, work | VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                                       &barrier, 0, NULL, 0, NULL);
}

tune_status vulkan_device_validate(vulkan_device *device, tune_status status) {
  if (!tune_status_is_ok(status) || !device->complaint)
    return status;
  status = tune_status_make(TUNE_INTERNAL, "%s", device->complaint);
  free(device->complaint);
  device->complaint = NULL;
  return status;
}
