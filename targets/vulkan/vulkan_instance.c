//===- vulkan_instance.c - The Vulkan instance and its physical devices ------===//

#include "targets/vulkan/vulkan_instance.h"
#include "support/string_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALIDATION_LAYER "VK_LAYER_KHRONOS_validation"
// What we know how to use.
#define NEWEST_API VK_API_VERSION_1_3

//===- Validation -------------------------------------------------------------------===//

static bool wants_validation(void) {
  const char *value = getenv("TUNE_VULKAN_VALIDATION");
  return value && strcmp(value, "1") == 0;
}

// Keeps the first of them: the others most often follow from it.
static VKAPI_ATTR VkBool32 VKAPI_CALL note_complaint(
    VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
    const VkDebugUtilsMessengerCallbackDataEXT *data, void *context) {
  (void)severity, (void)types;
  vulkan_device *device = context;
  if (!device->complaint)
    device->complaint = strdup(data->pMessage);
  return VK_FALSE;
}

static VkDebugUtilsMessengerCreateInfoEXT describe_messenger(vulkan_device *device) {
  return (VkDebugUtilsMessengerCreateInfoEXT){
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
      .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
      .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
      .pfnUserCallback = note_complaint,
      .pUserData = device};
}

static tune_status create_messenger(vulkan_device *device) {
  PFN_vkCreateDebugUtilsMessengerEXT create =
      (PFN_vkCreateDebugUtilsMessengerEXT)device->functions.GetInstanceProcAddr(
          device->instance, "vkCreateDebugUtilsMessengerEXT");
  if (!create)
    return tune_status_make(TUNE_UNAVAILABLE, "the Vulkan loader has no VK_EXT_debug_utils, which "
                                              "TUNE_VULKAN_VALIDATION=1 needs");
  VkDebugUtilsMessengerCreateInfoEXT info = describe_messenger(device);
  return vulkan_status(create(device->instance, &info, NULL, &device->messenger),
                       "listening to the validation layer");
}

static void destroy_messenger(vulkan_device *device) {
  PFN_vkDestroyDebugUtilsMessengerEXT destroy =
      (PFN_vkDestroyDebugUtilsMessengerEXT)device->functions.GetInstanceProcAddr(
          device->instance, "vkDestroyDebugUtilsMessengerEXT");
  if (device->messenger && destroy)
    destroy(device->instance, device->messenger, NULL);
  device->messenger = VK_NULL_HANDLE;
}

static tune_status find_validation_layer(const vulkan_functions *f) {
  uint32_t count = 0;
  TUNE_RETURN_IF_ERROR(
      vulkan_status(f->EnumerateInstanceLayerProperties(&count, NULL), "listing Vulkan's layers"));
  VkLayerProperties *layers = calloc(count + 1, sizeof *layers);
  if (!layers)
    return tune_status_out_of_memory("listing Vulkan's layers");
  VkResult result = f->EnumerateInstanceLayerProperties(&count, layers);
  bool is_there = false;
  for (uint32_t i = 0; i < count && result == VK_SUCCESS; ++i)
    is_there |= strcmp(layers[i].layerName, VALIDATION_LAYER) == 0;
  free(layers);
  TUNE_RETURN_IF_ERROR(vulkan_status(result, "listing Vulkan's layers"));
  return is_there ? TUNE_OK
                  : tune_status_make(TUNE_UNAVAILABLE,
                                     "no " VALIDATION_LAYER ", which TUNE_VULKAN_VALIDATION=1 "
                                     "needs; install vulkan-validationlayers");
}

//===- The instance -----------------------------------------------------------------===//

static tune_status create_instance(vulkan_device *device, bool validates) {
  const vulkan_functions *f = &device->functions;
  uint32_t api = VK_API_VERSION_1_0;
  if (f->EnumerateInstanceVersion)
    f->EnumerateInstanceVersion(&api);
  if (api < VK_API_VERSION_1_1)
    return tune_status_make(TUNE_UNAVAILABLE,
                            "the Vulkan loader is older than Vulkan 1.1; install libvulkan1");
  device->api = api < NEWEST_API ? api : NEWEST_API;
  VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .pApplicationName = "mlir-tune",
                                   .apiVersion = device->api};
  VkDebugUtilsMessengerCreateInfoEXT messenger = describe_messenger(device);
  const char *const layer = VALIDATION_LAYER, *const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                               .pNext = validates ? &messenger : NULL,
                               .pApplicationInfo = &application,
                               .enabledLayerCount = validates,
                               .ppEnabledLayerNames = &layer,
                               .enabledExtensionCount = validates,
                               .ppEnabledExtensionNames = &extension};
  VkResult result = f->CreateInstance(&info, NULL, &device->instance);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    return tune_status_make(TUNE_UNAVAILABLE,
                            "Vulkan finds no driver; install one (mesa-vulkan-drivers for "
                            "software)");
  return vulkan_status(result, "making a Vulkan instance");
}

