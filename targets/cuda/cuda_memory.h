//===- cuda_memory.h - Buffers of a CUDA device, with guards around them ----------------===//
//
// A buffer is device memory. Its data lies between two zones of known bytes; what a kernel
// is given is the address of the data.
//
//     zone, 4 KiB | data … | zone, 4 KiB or a little more
//
// All bytes of a new buffer are 0xff: NaN in every float type and -1 in every integer, so
// that it shows where a kernel reads what nobody wrote.
//
// Threads: one thread at a time per device.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_CUDA_CUDA_MEMORY_H
#define TUNE_TARGETS_CUDA_CUDA_MEMORY_H

#include "targets/cuda/cuda_device.h"

typedef struct cuda_buffer {
  CUdeviceptr base;    // of the first zone; 0: there is no buffer
  CUdeviceptr data;    // aligned as memory from the driver is
  size_t size;         // of the data; may be 0
  size_t total;        // with the zones
  unsigned char guard; // what the bytes of the zones are (targets/buffer.h)
} cuda_buffer;

// Makes a buffer for `size` bytes of data, all of them 0xff, that kernels read and, where it
// `is_written`, may write. OUT_OF_MEMORY.
tune_status cuda_buffer_init(const cuda_device *device, size_t size, bool is_written,
                             cuda_buffer *out_buffer);
void cuda_buffer_deinit(const cuda_device *device, cuda_buffer *buffer);

// Copies all data in, and out.
tune_status cuda_buffer_write(const cuda_device *device, const cuda_buffer *buffer,
                              const void *bytes);
tune_status cuda_buffer_read(const cuda_device *device, const cuda_buffer *buffer, void *out_bytes);
// Makes all data 0xff again.
tune_status cuda_buffer_poison(const cuda_device *device, const cuda_buffer *buffer);

// DATA_LOSS, saying where and how much, if bytes around the data have changed.
tune_status cuda_buffer_check_guards(const cuda_device *device, const cuda_buffer *buffer);
// Whether the data is what `bytes` are.
tune_status cuda_buffer_equals(const cuda_device *device, const cuda_buffer *buffer,
                               const void *bytes, bool *out_equals);

#endif // TUNE_TARGETS_CUDA_CUDA_MEMORY_H
