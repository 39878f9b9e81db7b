//===- vulkan_memory.c - Memory of a Vulkan device ------------------------------------===//

#include "targets/vulkan/vulkan_memory.h"

#include <string.h>

// What goes through the staging buffer at once.
#define STAGE_SIZE ((VkDeviceSize)4 << 20)

static VkDeviceSize smaller(VkDeviceSize a, VkDeviceSize b) { return a < b ? a : b; }

//===- Memory -----------------------------------------------------------------------===//

// The first type among `allowed` that has all `flags`, or -1.
static int find_type(const vulkan_device *device, uint32_t allowed, VkMemoryPropertyFlags flags) {
  for (uint32_t i = 0; i < device->memory.memoryTypeCount; ++i)
    if ((allowed >> i & 1) && (device->memory.memoryTypes[i].propertyFlags & flags) == flags)
      return (int)i;
  return -1;
}

#define SEEN (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
#define LOCAL VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
#define CACHED VK_MEMORY_PROPERTY_HOST_CACHED_BIT

// Memory for a kernel's data. It is mapped only where the host reads it through its caches: over
// the bus, a byte at a time, reading takes longer than copying first.
static int choose_type(const vulkan_device *device, uint32_t allowed, bool *out_maps) {
  int type = device->stages ? -1 : find_type(device, allowed, LOCAL | SEEN | CACHED);
  *out_maps = type >= 0;
  if (type < 0)
    type = find_type(device, allowed, LOCAL);
  return type < 0 ? find_type(device, allowed, 0) : type;
}

static int choose_stage_type(const vulkan_device *device, uint32_t allowed) {
  int type = find_type(device, allowed, SEEN | CACHED);
  return type < 0 ? find_type(device, allowed, SEEN) : type;
}

static tune_status make_memory(vulkan_buffer *buffer, bool is_stage) {
  const vulkan_device *device = buffer->base.device;
  const vulkan_functions *f = &device->functions;
  VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (!is_stage)
    usage |= VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
  VkBufferCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = buffer->base.total, .usage = usage};
  TUNE_RETURN_IF_ERROR(vulkan_status(f->CreateBuffer(device->device, &info, NULL, &buffer->buffer),
                                     "a buffer of %zu bytes", buffer->base.size));
  VkMemoryRequirements needs;
  f->GetBufferMemoryRequirements(device->device, buffer->buffer, &needs);
  bool maps = true;
  int type = is_stage ? choose_stage_type(device, needs.memoryTypeBits)
                      : choose_type(device, needs.memoryTypeBits, &maps);
  if (type < 0)
    return tune_status_make(TUNE_INTERNAL, "the device has no memory for buffers");
  VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = needs.size,
                                 .memoryTypeIndex = (uint32_t)type};
  VkResult result = f->AllocateMemory(device->device, &memory, NULL, &buffer->memory);
  if (result == VK_SUCCESS)
    result = f->BindBufferMemory(device->device, buffer->buffer, buffer->memory, 0);
  void *mapped = NULL;
  if (result == VK_SUCCESS && maps)
    result = f->MapMemory(device->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &mapped);
  buffer->mapped = mapped;
  return vulkan_status(result, "a buffer of %zu bytes", buffer->base.size);
}

static tune_status allocate(tune_device_buffer *base) {
  return make_memory((vulkan_buffer *)base, false);
}

static void release(tune_device_buffer *base) {
  vulkan_buffer *buffer = (vulkan_buffer *)base;
  const vulkan_device *device = base->device;
  // Freeing memory unmaps it.
  device->functions.DestroyBuffer(device->device, buffer->buffer, NULL);
  device->functions.FreeMemory(device->device, buffer->memory, NULL);
}

//===- To and fro -------------------------------------------------------------------===//

