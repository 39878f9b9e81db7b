//===- cuda_memory.c - Buffers of a CUDA device, with guards around them ----------------===//

#include "targets/cuda/cuda_memory.h"
#include "targets/buffer.h"

#include <stdlib.h>
#include <string.h>

#define ZONE ((size_t)4096)
#define ALIGNMENT ((size_t)16) // of the end of the data
// What is compared at once.
#define PART_SIZE ((size_t)4 << 20)

tune_status cuda_buffer_init(const cuda_device *device, size_t size, bool is_written,
                             cuda_buffer *out_buffer) {
  const cuda_functions *f = &device->functions;
  *out_buffer = (cuda_buffer){0};
  if (size > SIZE_MAX / 2)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "a buffer of %zu bytes", size);
  size_t total = ZONE + (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + ZONE;
  CUdeviceptr base;
  TUNE_RETURN_IF_ERROR(cuda_status(f, f->MemAlloc(&base, total), "a buffer of %zu bytes", size));
  *out_buffer =
      (cuda_buffer){.base = base,
                    .data = base + ZONE,
                    .size = size,
                    .total = total,
                    .guard = is_written ? TUNE_BUFFER_WRITTEN_GUARD : TUNE_BUFFER_READ_GUARD};
  tune_status status =
      cuda_status(f, f->MemsetD8(base, out_buffer->guard, total), "a buffer of %zu bytes", size);
  if (tune_status_is_ok(status))
    status = cuda_buffer_poison(device, out_buffer);
  if (!tune_status_is_ok(status))
    cuda_buffer_deinit(device, out_buffer);
  return status;
}

void cuda_buffer_deinit(const cuda_device *device, cuda_buffer *buffer) {
  if (buffer->base)
    device->functions.MemFree(buffer->base);
  *buffer = (cuda_buffer){0};
}

tune_status cuda_buffer_write(const cuda_device *device, const cuda_buffer *buffer,
                              const void *bytes) {
  const cuda_functions *f = &device->functions;
  if (buffer->size == 0)
    return TUNE_OK;
  return cuda_status(f, f->MemcpyHtoD(buffer->data, bytes, buffer->size), "writing a buffer");
}

static tune_status read_part(const cuda_device *device, CUdeviceptr from, size_t size,
                             void *out_bytes) {
  const cuda_functions *f = &device->functions;
  if (size == 0)
    return TUNE_OK;
  return cuda_status(f, f->MemcpyDtoH(out_bytes, from, size), "reading a buffer");
}

tune_status cuda_buffer_read(const cuda_device *device, const cuda_buffer *buffer,
                             void *out_bytes) {
  return read_part(device, buffer->data, buffer->size, out_bytes);
}

tune_status cuda_buffer_poison(const cuda_device *device, const cuda_buffer *buffer) {
  const cuda_functions *f = &device->functions;
  if (buffer->size == 0)
    return TUNE_OK;
  return cuda_status(f, f->MemsetD8(buffer->data, 0xff, buffer->size), "poisoning a buffer");
}

// How many bytes of a zone have changed; it is no larger than one and what rounds up to 16.
static tune_status count_changed(const cuda_device *device, CUdeviceptr from, size_t size,
                                 unsigned char guard, size_t *out_count) {
  unsigned char bytes[ZONE + ALIGNMENT];
  *out_count = 0;
  TUNE_RETURN_IF_ERROR(read_part(device, from, size, bytes));
  for (size_t i = 0; i < size; ++i)
    *out_count += bytes[i] != guard;
  return TUNE_OK;
}

tune_status cuda_buffer_check_guards(const cuda_device *device, const cuda_buffer *buffer) {
  size_t before, after;
  CUdeviceptr end = buffer->data + buffer->size;
  TUNE_RETURN_IF_ERROR(count_changed(device, buffer->base, ZONE, buffer->guard, &before));
  TUNE_RETURN_IF_ERROR(count_changed(device, end, (size_t)(buffer->base + buffer->total - end),
                                     buffer->guard, &after));
  return tune_buffer_overwritten(before, after);
}

tune_status cuda_buffer_equals(const cuda_device *device, const cuda_buffer *buffer,
                               const void *bytes, bool *out_equals) {
  size_t part = buffer->size < PART_SIZE ? buffer->size : PART_SIZE;
  void *read = malloc(part + 1);
  *out_equals = true;
  tune_status status = read ? TUNE_OK : tune_status_make(TUNE_OUT_OF_MEMORY, "comparing a buffer");
  for (size_t at = 0; at < buffer->size && *out_equals && tune_status_is_ok(status); at += part) {
    size_t size = buffer->size - at < part ? buffer->size - at : part;
    status = read_part(device, buffer->data + at, size, read);
    if (tune_status_is_ok(status))
      *out_equals = memcmp(read, (const char *)bytes + at, size) == 0;
  }
  free(read);
  return status;
}
