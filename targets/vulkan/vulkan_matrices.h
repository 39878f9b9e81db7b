//===- vulkan_matrices.h - Cooperative matrices of a device -----------------------------===//
//
// VK_KHR_cooperative_matrix: products of small matrices that the lanes of a subgroup have together.
// Headers before Vulkan 1.3.255, as those of Debian 12, do not declare it; then this does, as the
// registry (vk.xml) has it.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_VULKAN_VULKAN_MATRICES_H
#define TUNE_TARGETS_VULKAN_VULKAN_MATRICES_H

#include "targets/fingerprint.h"
#include "targets/vulkan/vulkan_device.h"

#ifndef VK_KHR_cooperative_matrix
#define VK_KHR_cooperative_matrix 1
#define VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME "VK_KHR_cooperative_matrix"
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR                          \
  ((VkStructureType)1000506000)
#define VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR ((VkStructureType)1000506001)
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR                        \
  ((VkStructureType)1000506002)
enum {
  VK_COMPONENT_TYPE_FLOAT16_KHR = 0,
  VK_COMPONENT_TYPE_FLOAT32_KHR = 1,
  VK_COMPONENT_TYPE_SINT8_KHR = 3,
  VK_COMPONENT_TYPE_SINT32_KHR = 5,
  VK_COMPONENT_TYPE_UINT8_KHR = 7,
  VK_COMPONENT_TYPE_UINT32_KHR = 9,
  VK_SCOPE_SUBGROUP_KHR = 3,
};
typedef struct VkCooperativeMatrixPropertiesKHR {
  VkStructureType sType;
  void *pNext;
  uint32_t MSize, NSize, KSize;
  uint32_t AType, BType, CType, ResultType; // VkComponentTypeKHR
  VkBool32 saturatingAccumulation;
  uint32_t scope; // VkScopeKHR
} VkCooperativeMatrixPropertiesKHR;
typedef struct VkPhysicalDeviceCooperativeMatrixFeaturesKHR {
  VkStructureType sType;
  void *pNext;
  VkBool32 cooperativeMatrix, cooperativeMatrixRobustBufferAccess;
} VkPhysicalDeviceCooperativeMatrixFeaturesKHR;
typedef struct VkPhysicalDeviceCooperativeMatrixPropertiesKHR {
  VkStructureType sType;
  void *pNext;
  VkShaderStageFlags cooperativeMatrixSupportedStages;
} VkPhysicalDeviceCooperativeMatrixPropertiesKHR;
typedef VkResult(VKAPI_PTR *PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)(
    VkPhysicalDevice, uint32_t *, VkCooperativeMatrixPropertiesKHR *);
#endif

// Whether kernels may use them: the extension and its feature, in compute. Of a physical device.
bool vulkan_matrices_are_there(const vulkan_device *device);

// Those that are products of one type summed up in one type, by a subgroup, without saturation:
// in the device's order. None where vulkan_matrices_are_there does not hold.
tune_status vulkan_matrices_list(const vulkan_device *device, tune_fingerprint *fingerprint);

#endif // TUNE_TARGETS_VULKAN_VULKAN_MATRICES_H
