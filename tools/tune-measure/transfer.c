//===- transfer.c - Outputs from a child to its parent --------------------------------===//

#include "tools/tune-measure/transfer.h"

#include <errno.h>
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

static json_t *shape_to_json(const tune_value_type *type) {
  json_t *shape = json_array();
  for (size_t i = 0; i < type->rank; ++i)
    json_array_append_new(shape, json_integer(type->shape[i]));
  return shape;
}

tune_status transfer_outputs(const tune_kernel *kernel, const tune_signature *signature, int fd,
                             json_t **out_shapes) {
  *out_shapes = json_array();
  if (!*out_shapes)
    return tune_status_out_of_memory("keeping outputs");
  tune_status status = TUNE_OK;
  off_t at = 0;
  for (size_t i = 0; i < tune_signature_output_count(signature) && tune_status_is_ok(status); ++i) {
    tune_buffer output;
    status = kernel->methods->read(kernel, i, &output);
    if (!tune_status_is_ok(status))
      break;
    status = write_bytes(fd, at, output.data, output.size);
    at += (off_t)output.size;
    if (tune_status_is_ok(status) &&
        json_array_append_new(*out_shapes, shape_to_json(&output.type)) != 0)
      status = tune_status_out_of_memory("keeping outputs");
    tune_buffer_deinit(&output);
  }
  if (!tune_status_is_ok(status)) {
    json_decref(*out_shapes);
    *out_shapes = NULL;
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

static tune_status read_type(const json_t *shape, tune_value_type *type) {
  int64_t sizes[TUNE_RANK_LIMIT], bytes = (int64_t)tune_element_type_size(type->element);
  size_t rank = json_array_size(shape);
  bool is_good = rank <= TUNE_RANK_LIMIT;
  for (size_t i = 0; i < rank && is_good; ++i) {
    sizes[i] = json_is_integer(json_array_get(shape, i))
                   ? json_integer_value(json_array_get(shape, i))
                   : -1;
    is_good = sizes[i] >= 0 && !__builtin_mul_overflow(bytes, sizes[i], &bytes);
  }
  if (!is_good || !tune_value_type_allows(type, rank, sizes))
    return tune_status_make(TUNE_DATA_LOSS, "an output's shape is not that of the signature");
  memcpy(type->shape, sizes, rank * sizeof *sizes);
  return TUNE_OK;
}

tune_status transfer_read(int fd, const json_t *shapes, const tune_signature *signature,
                          tune_buffer *out_buffers) {
  size_t count = tune_signature_output_count(signature);
  if (json_array_size(shapes) != count)
    return tune_status_make(TUNE_DATA_LOSS, "%zu outputs where there should be %zu",
                            json_array_size(shapes), count);
  off_t offset = 0;
  for (size_t i = 0; i < count; ++i) {
    tune_value_type type = *tune_signature_output(signature, i);
    TUNE_RETURN_IF_ERROR(read_type(json_array_get(shapes, i), &type));
    TUNE_RETURN_IF_ERROR(tune_buffer_init(&out_buffers[i], &type));
    TUNE_RETURN_IF_ERROR(read_bytes(fd, offset, out_buffers[i].data, out_buffers[i].size));
    offset += (off_t)out_buffers[i].size;
  }
  return TUNE_OK;
}
