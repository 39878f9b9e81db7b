//===- program_buffers.c - Buffers of a device program ------------------------===//

#include "transforms/lower/gpu/host/program_buffers.h"

#include "dialects/diagnostic.h"
#include "formats/device_facts.h"
#include "transforms/ir/ir.h"
#include "transforms/lower/common/constant_bytes.h"
#include "transforms/lower/common/memory_access.h"
#include "transforms/lower/gpu/kernel_memory.h"

#include <stdlib.h>

// Adds an entry; its index.
static size_t add_buffer(tune_program_buffers *self, tune_program_buffer item,
                         tune_described_buffer entry) {
  tune_described_buffers *buffers = &self->described;
  if (buffers->count == self->capacity) {
    size_t capacity = self->capacity ? 2 * self->capacity : 16;
    tune_program_buffer *items = realloc(self->items, capacity * sizeof *items);
    self->items = items ? items : self->items;
    tune_described_buffer *grown = realloc(buffers->items, capacity * sizeof *grown);
    buffers->items = grown ? grown : buffers->items;
    if (!items || !grown) {
      self->failed = true;
      return 0;
    }
    self->capacity = capacity;
  }
  self->items[buffers->count] = item;
  buffers->items[buffers->count] = entry;
  return buffers->count++;
}

static tune_described_buffer describe_result(size_t index) {
  return (tune_described_buffer){.is_result = true, .result = {(int64_t)index}};
}

// The result that the memory of `root` is, or result_count.
static size_t result_of(const tune_program_buffers *self, MlirValue root) {
  size_t i = 0;
  while (i < self->result_count && !mlirValueEqual(self->results[i], root))
    ++i;
  return i;
}

static tune_status check_bytes(MlirOperation op, MlirType type, int64_t *out_bytes) {
  *out_bytes = tune_kernel_memory_bytes(type);
  return *out_bytes >= 0 ? TUNE_OK
                         : tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                               "memory of a size known only at run time, or of "
                                               "elements that have none; " TUNE_DEVICE_FIXED_SIZES);
}

static tune_status add_constant(tune_program_buffers *self, MlirValue root, size_t *out_index) {
  MlirOperation op = mlirOpResultGetOwner(root);
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(tune_ir_attribute(op, "name"));
  for (size_t i = 0; i < self->described.count; ++i)
    if (self->items[i].global.data && mlirStringRefEqual(self->items[i].global, name)) {
      *out_index = i;
      return TUNE_OK;
    }
  MlirOperation module = mlirOperationGetParentOperation(mlirOperationGetParentOperation(op));
  MlirOperation global = tune_ir_find_symbol(module, name);
  int64_t bytes;
  TUNE_RETURN_IF_ERROR(check_bytes(op, mlirValueGetType(root), &bytes));
  size_t before = self->data.length;
  TUNE_RETURN_IF_ERROR(tune_constant_bytes_append(global, &self->data));
  if (!self->data.failed && self->data.length - before != (size_t)bytes)
    return tune_status_make_at(TUNE_INTERNAL, global, "a constant of %zu bytes in memory of %lld",
                               self->data.length - before, (long long)bytes);
  *out_index =
      add_buffer(self, (tune_program_buffer){.root = root, .global = name},
                 (tune_described_buffer){.is_own = true,
                                         .own = {.bytes = bytes, .has_data = true, .data = bytes}});
  return TUNE_OK;
}

tune_status tune_program_buffers_find(tune_program_buffers *self, MlirOperation user,
                                      MlirValue value, size_t *out_index) {
  MlirValue root = tune_memory_access_root(value);
  for (size_t i = 0; i < self->described.count; ++i)
    if (mlirValueEqual(self->items[i].root, root)) {
      *out_index = i;
      return TUNE_OK;
    }
  int64_t bytes = 0;
  if (mlirTypeIsAMemRef(mlirValueGetType(root)))
    TUNE_RETURN_IF_ERROR(check_bytes(user, mlirValueGetType(root), &bytes));
  if (mlirValueIsABlockArgument(root)) {
    *out_index =
        add_buffer(self, (tune_program_buffer){.root = root},
                   (tune_described_buffer){.is_argument = true,
                                           .argument = {mlirBlockArgumentGetArgNumber(root)}});
    return TUNE_OK;
  }
  MlirOperation op = mlirOpResultGetOwner(root);
  if (tune_ir_is(op, "memref.get_global"))
    return add_constant(self, root, out_index);
  MlirStringRef name = tune_ir_name(op);
  if (!tune_ir_is(op, "memref.alloc") && !tune_ir_is(op, "memref.alloca"))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                               "%.*s: a device program has no step for it", (int)name.length,
                               name.data);
  size_t result = result_of(self, root);
  *out_index = add_buffer(self, (tune_program_buffer){.root = root},
                          result < self->result_count
                              ? describe_result(result)
                              : (tune_described_buffer){.is_own = true, .own = {.bytes = bytes}});
  return TUNE_OK;
}

tune_status tune_program_buffers_find_leading(tune_program_buffers *self, MlirOperation user,
                                              MlirValue value, size_t *out_index,
                                              int64_t *out_bytes) {
  MlirType type = mlirValueGetType(value);
  TUNE_RETURN_IF_ERROR(check_bytes(user, type, out_bytes));
  if (!mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, user,
                               "part of a buffer; a device program takes whole ones, or what they "
                               "begin with");
  return tune_program_buffers_find(self, user, value, out_index);
}

tune_status tune_program_buffers_find_whole(tune_program_buffers *self, MlirOperation user,
                                            MlirValue value, size_t *out_index,
                                            int64_t *out_bytes) {
  TUNE_RETURN_IF_ERROR(tune_program_buffers_find_leading(self, user, value, out_index, out_bytes));
  if (*out_bytes != tune_kernel_memory_bytes(mlirValueGetType(tune_memory_access_root(value))))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, user,
                               "part of a buffer; a device program takes whole ones");
  return TUNE_OK;
}

size_t tune_program_buffers_add_result(tune_program_buffers *self, size_t index) {
  return add_buffer(self, (tune_program_buffer){0}, describe_result(index));
}

tune_status tune_program_buffers_init(tune_program_buffers *self, MlirOperation back) {
  tune_string_builder_init(&self->data);
  self->result_count = (size_t)mlirOperationGetNumOperands(back);
  self->results = calloc(self->result_count + 1, sizeof *self->results);
  if (!self->results)
    return tune_status_out_of_memory("writing a device program");
  for (size_t i = 0; i < self->result_count; ++i) {
    MlirValue value = mlirOperationGetOperand(back, (intptr_t)i);
    MlirValue root = tune_memory_access_root(value);
    if (!mlirTypeIsAMemRef(mlirValueGetType(value)))
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, back,
                                 "result %zu is a scalar; a device program gives buffers", i);
    bool is_own =
        mlirValueIsAOpResult(root) && (tune_ir_is(mlirOpResultGetOwner(root), "memref.alloc") ||
                                       tune_ir_is(mlirOpResultGetOwner(root), "memref.alloca"));
    if (is_own && result_of(self, root) == self->result_count)
      self->results[i] = root;
  }
  return TUNE_OK;
}

void tune_program_buffers_deinit(tune_program_buffers *self) {
  tune_string_builder_deinit(&self->data);
  free(self->described.items);
  free(self->items);
  free(self->results);
}
