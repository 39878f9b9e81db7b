//===- program_buffers.h - Buffers of a device program ------------------------===//
//
// The host's part of a function names memory by memrefs, a device program by the index of a buffer:
// an argument, a result, memory of the program's own, or a constant, whose bytes are part of the
// program. A result is made in the memory that is returned, where that is the function's own.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_HOST_PROGRAM_BUFFERS_H
#define TUNE_TRANSFORMS_LOWER_GPU_HOST_PROGRAM_BUFFERS_H

#include "formats/device_program.h"
#include "support/status.h"
#include "support/string_builder.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_program_buffer {
  MlirValue root;       // null: of a result alone
  MlirStringRef global; // of a constant
} tune_program_buffer;

typedef struct tune_program_buffers {
  tune_described_buffers described;
  tune_program_buffer *items; // what each of them is of
  size_t capacity;
  MlirValue *results; // the root that is result i, or null: it is copied to
  size_t result_count;
  tune_string_builder data; // of constants
  bool failed;              // memory ran out; indices mean nothing
} tune_program_buffers;

// Of what starts as {0}: the results of `back`, the function's return. deinit it also where this
// fails. INVALID_ARGUMENT (located) where one is a scalar.
tune_status tune_program_buffers_init(tune_program_buffers *self, MlirOperation back);
void tune_program_buffers_deinit(tune_program_buffers *self);

// The index of the buffer that `value` is in, for `user`. INVALID_ARGUMENT (located) where it comes
// of an op that a device program has no step for, or its size is known at run time only.
tune_status tune_program_buffers_find(tune_program_buffers *self, MlirOperation user,
                                      MlirValue value, size_t *out_index);
// The same, where `value` has to begin where its buffer does, and go on in order: that is what a
// kernel is given. A view of that type has no other offset.
tune_status tune_program_buffers_find_leading(tune_program_buffers *self, MlirOperation user,
                                              MlirValue value, size_t *out_index,
                                              int64_t *out_bytes);
// The same, where `value` has to be all of its buffer.
tune_status tune_program_buffers_find_whole(tune_program_buffers *self, MlirOperation user,
                                            MlirValue value, size_t *out_index, int64_t *out_bytes);
// A new buffer, result `index`; its index.
size_t tune_program_buffers_add_result(tune_program_buffers *self, size_t index);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_HOST_PROGRAM_BUFFERS_H
