//===- device_memory.c - Buffers of a device, with guards around them -----------------===//

#include "targets/device/device_memory.h"
#include "targets/buffer.h"

#include <stdlib.h>
#include <string.h>

#define ZONE ((size_t)4096)
#define ALIGNMENT ((size_t)16) // of the end of the data
// What is compared at once.
#define PART_SIZE ((size_t)4 << 20)

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

tune_status tune_device_buffer_init(const tune_device_memory *memory, void *device, size_t size,
                                    bool is_written, tune_device_buffer *out_buffer) {
  memset(out_buffer, 0, memory->buffer_size);
  if (size > SIZE_MAX / 2)
    return tune_status_out_of_memory("a buffer of %zu bytes", size);
  size_t alignment = memory->alignment ? memory->alignment(device) : ZONE;
  size_t offset = alignment > ZONE ? alignment : ZONE;
  *out_buffer = (tune_device_buffer){
      .memory = memory,
      .device = device,
      .offset = offset,
      .size = size,
      .total = offset + (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + ZONE,
      .guard = is_written ? TUNE_BUFFER_WRITTEN_GUARD : TUNE_BUFFER_READ_GUARD};
  tune_status status = memory->allocate(out_buffer);
  if (tune_status_is_ok(status))
    status = memory->fill(out_buffer, 0, out_buffer->total, out_buffer->guard);
  if (tune_status_is_ok(status))
    status = tune_device_buffer_poison(out_buffer);
  if (!tune_status_is_ok(status))
    tune_device_buffer_deinit(out_buffer);
  return status;
}

void tune_device_buffer_deinit(tune_device_buffer *buffer) {
  const tune_device_memory *memory = buffer->memory;
  if (!memory)
    return;
  memory->release(buffer);
  memset(buffer, 0, memory->buffer_size);
}

tune_status tune_device_buffer_write(const tune_device_buffer *buffer, const void *bytes) {
  return buffer->size ? buffer->memory->write(buffer, buffer->offset, buffer->size, bytes)
                      : TUNE_OK;
}

tune_status tune_device_buffer_read(const tune_device_buffer *buffer, void *out_bytes) {
  return buffer->size ? buffer->memory->read(buffer, buffer->offset, buffer->size, out_bytes)
                      : TUNE_OK;
}

tune_status tune_device_buffer_poison(const tune_device_buffer *buffer) {
  return buffer->size ? buffer->memory->fill(buffer, buffer->offset, buffer->size, 0xff) : TUNE_OK;
}

// How many bytes of a zone have changed.
static tune_status count_changed(const tune_device_buffer *buffer, size_t begin, size_t end,
                                 size_t *out_count) {
  unsigned char bytes[ZONE + ALIGNMENT];
  *out_count = 0;
  while (begin < end) {
    size_t size = smaller(end - begin, sizeof bytes);
    TUNE_RETURN_IF_ERROR(buffer->memory->read(buffer, begin, size, bytes));
    for (size_t i = 0; i < size; ++i)
      *out_count += bytes[i] != buffer->guard;
    begin += size;
  }
  return TUNE_OK;
}

tune_status tune_device_buffer_check_guards(const tune_device_buffer *buffer) {
  size_t before, after;
  TUNE_RETURN_IF_ERROR(count_changed(buffer, 0, buffer->offset, &before));
  TUNE_RETURN_IF_ERROR(count_changed(buffer, buffer->offset + buffer->size, buffer->total, &after));
  return tune_buffer_overwritten(before, after);
}

tune_status tune_device_buffer_equals(const tune_device_buffer *buffer, const void *bytes,
                                      bool *out_equals) {
  size_t part = smaller(buffer->size, PART_SIZE);
  void *read = malloc(part + 1);
  *out_equals = true;
  tune_status status = read ? TUNE_OK : tune_status_out_of_memory("comparing a buffer");
  for (size_t at = 0; at < buffer->size && *out_equals && tune_status_is_ok(status); at += part) {
    size_t size = smaller(buffer->size - at, part);
    status = buffer->memory->read(buffer, buffer->offset + at, size, read);
    if (tune_status_is_ok(status))
      *out_equals = memcmp(read, (const char *)bytes + at, size) == 0;
  }
  free(read);
  return status;
}
