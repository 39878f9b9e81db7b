//===- vulkan_fingerprint.c - The fingerprint of a Vulkan device -------------===//

#include "targets/vulkan/vulkan_fingerprint.h"
#include "targets/vulkan/vulkan_matrices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GIB (INT64_C(1) << 30)
#define NVIDIA 0x10de

// llvmpipe counts the iterations of all loops of an invocation and leaves them, silently, at this
// number (LP_MAX_TGSI_LOOP_ITERATIONS).
#define LLVMPIPE_LOOP_LIMIT 65535

static bool name_vendor(uint32_t id, tune_fingerprint *out) {
  static const struct {
    uint32_t id;
    const char *name;
  } vendors[] = {{0x1002, "AMD"}, {0x1010, "Imagination"}, {0x106b, "Apple"}, {NVIDIA, "NVIDIA"},
                 {0x13b5, "Arm"}, {0x5143, "Qualcomm"},    {0x8086, "Intel"}, {0x10005, "Mesa"}};
  for (size_t i = 0; i < sizeof vendors / sizeof *vendors; ++i)
    if (vendors[i].id == id)
      out->vendor = vendors[i].name;
  return out->vendor || tune_fingerprint_print(out, &out->vendor, "0x%04x", id);
}

static bool print_driver(const vulkan_device *device, tune_fingerprint *out) {
  uint32_t version = device->properties.driverVersion;
  const VkPhysicalDeviceDriverProperties *driver = &device->driver;
  bool is_said = driver->driverName[0] != '\0'; // not by devices of Vulkan 1.1
  if (!tune_fingerprint_print(out, &out->gpu.driver, "%s%s%s",
                              is_said ? driver->driverName : "unknown",
                              driver->driverInfo[0] ? " " : "", driver->driverInfo))
    return false;
  if (device->properties.vendorID == NVIDIA) // 10, 8, 8 and 6 bits
    return tune_fingerprint_print(out, &out->gpu.driver_version, "%u.%u.%u.%u", version >> 22,
                                  version >> 14 & 0xff, version >> 6 & 0xff, version & 0x3f);
  return tune_fingerprint_print(out, &out->gpu.driver_version, "%u.%u.%u",
                                VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                                VK_API_VERSION_PATCH(version));
}

static const char *type_name(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return "discrete";
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return "integrated";
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return "virtual";
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return "cpu";
  default:
    return "other";
  }
}

static tune_status read_names(const vulkan_device *device, tune_fingerprint *out) {
  uint32_t api = device->properties.apiVersion;
  out->target = "vulkan";
  out->gpu.device_type = type_name(device->properties.deviceType);
  bool is_whole = name_vendor(device->properties.vendorID, out) &&
                  tune_fingerprint_print(out, &out->model, "%s", device->properties.deviceName) &&
                  print_driver(device, out) &&
                  tune_fingerprint_print(out, &out->gpu.api, "%u.%u.%u", VK_API_VERSION_MAJOR(api),
                                         VK_API_VERSION_MINOR(api), VK_API_VERSION_PATCH(api));
  return is_whole ? TUNE_OK : tune_status_out_of_memory("describing the device");
}

// A device that is software is as fast as the CPU it runs on.
static tune_status read_host(const vulkan_device *device, tune_fingerprint *out) {
  if (device->properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU)
    return TUNE_OK;
  tune_fingerprint cpu;
  TUNE_RETURN_IF_ERROR(tune_fingerprint_of_cpu(&cpu));
  bool is_whole = tune_fingerprint_print(out, &out->gpu.host, "%s", cpu.model);
  tune_fingerprint_deinit(&cpu);
  return is_whole ? TUNE_OK : tune_status_out_of_memory("describing the device");
}

static tune_status read_features(const vulkan_device *device, tune_fingerprint *out) {
  out->features.items = calloc(VULKAN_FEATURE_COUNT, sizeof *out->features.items);
  if (!out->features.items)
    return tune_status_out_of_memory("describing the device");
  for (size_t i = 0; i < VULKAN_FEATURE_COUNT; ++i)
    if (vulkan_device_has(device, (vulkan_feature)i))
      out->features.items[out->features.count++] = vulkan_feature_names[i];
  return TUNE_OK;
}

