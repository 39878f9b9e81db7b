//===- vulkan_matrices.c - Cooperative matrices of a device -----------------------------===//

#include "targets/vulkan/vulkan_matrices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_extension(const vulkan_device *device) {
  const vulkan_functions *f = &device->functions;
  uint32_t count = 0;
  if (f->EnumerateDeviceExtensionProperties(device->physical, NULL, &count, NULL) != VK_SUCCESS)
    return false;
  VkExtensionProperties *extensions = calloc(count + 1, sizeof *extensions);
  bool found = false;
  if (extensions && f->EnumerateDeviceExtensionProperties(device->physical, NULL, &count,
                                                          extensions) == VK_SUCCESS)
    for (uint32_t i = 0; i < count && !found; ++i)
      found = strcmp(extensions[i].extensionName, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME) == 0;
  free(extensions);
  return found;
}

bool vulkan_matrices_are_there(const vulkan_device *device) {
  // What is older has no SPIR-V 1.6, in which they are written.
  if (device->api < VK_API_VERSION_1_3 || !has_extension(device))
    return false;
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR found = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
  VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                        .pNext = &found};
  device->functions.GetPhysicalDeviceFeatures2(device->physical, &features);
  VkPhysicalDeviceCooperativeMatrixPropertiesKHR stages = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
  VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                            .pNext = &stages};
  device->functions.GetPhysicalDeviceProperties2(device->physical, &properties);
  return found.cooperativeMatrix &&
         (stages.cooperativeMatrixSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT);
}

// NULL: a type that is not multiplied here.
static const char *name_type(uint32_t type) {
  static const struct {
    uint32_t type;
    const char *name;
  } names[] = {{VK_COMPONENT_TYPE_FLOAT16_KHR, "f16"}, {VK_COMPONENT_TYPE_FLOAT32_KHR, "f32"},
               {VK_COMPONENT_TYPE_SINT8_KHR, "s8"},    {VK_COMPONENT_TYPE_UINT8_KHR, "u8"},
               {VK_COMPONENT_TYPE_SINT32_KHR, "s32"},  {VK_COMPONENT_TYPE_UINT32_KHR, "u32"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (names[i].type == type)
      return names[i].name;
  return NULL;
}

static tune_status take(const VkCooperativeMatrixPropertiesKHR *matrix, tune_fingerprint *out) {
  const char *input = name_type((uint32_t)matrix->AType), *sum = name_type((uint32_t)matrix->CType);
  if (!input || !sum || matrix->AType != matrix->BType || matrix->CType != matrix->ResultType ||
      matrix->saturatingAccumulation || (uint32_t)matrix->scope != VK_SCOPE_SUBGROUP_KHR)
    return TUNE_OK;
  tune_text_list *list = &out->gpu.cooperative_matrices;
  if (!tune_fingerprint_print(out, &list->items[list->count], "%ux%ux%u %s %s", matrix->MSize,
                              matrix->NSize, matrix->KSize, input, sum))
    return tune_status_out_of_memory("describing the device");
  ++list->count;
  return TUNE_OK;
}

tune_status vulkan_matrices_list(const vulkan_device *device, tune_fingerprint *fingerprint) {
  PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR get =
      (PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)device->functions.GetInstanceProcAddr(
          device->instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
  uint32_t count = 0;
  if (!vulkan_matrices_are_there(device) || !get ||
      get(device->physical, &count, NULL) != VK_SUCCESS)
    return TUNE_OK;
  VkCooperativeMatrixPropertiesKHR *matrices = calloc(count + 1, sizeof *matrices);
  const char **texts = calloc(count + 1, sizeof *texts);
  fingerprint->gpu.cooperative_matrices.items = texts;
  tune_status status =
      matrices && texts ? TUNE_OK : tune_status_out_of_memory("describing the device");
  for (uint32_t i = 0; i < count && tune_status_is_ok(status); ++i)
    matrices[i].sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR;
  if (tune_status_is_ok(status))
    status =
        vulkan_status(get(device->physical, &count, matrices), "asking for cooperative matrices");
  for (uint32_t i = 0; i < count && tune_status_is_ok(status); ++i)
    status = take(&matrices[i], fingerprint);
  free(matrices);
  return status;
}