static tune_status copy(vulkan_device *device, VkBuffer from, VkDeviceSize from_offset, VkBuffer to,
                        VkDeviceSize to_offset, VkDeviceSize size) {
  VkCommandBuffer commands;
  VkBufferCopy region = {from_offset, to_offset, size};
  tune_status status =
      vulkan_device_begin(device, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, &commands);
  if (tune_status_is_ok(status)) {
    device->functions.CmdCopyBuffer(commands, from, to, 1, &region);
    vulkan_device_barrier(device, commands);
    status = vulkan_device_finish(device, commands);
  }
  if (tune_status_is_ok(status))
    status = vulkan_device_run(device, &commands, 1);
  vulkan_device_free(device, commands);
  return status;
}

// What is done with a part of a buffer that lies in the host's memory at `bytes`. True: that was
// changed, and goes back.
typedef bool (*part_visitor)(void *context, unsigned char *bytes, VkDeviceSize at,
                             VkDeviceSize size);

// Shows `size` bytes of `buffer` from `begin` on, in parts, in order. `reads`: the visitor looks
// at what is there.
static tune_status visit(const tune_device_buffer *base, VkDeviceSize begin, VkDeviceSize size,
                         bool reads, part_visitor visitor, void *context) {
  const vulkan_buffer *buffer = (const vulkan_buffer *)base;
  if (buffer->mapped) {
    visitor(context, buffer->mapped + begin, 0, size);
    return TUNE_OK;
  }
  size_t most = smaller(size, STAGE_SIZE);
  vulkan_buffer stage = {.base = {.device = base->device, .size = most, .total = most}};
  tune_status status = make_memory(&stage, true);
  for (VkDeviceSize at = 0; at < size && tune_status_is_ok(status); at += most) {
    VkDeviceSize part = smaller(size - at, most);
    if (reads)
      status = copy(base->device, buffer->buffer, begin + at, stage.buffer, 0, part);
    if (tune_status_is_ok(status) && visitor(context, stage.mapped, at, part))
      status = copy(base->device, stage.buffer, 0, buffer->buffer, begin + at, part);
  }
  release(&stage.base);
  return status;
}

static bool fill_part(void *context, unsigned char *bytes, VkDeviceSize at, VkDeviceSize size) {
  (void)at;
  memset(bytes, *(const unsigned char *)context, size);
  return true;
}

static bool write_part(void *context, unsigned char *bytes, VkDeviceSize at, VkDeviceSize size) {
  memcpy(bytes, (const unsigned char *)context + at, size);
  return true;
}

static bool read_part(void *context, unsigned char *bytes, VkDeviceSize at, VkDeviceSize size) {
  memcpy((unsigned char *)context + at, bytes, size);
  return false;
}

static tune_status fill(const tune_device_buffer *base, size_t at, size_t size,
                        unsigned char byte) {
  return visit(base, at, size, false, fill_part, &byte);
}

static tune_status write(const tune_device_buffer *base, size_t at, size_t size,
                         const void *bytes) {
  return visit(base, at, size, false, write_part, (void *)bytes);
}

static tune_status read(const tune_device_buffer *base, size_t at, size_t size, void *out_bytes) {
  return visit(base, at, size, true, read_part, out_bytes);
}

//===- Buffers ----------------------------------------------------------------------===//

static size_t alignment(const void *device) {
  const VkPhysicalDeviceLimits *limits = &((const vulkan_device *)device)->properties.limits;
  VkDeviceSize storage = limits->minStorageBufferOffsetAlignment;
  VkDeviceSize texels = limits->minTexelBufferOffsetAlignment;
  return storage > texels ? storage : texels;
}

VkDeviceSize vulkan_buffer_range(const vulkan_buffer *buffer) {
  return buffer->base.size ? buffer->base.size : 4;
}

const tune_device_memory vulkan_memory = {
    .buffer_size = sizeof(vulkan_buffer),
    .alignment = alignment,
    .allocate = allocate,
    .release = release,
    .fill = fill,
    .write = write,
    .read = read,
};
