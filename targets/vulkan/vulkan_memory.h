//===- vulkan_memory.h - Buffers of a Vulkan device, with guards around them ----------===//
//
// A buffer is device-local. Where the host can see that memory well it is mapped, else bytes
// go to and fro through a staging buffer. Its data lies between two zones of known bytes;
// what a kernel is given is the data alone.
//
//     zone, 4 KiB | data … | zone, 4 KiB or a little more
//
// All bytes of a new buffer are 0xff: NaN in every float type and -1 in every integer, so
// that it shows where a kernel reads what nobody wrote.
//
// Threads: one thread at a time per device.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_VULKAN_VULKAN_MEMORY_H
#define TUNE_TARGETS_VULKAN_VULKAN_MEMORY_H

#include "targets/vulkan/vulkan_device.h"

typedef struct vulkan_buffer {
  VkBuffer buffer;
  VkDeviceMemory memory;
  VkDeviceSize offset;   // of the data
  VkDeviceSize size;     // of the data; may be 0
  VkDeviceSize total;    // with the zones
  unsigned char *mapped; // all of it, or NULL
  unsigned char guard;   // what the bytes of the zones are (targets/buffer.h)
} vulkan_buffer;

// Makes a buffer for `size` bytes of data, all of them 0xff, that kernels read and, where it
// `is_written`, may write. OUT_OF_MEMORY.
tune_status vulkan_buffer_init(vulkan_device *device, size_t size, bool is_written,
                               vulkan_buffer *out_buffer);
void vulkan_buffer_deinit(vulkan_device *device, vulkan_buffer *buffer);

// The bytes that a kernel is given, which Vulkan wants to be some also where there are none.
VkDeviceSize vulkan_buffer_range(const vulkan_buffer *buffer);

// Copies all data in, and out.
tune_status vulkan_buffer_write(vulkan_device *device, vulkan_buffer *buffer, const void *bytes);
tune_status vulkan_buffer_read(vulkan_device *device, const vulkan_buffer *buffer, void *out_bytes);
// Makes all data 0xff again.
tune_status vulkan_buffer_poison(vulkan_device *device, vulkan_buffer *buffer);

// DATA_LOSS, saying where and how much, if bytes around the data have changed.
tune_status vulkan_buffer_check_guards(vulkan_device *device, const vulkan_buffer *buffer);
// Whether the data is what `bytes` are.
tune_status vulkan_buffer_equals(vulkan_device *device, const vulkan_buffer *buffer,
                                 const void *bytes, bool *out_equals);

#endif // TUNE_TARGETS_VULKAN_VULKAN_MEMORY_H
