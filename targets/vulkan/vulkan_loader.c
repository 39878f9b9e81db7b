//===- vulkan_loader.c - Vulkan's functions -------------------------------------------===//

#include "targets/vulkan/vulkan_loader.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Sets a member of `f` to what GET, a macro of the place, gives; `missing` to its name where that
// is nothing.
#define FIND(name)                                                                                 \
  f->name = (PFN_vk##name)GET("vk" #name);                                                         \
  missing = f->name ? missing : "vk" #name;

tune_status vulkan_functions_load(vulkan_functions *out_functions) {
  *out_functions = (vulkan_functions){0};
  const char *path = getenv("TUNE_VULKAN_LOADER");
  if (!path || !*path)
    path = "libvulkan.so.1";
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return tune_status_make(TUNE_UNAVAILABLE,
                            "no Vulkan: %s; install libvulkan1 and a driver "
                            "(mesa-vulkan-drivers for software)",
                            dlerror());
  void *get = dlsym(library, "vkGetInstanceProcAddr");
  if (!get) {
    dlclose(library);
    return tune_status_make(TUNE_UNAVAILABLE, "%s is no Vulkan loader; install libvulkan1", path);
  }
  vulkan_functions *f = out_functions;
  f->library = library;
  // ISO C has no cast from an object to a function; POSIX has this.
  memcpy(&f->GetInstanceProcAddr, &get, sizeof get);
  f->EnumerateInstanceVersion =
      (PFN_vkEnumerateInstanceVersion)f->GetInstanceProcAddr(NULL, "vkEnumerateInstanceVersion");
  const char *missing = NULL;
#define GET(name) f->GetInstanceProcAddr(NULL, name)
  VULKAN_GLOBAL_FUNCTIONS(FIND)
#undef GET
  if (!missing)
    return TUNE_OK;
  vulkan_functions_unload(f);
  return tune_status_make(TUNE_UNAVAILABLE, "%s has no %s; is libvulkan1 too old?", path, missing);
}

tune_status vulkan_functions_load_instance(vulkan_functions *f, VkInstance instance) {
  const char *missing = NULL;
#define GET(name) f->GetInstanceProcAddr(instance, name)
  VULKAN_INSTANCE_FUNCTIONS(FIND)
#undef GET
  return missing ? tune_status_make(TUNE_UNAVAILABLE,
                                    "the Vulkan loader has no %s; is it older "
                                    "than Vulkan 1.1?",
                                    missing)
                 : TUNE_OK;
}

tune_status vulkan_functions_load_device(vulkan_functions *f, VkDevice device) {
  const char *missing = NULL;
#define GET(name) f->GetDeviceProcAddr(device, name)
  VULKAN_DEVICE_FUNCTIONS(FIND)
#undef GET
  return missing ? tune_status_make(TUNE_UNAVAILABLE, "the device has no %s", missing) : TUNE_OK;
}

void vulkan_functions_unload(vulkan_functions *functions) {
  if (functions->library)
    dlclose(functions->library);
  *functions = (vulkan_functions){0};
}

const char *vulkan_result_name(VkResult result) {
  switch (result) {
#define NAME(value)                                                                                \
  case value:                                                                                      \
    return #value;
    NAME(VK_SUCCESS)
    NAME(VK_NOT_READY)
    NAME(VK_TIMEOUT)
    NAME(VK_INCOMPLETE)
    NAME(VK_ERROR_OUT_OF_HOST_MEMORY)
    NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY)
    NAME(VK_ERROR_INITIALIZATION_FAILED)
    NAME(VK_ERROR_DEVICE_LOST)
    NAME(VK_ERROR_MEMORY_MAP_FAILED)
    NAME(VK_ERROR_LAYER_NOT_PRESENT)
    NAME(VK_ERROR_EXTENSION_NOT_PRESENT)
    NAME(VK_ERROR_FEATURE_NOT_PRESENT)
    NAME(VK_ERROR_INCOMPATIBLE_DRIVER)
    NAME(VK_ERROR_TOO_MANY_OBJECTS)
    NAME(VK_ERROR_FORMAT_NOT_SUPPORTED)
    NAME(VK_ERROR_FRAGMENTED_POOL)
    NAME(VK_ERROR_OUT_OF_POOL_MEMORY)
    NAME(VK_ERROR_FRAGMENTATION)
    NAME(VK_ERROR_INVALID_SHADER_NV)
    NAME(VK_ERROR_UNKNOWN)
#undef NAME
  default:
    return "an unknown VkResult";
  }
}

static tune_status_code code_of(VkResult result) {
  switch (result) {
  case VK_ERROR_OUT_OF_HOST_MEMORY:
  case VK_ERROR_OUT_OF_DEVICE_MEMORY:
  case VK_ERROR_OUT_OF_POOL_MEMORY:
  case VK_ERROR_FRAGMENTED_POOL:
  case VK_ERROR_FRAGMENTATION:
  case VK_ERROR_TOO_MANY_OBJECTS:
    return TUNE_OUT_OF_MEMORY;
  case VK_ERROR_DEVICE_LOST:
    return TUNE_DATA_LOSS;
  default:
    return TUNE_INTERNAL;
  }
}

tune_status vulkan_status(VkResult result, const char *format, ...) {
  if (result == VK_SUCCESS)
    return TUNE_OK;
  char what[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  return tune_status_make(code_of(result), "%s: %s (%d)", what, vulkan_result_name(result),
                          (int)result);
}
