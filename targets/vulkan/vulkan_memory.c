//===- vulkan_memory.c - Buffers of a Vulkan device, with guards around them ----------===//

#include "targets/vulkan/vulkan_memory.h"

#include "targets/buffer.h"

#include <stdlib.h>
#include <string.h>

#define ZONE ((VkDeviceSize)4096)
// What goes through the staging buffer at once.
#define STAGE_SIZE ((VkDeviceSize)4 << 20)

// Data of buffers is everywhere below 2^63 bytes, so that sums do not overflow.
static VkDeviceSize round_up(VkDeviceSize size, VkDeviceSize to) {
  return (size + to - 1) / to * to;
}

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

static tune_status allocate(vulkan_device *device, vulkan_buffer *buffer, bool is_stage) {
  const vulkan_functions *f = &device->functions;
  VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (!is_stage)
    usage |= VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
  VkBufferCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = buffer->total, .usage = usage};
  TUNE_RETURN_IF_ERROR(vulkan_status(f->CreateBuffer(device->device, &info, NULL, &buffer->buffer),
                                     "a buffer of %llu bytes", (unsigned long long)buffer->size));
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
  return vulkan_status(result, "a buffer of %llu bytes", (unsigned long long)buffer->size);
}

void vulkan_buffer_deinit(vulkan_device *device, vulkan_buffer *buffer) {
  const vulkan_functions *f = &device->functions;
  // Freeing memory unmaps it.
  f->DestroyBuffer(device->device, buffer->buffer, NULL);
  f->FreeMemory(device->device, buffer->memory, NULL);
  *buffer = (vulkan_buffer){0};
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
static tune_status visit(vulkan_device *device, const vulkan_buffer *buffer, VkDeviceSize begin,
                         VkDeviceSize size, bool reads, part_visitor visitor, void *context) {
  if (size == 0)
    return TUNE_OK;
  if (buffer->mapped) {
    visitor(context, buffer->mapped + begin, 0, size);
    return TUNE_OK;
  }
  vulkan_buffer stage = {.size = smaller(size, STAGE_SIZE), .total = smaller(size, STAGE_SIZE)};
  tune_status status = allocate(device, &stage, true);
  for (VkDeviceSize at = 0; at < size && tune_status_is_ok(status); at += stage.size) {
    VkDeviceSize part = smaller(size - at, stage.size);
    if (reads)
      status = copy(device, buffer->buffer, begin + at, stage.buffer, 0, part);
    if (tune_status_is_ok(status) && visitor(context, stage.mapped, at, part))
      status = copy(device, stage.buffer, 0, buffer->buffer, begin + at, part);
  }
  vulkan_buffer_deinit(device, &stage);
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

typedef struct zone_count {
  unsigned char guard;
  size_t changed;
} zone_count;

static bool count_part(void *context, unsigned char *bytes, VkDeviceSize at, VkDeviceSize size) {
  (void)at;
  zone_count *count = context;
  for (VkDeviceSize i = 0; i < size; ++i)
    count->changed += bytes[i] != count->guard;
  return false;
}

typedef struct comparison {
  const unsigned char *bytes;
  bool is_equal;
} comparison;

static bool compare_part(void *context, unsigned char *bytes, VkDeviceSize at, VkDeviceSize size) {
  comparison *c = context;
  c->is_equal = c->is_equal && memcmp(bytes, c->bytes + at, size) == 0;
  return false;
}

//===- Buffers ----------------------------------------------------------------------===//

static VkDeviceSize offset_of_data(const vulkan_device *device) {
  const VkPhysicalDeviceLimits *limits = &device->properties.limits;
  // Powers of two, all three.
  VkDeviceSize offset = ZONE;
  if (limits->minStorageBufferOffsetAlignment > offset)
    offset = limits->minStorageBufferOffsetAlignment;
  if (limits->minTexelBufferOffsetAlignment > offset)
    offset = limits->minTexelBufferOffsetAlignment;
  return offset;
}

tune_status vulkan_buffer_init(vulkan_device *device, size_t size, bool is_written,
                               vulkan_buffer *out_buffer) {
  VkDeviceSize offset = offset_of_data(device);
  *out_buffer =
      (vulkan_buffer){.offset = offset,
                      .size = size,
                      .total = offset + round_up(size, 16) + ZONE,
                      .guard = is_written ? TUNE_BUFFER_WRITTEN_GUARD : TUNE_BUFFER_READ_GUARD};
  tune_status status = allocate(device, out_buffer, false);
  if (tune_status_is_ok(status))
    status = visit(device, out_buffer, 0, out_buffer->total, false, fill_part, &out_buffer->guard);
  if (tune_status_is_ok(status))
    status = vulkan_buffer_poison(device, out_buffer);
  if (!tune_status_is_ok(status))
    vulkan_buffer_deinit(device, out_buffer);
  return status;
}

VkDeviceSize vulkan_buffer_range(const vulkan_buffer *buffer) {
  return buffer->size ? buffer->size : 4;
}

tune_status vulkan_buffer_write(vulkan_device *device, vulkan_buffer *buffer, const void *bytes) {
  return visit(device, buffer, buffer->offset, buffer->size, false, write_part, (void *)bytes);
}

tune_status vulkan_buffer_read(vulkan_device *device, const vulkan_buffer *buffer,
                               void *out_bytes) {
  return visit(device, buffer, buffer->offset, buffer->size, true, read_part, out_bytes);
}

tune_status vulkan_buffer_poison(vulkan_device *device, vulkan_buffer *buffer) {
  unsigned char ones = 0xff;
  return visit(device, buffer, buffer->offset, buffer->size, false, fill_part, &ones);
}

tune_status vulkan_buffer_check_guards(vulkan_device *device, const vulkan_buffer *buffer) {
  zone_count before = {buffer->guard, 0}, after = before;
  VkDeviceSize end = buffer->offset + buffer->size;
  TUNE_RETURN_IF_ERROR(visit(device, buffer, 0, buffer->offset, true, count_part, &before));
  TUNE_RETURN_IF_ERROR(visit(device, buffer, end, buffer->total - end, true, count_part, &after));
  return tune_buffer_overwritten(before.changed, after.changed);
}

tune_status vulkan_buffer_equals(vulkan_device *device, const vulkan_buffer *buffer,
                                 const void *bytes, bool *out_equals) {
  comparison c = {bytes, true};
  tune_status status = visit(device, buffer, buffer->offset, buffer->size, true, compare_part, &c);
  *out_equals = c.is_equal;
  return status;
}