tune_status vulkan_instance_create(vulkan_device *device) {
  bool validates = wants_validation();
  TUNE_RETURN_IF_ERROR(vulkan_functions_load(&device->functions));
  if (validates)
    TUNE_RETURN_IF_ERROR(find_validation_layer(&device->functions));
  TUNE_RETURN_IF_ERROR(create_instance(device, validates));
  TUNE_RETURN_IF_ERROR(vulkan_functions_load_instance(&device->functions, device->instance));
  return validates ? create_messenger(device) : TUNE_OK;
}

void vulkan_instance_destroy(vulkan_device *device) {
  if (device->instance) {
    destroy_messenger(device);
    device->functions.DestroyInstance(device->instance, NULL);
  }
  device->instance = VK_NULL_HANDLE;
  vulkan_functions_unload(&device->functions);
}

//===- The choice -------------------------------------------------------------------===//

typedef struct choice {
  VkPhysicalDevice physical;
  VkPhysicalDeviceProperties properties;
  uint32_t found_as;
} choice;

// What most likely is the fastest comes first.
static int rank_of(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return 0;
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return 1;
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return 2;
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return 4;
  default:
    return 3;
  }
}

static int compare_choices(const void *left, const void *right) {
  const choice *a = left, *b = right;
  int difference = rank_of(a->properties.deviceType) - rank_of(b->properties.deviceType);
  return difference ? difference : (a->found_as > b->found_as) - (a->found_as < b->found_as);
}

static tune_status list_devices(vulkan_device *device, choice **out_choices, size_t *out_count) {
  const vulkan_functions *f = &device->functions;
  uint32_t count = 0;
  *out_choices = NULL;
  *out_count = 0;
  VkResult result = f->EnumeratePhysicalDevices(device->instance, &count, NULL);
  // A loader without drivers says this here, where it made an instance of layers alone.
  if (result == VK_ERROR_INITIALIZATION_FAILED || (result == VK_SUCCESS && count == 0))
    return tune_status_make(TUNE_UNAVAILABLE,
                            "no Vulkan device; install a driver (mesa-vulkan-drivers for "
                            "software)");
  TUNE_RETURN_IF_ERROR(vulkan_status(result, "listing Vulkan's devices"));
  VkPhysicalDevice *found = calloc(count, sizeof *found);
  choice *choices = calloc(count, sizeof *choices);
  tune_status status =
      found && choices ? TUNE_OK : tune_status_out_of_memory("listing Vulkan's devices");
  if (tune_status_is_ok(status))
    status = vulkan_status(f->EnumeratePhysicalDevices(device->instance, &count, found),
                           "listing Vulkan's devices");
  for (uint32_t i = 0; i < count && tune_status_is_ok(status); ++i) {
    choices[i].physical = found[i];
    choices[i].found_as = i;
    f->GetPhysicalDeviceProperties(found[i], &choices[i].properties);
  }
  free(found);
  if (!tune_status_is_ok(status)) {
    free(choices);
    return status;
  }
  qsort(choices, count, sizeof *choices, compare_choices);
  *out_choices = choices;
  *out_count = count;
  return TUNE_OK;
}

static bool is_number(const char *text) {
  return *text && text[strspn(text, "0123456789")] == '\0' && strlen(text) < 6;
}

static const choice *find_choice(const choice *choices, size_t count, const char *selector) {
  if (!selector || !*selector)
    return &choices[0];
  if (is_number(selector)) {
    size_t index = strtoul(selector, NULL, 10);
    return index < count ? &choices[index] : NULL;
  }
  for (size_t i = 0; i < count; ++i)
    if (strcasestr(choices[i].properties.deviceName, selector))
      return &choices[i];
  return NULL;
}

static tune_status describe_choices(const choice *choices, size_t count, const char *selector) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  for (size_t i = 0; i < count; ++i)
    tune_string_builder_appendf(&text, "%s%zu: %s", i ? ", " : "", i,
                                choices[i].properties.deviceName);
  tune_status status = tune_status_make(TUNE_NOT_FOUND, "no Vulkan device '%s'; there are: %s",
                                        selector, text.failed ? "…" : text.text);
  tune_string_builder_deinit(&text);
  return status;
}

tune_status vulkan_instance_choose(vulkan_device *device, const char *selector) {
  choice *choices;
  size_t count;
  TUNE_RETURN_IF_ERROR(list_devices(device, &choices, &count));
  const char *chosen = selector ? selector : getenv("TUNE_VULKAN_DEVICE");
  const choice *found = find_choice(choices, count, chosen);
  tune_status status = found ? TUNE_OK : describe_choices(choices, count, chosen);
  if (found && found->properties.apiVersion < VK_API_VERSION_1_1)
    status = tune_status_make(TUNE_UNAVAILABLE, "%s speaks only Vulkan 1.0, 1.1 is needed",
                              found->properties.deviceName);
  if (tune_status_is_ok(status)) {
    device->physical = found->physical;
    device->properties = found->properties;
    if (device->properties.apiVersion < device->api)
      device->api = device->properties.apiVersion;
  }
  free(choices);
  return status;
}
