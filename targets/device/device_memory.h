//===- device_memory.h - Buffers of a device, with guards around them -----------------===//
//
// A buffer is the device's memory. Its data lies between two zones of known bytes; what a
// kernel is given is the data alone.
//
//     zone, 4 KiB | data … | zone, 4 KiB or a little more
//
// All bytes of a new buffer are 0xff: NaN in every float type and -1 in every integer, so
// that it shows where a kernel reads what nobody wrote.
//
// How memory is had, filled, written and read is a table of a driver's functions.
//
// Threads: one thread at a time per device.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_DEVICE_DEVICE_MEMORY_H
#define TUNE_TARGETS_DEVICE_DEVICE_MEMORY_H

#include "support/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_device_memory tune_device_memory;

// What a driver's own struct begins with.
typedef struct tune_device_buffer {
  const tune_device_memory *memory;
  void *device;        // outlives it
  size_t offset;       // of the data in the memory
  size_t size;         // of the data; may be 0
  size_t total;        // with the zones
  unsigned char guard; // what the bytes of the zones are (targets/buffer.h)
} tune_device_buffer;

// A driver's functions. Where there is an offset `at` it is that from the beginning of the memory,
// and `size` is not 0.
struct tune_device_memory {
  size_t buffer_size; // of the driver's own struct
  // A power of two that offsets of data are multiples of. The member is NULL where the size of a
  // zone will do.
  size_t (*alignment)(const void *device);
  // Makes `buffer->total` bytes of memory. OUT_OF_MEMORY.
  tune_status (*allocate)(tune_device_buffer *buffer);
  // Also of what was not allocated, or not wholly.
  void (*release)(tune_device_buffer *buffer);
  tune_status (*fill)(const tune_device_buffer *buffer, size_t at, size_t size, unsigned char byte);
  tune_status (*write)(const tune_device_buffer *buffer, size_t at, size_t size, const void *bytes);
  tune_status (*read)(const tune_device_buffer *buffer, size_t at, size_t size, void *out_bytes);
};

// Makes a buffer for `size` bytes of data, all of them 0xff, that kernels read and, where it
// `is_written`, may write. `out_buffer` is of the driver's struct. OUT_OF_MEMORY.
tune_status tune_device_buffer_init(const tune_device_memory *memory, void *device, size_t size,
                                    bool is_written, tune_device_buffer *out_buffer);
// Zeroes may be deinitialised, too, and are what is left.
void tune_device_buffer_deinit(tune_device_buffer *buffer);

// Copies all data in, and out.
tune_status tune_device_buffer_write(const tune_device_buffer *buffer, const void *bytes);
tune_status tune_device_buffer_read(const tune_device_buffer *buffer, void *out_bytes);
// Makes all data 0xff again.
tune_status tune_device_buffer_poison(const tune_device_buffer *buffer);

// DATA_LOSS, saying where and how much, if bytes around the data have changed.
tune_status tune_device_buffer_check_guards(const tune_device_buffer *buffer);
// Whether the data is what `bytes` are.
tune_status tune_device_buffer_equals(const tune_device_buffer *buffer, const void *bytes,
                                      bool *out_equals);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TARGETS_DEVICE_DEVICE_MEMORY_H