static tune_status read_subgroups(const vulkan_device *device, tune_gpu *out) {
  static const struct {
    VkSubgroupFeatureFlagBits bit;
    const char *name;
  } operations[] = {
      {VK_SUBGROUP_FEATURE_BASIC_BIT, "basic"},
      {VK_SUBGROUP_FEATURE_VOTE_BIT, "vote"},
      {VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, "arithmetic"},
      {VK_SUBGROUP_FEATURE_BALLOT_BIT, "ballot"},
      {VK_SUBGROUP_FEATURE_SHUFFLE_BIT, "shuffle"},
      {VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT, "shuffle_relative"},
      {VK_SUBGROUP_FEATURE_CLUSTERED_BIT, "clustered"},
      {VK_SUBGROUP_FEATURE_QUAD_BIT, "quad"},
  };
  const size_t count = sizeof operations / sizeof *operations;
  tune_text_list *list = &out->subgroup_operations;
  out->subgroup_size = device->subgroup.subgroupSize;
  list->items = calloc(count, sizeof *list->items);
  if (!list->items)
    return tune_status_out_of_memory("describing the device");
  if (!(device->subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT))
    return TUNE_OK;
  for (size_t i = 0; i < count; ++i)
    if (device->subgroup.supportedOperations & operations[i].bit)
      list->items[list->count++] = operations[i].name;
  return TUNE_OK;
}

// Of the largest heap of the device's own.
static int64_t find_memory(const vulkan_device *device) {
  int64_t bytes = 0;
  for (uint32_t i = 0; i < device->memory.memoryHeapCount; ++i) {
    const VkMemoryHeap *heap = &device->memory.memoryHeaps[i];
    if ((heap->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) && (int64_t)heap->size > bytes)
      bytes = (int64_t)heap->size;
  }
  return bytes >= GIB ? (bytes + GIB / 2) / GIB * GIB : bytes;
}

static void read_limits(const vulkan_device *device, tune_gpu *out) {
  const VkPhysicalDeviceLimits *limits = &device->properties.limits;
  out->shared_bytes = limits->maxComputeSharedMemorySize;
  out->group_invocations = limits->maxComputeWorkGroupInvocations;
  for (size_t i = 0; i < 3; ++i) {
    out->group_size[i] = limits->maxComputeWorkGroupSize[i];
    out->group_count[i] = limits->maxComputeWorkGroupCount[i];
  }
  out->storage_buffer_bytes = limits->maxStorageBufferRange;
  out->texel_buffer_elements = limits->maxTexelBufferElements;
  out->push_constant_bytes = limits->maxPushConstantsSize;
  out->bindings = limits->maxPerStageDescriptorStorageBuffers;
  out->memory_bytes = find_memory(device);
  out->timestamp_period_ns = device->timestamp_bits ? (double)limits->timestampPeriod : 0;
  if (device->driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE)
    out->loop_limit = LLVMPIPE_LOOP_LIMIT;
}

tune_status vulkan_fingerprint_read(const vulkan_device *device,
                                    tune_fingerprint *out_fingerprint) {
  *out_fingerprint = (tune_fingerprint){0};
  tune_status status = read_names(device, out_fingerprint);
  if (tune_status_is_ok(status))
    status = read_host(device, out_fingerprint);
  if (tune_status_is_ok(status))
    status = read_features(device, out_fingerprint);
  if (tune_status_is_ok(status))
    status = vulkan_matrices_list(device, out_fingerprint);
  if (tune_status_is_ok(status))
    status = read_subgroups(device, &out_fingerprint->gpu);
  if (!tune_status_is_ok(status)) {
    tune_fingerprint_deinit(out_fingerprint);
    return status;
  }
  read_limits(device, &out_fingerprint->gpu);
  return TUNE_OK;
}
