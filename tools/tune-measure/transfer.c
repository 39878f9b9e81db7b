//===- transfer.c - Outputs from a child to its parent --------------------------------===//

#include "tools/tune-measure/transfer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

tune_status transfer_open(int *out_fd) {
  *out_fd = memfd_create("tune-measure outputs", MFD_CLOEXEC);
  return *out_fd >= 0 ? TUNE_OK : tune_status_from_errno(errno, "making an anonymous file");
}

void transfer_close(int fd) {
  if (fd >= 0)
    close(fd);
}

// At a place of its own: what wrote before may have been killed, and tried again.
static tune_status write_bytes(int fd, off_t at, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t count = pwrite(fd, bytes, size, at);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return tune_status_from_errno(errno, "keeping an output");
    bytes += count;
    at += count;
    size -= (size_t)count;
  }
  return TUNE_OK;
}

static tune_status keep_shape(const tune_value_type *type, tune_shape_list *shapes) {
  int64_t *sizes = calloc(type->rank + 1, sizeof *sizes);
  if (!sizes)
    return tune_status_out_of_memory("keeping outputs");
  memcpy(sizes, type->shape, type->rank * sizeof *sizes);
  shapes->items[shapes->count++] = (tune_shape){sizes, type->rank};
  return TUNE_OK;
}

tune_status transfer_outputs(const tune_kernel *kernel, const tune_signature *signature, int fd,
                             tune_shape_list *out_shapes) {
  size_t count = tune_signature_output_count(signature);
  *out_shapes = (tune_shape_list){calloc(count + 1, sizeof *out_shapes->items), 0};
  if (!out_shapes->items)
    return tune_status_out_of_memory("keeping outputs");
  tune_status status = TUNE_OK;
  off_t at = 0;
  for (size_t i = 0; i < count && tune_status_is_ok(status); ++i) {
    tune_buffer output;
    TUNE_RETURN_IF_ERROR(kernel->methods->read(kernel, i, &output));
    status = write_bytes(fd, at, output.data, output.size);
    at += (off_t)output.size;
    if (tune_status_is_ok(status))
      status = keep_shape(&output.type, out_shapes);
    tune_buffer_deinit(&output);
  }
  return status;
}

static tune_status read_bytes(int fd, off_t offset, char *bytes, size_t size) {
  while (size > 0) {
    ssize_t count = pread(fd, bytes, size, offset);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return tune_status_from_errno(errno, "reading an output");
    if (count == 0)
      return tune_status_make(TUNE_DATA_LOSS, "an output is cut");
    bytes += count;
    offset += count;
    size -= (size_t)count;
  }
  return TUNE_OK;
}

static tune_status read_type(const tune_shape *shape, tune_value_type *type) {
  int64_t bytes = (int64_t)tune_element_type_size(type->element);
  bool is_good = shape->count <= TUNE_RANK_LIMIT;
  for (size_t i = 0; i < shape->count && is_good; ++i)
    is_good = shape->items[i] >= 0 && !__builtin_mul_overflow(bytes, shape->items[i], &bytes);
  if (!is_good || !tune_value_type_allows(type, shape->count, shape->items))
    return tune_status_make(TUNE_DATA_LOSS, "an output's shape is not that of the signature");
  memcpy(type->shape, shape->items, shape->count * sizeof *shape->items);
  return TUNE_OK;
}

tune_status transfer_read(int fd, const tune_shape_list *shapes, const tune_signature *signature,
                          tune_buffer *out_buffers) {
  size_t count = tune_signature_output_count(signature);
  if (shapes->count != count)
    return tune_status_make(TUNE_DATA_LOSS, "%zu outputs where there should be %zu", shapes->count,
                            count);
  off_t offset = 0;
  for (size_t i = 0; i < count; ++i) {
    tune_value_type type = *tune_signature_output(signature, i);
    TUNE_RETURN_IF_ERROR(read_type(&shapes->items[i], &type));
    TUNE_RETURN_IF_ERROR(tune_buffer_init(&out_buffers[i], &type));
    TUNE_RETURN_IF_ERROR(read_bytes(fd, offset, out_buffers[i].data, out_buffers[i].size));
    offset += (off_t)out_buffers[i].size;
  }
  return TUNE_OK;
}
