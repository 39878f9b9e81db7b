//===- vulkan_flush.c ---------------------------------------------------------===//

#include "targets/vulkan/vulkan_flush.h"
#include "targets/cpu/cpu_flush.h"

// Twice the largest last cache of a GPU that is known (256 MiB would be MI300's, which no Vulkan
// driver runs; 128 MiB is what those of RDNA come to).
#define GPU_BYTES ((size_t)256 << 20)

static tune_status find_size(const vulkan_device *device, size_t *out_size) {
  *out_size = GPU_BYTES;
  if (device->properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU)
    return TUNE_OK;
  tune_fingerprint host;
  TUNE_RETURN_IF_ERROR(tune_fingerprint_of_cpu(&host));
  *out_size = cpu_flush_bytes(&host);
  tune_fingerprint_deinit(&host);
  return TUNE_OK;
}

// Leaves all as it was where something fails.
static tune_status begin(vulkan_flush *flush, vulkan_device *device) {
  size_t size;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  TUNE_RETURN_IF_ERROR(find_size(device, &size));
  TUNE_RETURN_IF_ERROR(
      tune_device_buffer_init(&vulkan_memory, device, size, true, &flush->buffer.base));
  tune_status status = vulkan_device_begin(device, 0, &commands);
  if (tune_status_is_ok(status)) {
    device->functions.CmdFillBuffer(commands, flush->buffer.buffer, 0, VK_WHOLE_SIZE, 1);
    vulkan_device_barrier(device, commands);
    status = vulkan_device_finish(device, commands);
  }
  if (tune_status_is_ok(status)) {
    flush->commands = commands;
    return TUNE_OK;
  }
  if (commands)
    vulkan_device_free(device, commands);
  tune_device_buffer_deinit(&flush->buffer.base);
  return status;
}

tune_status vulkan_flush_run(vulkan_flush *flush, vulkan_device *device) {
  tune_status status = TUNE_OK;
  if (!flush->commands)
    status = begin(flush, device);
  if (tune_status_is_ok(status))
    status = vulkan_device_run(device, &flush->commands, 1);
  return tune_status_annotate(vulkan_device_validate(device, status), "flushing the caches");
}

void vulkan_flush_deinit(vulkan_flush *flush, vulkan_device *device) {
  if (flush->buffer.buffer) {
    vulkan_device_free(device, flush->commands);
    tune_device_buffer_deinit(&flush->buffer.base);
  }
  *flush = (vulkan_flush){0};
}
