//===- cuda_memory.c - Memory of a CUDA device ------------------------------------------===//

#include "targets/cuda/cuda_memory.h"

CUdeviceptr cuda_buffer_data(const cuda_buffer *buffer) {
  return buffer->memory + buffer->base.offset;
}

static CUdeviceptr memory_of(const tune_device_buffer *buffer) {
  return ((const cuda_buffer *)buffer)->memory;
}

static const cuda_functions *functions_of(const tune_device_buffer *buffer) {
  return &((const cuda_device *)buffer->device)->functions;
}

static tune_status allocate(tune_device_buffer *base) {
  const cuda_functions *f = functions_of(base);
  CUdeviceptr memory;
  TUNE_RETURN_IF_ERROR(
      cuda_status(f, f->MemAlloc(&memory, base->total), "a buffer of %zu bytes", base->size));
  ((cuda_buffer *)base)->memory = memory;
  return TUNE_OK;
}

static void release(tune_device_buffer *base) {
  if (memory_of(base))
    functions_of(base)->MemFree(memory_of(base));
}

static tune_status fill(const tune_device_buffer *base, size_t at, size_t size,
                        unsigned char byte) {
  const cuda_functions *f = functions_of(base);
  return cuda_status(f, f->MemsetD8(memory_of(base) + at, byte, size), "filling a buffer");
}

static tune_status write(const tune_device_buffer *base, size_t at, size_t size,
                         const void *bytes) {
  const cuda_functions *f = functions_of(base);
  return cuda_status(f, f->MemcpyHtoD(memory_of(base) + at, bytes, size), "writing a buffer");
}

static tune_status read(const tune_device_buffer *base, size_t at, size_t size, void *out_bytes) {
  const cuda_functions *f = functions_of(base);
  return cuda_status(f, f->MemcpyDtoH(out_bytes, memory_of(base) + at, size), "reading a buffer");
}

const tune_device_memory cuda_memory = {
    .buffer_size = sizeof(cuda_buffer),
    .allocate = allocate,
    .release = release,
    .fill = fill,
    .write = write,
    .read = read,
};
