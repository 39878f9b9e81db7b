//===- arena.c ----------------------------------------------------------------------===//

#include "transforms/lower/cpu/arena/arena.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_map.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/common/memory_access.h"
#include "transforms/lower/cpu/arena/arena_offsets.h"
#include "transforms/lower/cpu/arena/known_buffers.h"

#include <stdlib.h>

//===--------------------------------------------------------------------------===//
// When a buffer is needed
//===--------------------------------------------------------------------------===//

// The ops of a function, numbered as a pre-order walk meets them.
typedef struct numbering {
  tune_op_map number_of;
  size_t *last; // by number: that of the last op within
  size_t count, capacity;
  tune_status status;
} numbering;

static MlirWalkResult number(MlirOperation op, void *user_data) {
  numbering *self = user_data;
  if (self->count == self->capacity) {
    size_t capacity = self->capacity ? 2 * self->capacity : 256;
    size_t *last = realloc(self->last, capacity * sizeof *last);
    if (!last) {
      self->status = tune_status_out_of_memory("numbering ops");
      return MlirWalkResultInterrupt;
    }
    self->last = last;
    self->capacity = capacity;
  }
  self->last[self->count] = self->count;
  self->status = tune_op_map_set(&self->number_of, op.ptr, self->count++);
  return tune_status_is_ok(self->status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

// Ops within come before the op around them.
static MlirWalkResult note_last(MlirOperation op, void *user_data) {
  numbering *self = user_data;
  size_t last = self->last[tune_op_map_get(&self->number_of, op.ptr)];
  size_t around = tune_op_map_get(&self->number_of, mlirOperationGetParentOperation(op).ptr);
  if (around != TUNE_OP_MAP_NONE && self->last[around] < last)
    self->last[around] = last;
  return MlirWalkResultAdvance;
}

static tune_status number_ops(MlirOperation function, numbering *out) {
  *out = (numbering){.status = TUNE_OK};
  tune_op_map_init(&out->number_of);
  mlirOperationWalk(function, number, out, MlirWalkPreOrder);
  if (tune_status_is_ok(out->status))
    mlirOperationWalk(function, note_last, out, MlirWalkPostOrder);
  return out->status;
}

// The op of `block` that `op` is, or is in.
static MlirOperation find_in_block(MlirOperation op, MlirBlock block) {
  while (!mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

// Widens the time of a buffer that is allocated in `block` by the uses of `value`. A loop that has
// one needs the buffer in all of its turns.
static void note_uses(const numbering *self, MlirBlock block, MlirValue value,
                      tune_arena_buffer *buffer) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tune_memory_access_is_view(user)) {
      note_uses(self, block, mlirOperationGetResult(user, 0), buffer);
      continue;
    }
    size_t first = tune_op_map_get(&self->number_of, find_in_block(user, block).ptr);
    if (first < buffer->first)
      buffer->first = first;
    if (self->last[first] > buffer->last)
      buffer->last = self->last[first];
  }
}

//===--------------------------------------------------------------------------===//
// One block
//===--------------------------------------------------------------------------===//

static MlirType bytes_type(MlirContext context, int64_t size) {
  return mlirMemRefTypeContiguousGet(mlirIntegerTypeGet(context, 8), 1, &size,
                                     mlirAttributeGetNull());
}

static void view(MlirOperation allocation, MlirValue block, int64_t offset) {
  tune_ir_builder builder = tune_ir_builder_before(allocation);
  MlirValue buffer = mlirOperationGetResult(allocation, 0);
  MlirValue operands[] = {block, tune_ir_build_index(&builder, offset)};
  mlirValueReplaceAllUsesOfWith(
      buffer, tune_ir_build_value(&builder, "memref.view", mlirValueGetType(buffer), 2, operands));
  mlirOperationDestroy(allocation);
}

static void lay_together(MlirOperation function, const tune_op_list *allocations,
                         const tune_arena_buffer *buffers, int64_t size) {
  tune_ir_builder builder =
      tune_ir_builder_before(mlirBlockGetFirstOperation(tune_ir_body(function)));
  MlirType type = bytes_type(builder.context, size);
  MlirValue block = tune_known_buffer_allocate(&builder, type);
  for (size_t i = 0; i < allocations->count; ++i)
    view(allocations->ops[i], block, buffers[i].offset);
}

// As without a block: what one op alone needs, what it calls frees at its end; other buffers stay.
static int64_t count_separate(const tune_arena_buffer *buffers, size_t count) {
  int64_t stays = 0, most = 0;
  for (size_t i = 0; i < count; ++i) {
    int64_t of_op = 0;
    for (size_t k = 0; k < count; ++k)
      if (buffers[k].first == buffers[k].last && buffers[k].first == buffers[i].first)
        of_op += buffers[k].size;
    if (of_op > most)
      most = of_op;
    stays += buffers[i].first == buffers[i].last ? 0 : buffers[i].size;
  }
  return stays + most;
}

static tune_status place(MlirOperation function, const tune_op_list *allocations,
                         const numbering *numbers, tune_arena_report *out_report) {
  tune_arena_buffer *buffers = calloc(allocations->count, sizeof *buffers);
  if (!buffers)
    return tune_status_out_of_memory("placing buffers");
  tune_arena_report report = {.size = 0};
  for (size_t i = 0; i < allocations->count; ++i) {
    MlirValue value = mlirOperationGetResult(allocations->ops[i], 0);
    buffers[i] = (tune_arena_buffer){.size = tune_known_buffer_bytes(mlirValueGetType(value)),
                                     .first = SIZE_MAX};
    note_uses(numbers, mlirOperationGetBlock(allocations->ops[i]), value, &buffers[i]);
    if (buffers[i].first == SIZE_MAX) // nothing but views that nobody uses
      buffers[i].first = buffers[i].last =
          tune_op_map_get(&numbers->number_of, allocations->ops[i].ptr);
  }
  report.separate = count_separate(buffers, allocations->count);
  report.bound = tune_arena_bound(buffers, allocations->count);
  tune_status status = tune_arena_place(buffers, allocations->count, &report.size);
  if (tune_status_is_ok(status))
    lay_together(function, allocations, buffers, report.size);
  if (report.size > out_report->size)
    *out_report = report;
  free(buffers);
  return status;
}

//===--------------------------------------------------------------------------===//
// Functions
//===--------------------------------------------------------------------------===//

static MlirWalkResult find_call(MlirOperation op, void *user_data) {
  *(bool *)user_data |= tune_ir_is(op, "func.call") && !tune_memory_access_is_call_ahead(op);
  return *(bool *)user_data ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool has_calls(MlirOperation function) {
  bool found = false;
  mlirOperationWalk(function, find_call, &found, MlirWalkPreOrder);
  return found;
}

static void drop_unused(tune_op_list *allocations) {
  size_t kept = 0;
  for (size_t i = 0; i < allocations->count; ++i)
    if (tune_ir_is_used(allocations->ops[i]))
      allocations->ops[kept++] = allocations->ops[i];
    else
      mlirOperationDestroy(allocations->ops[i]);
  allocations->count = kept;
}

static tune_status make_in(MlirOperation function, bool has_threads, tune_arena_report *report) {
  MlirBlock body = tune_ir_body(function);
  if (mlirBlockIsNull(body) || !mlirBlockIsNull(mlirBlockGetNextInRegion(body)) ||
      !mlirAttributeIsNull(tune_ir_attribute(function, TUNE_AHEAD_ATTRIBUTE)) ||
      !has_calls(function))
    return TUNE_OK;
  tune_op_list allocations = {0};
  tune_known_buffers_list(function, has_threads, &allocations);
  drop_unused(&allocations);
  tune_status status = allocations.failed ? tune_status_out_of_memory("listing buffers") : TUNE_OK;
  if (tune_status_is_ok(status) && allocations.count) {
    numbering numbers;
    status = number_ops(function, &numbers);
    if (tune_status_is_ok(status))
      status = place(function, &allocations, &numbers, report);
    tune_op_map_deinit(&numbers.number_of);
    free(numbers.last);
  }
  tune_op_list_deinit(&allocations);
  return status;
}

tune_status tune_arena_make(MlirOperation module, bool has_threads, tune_arena_report *out_report) {
  *out_report = (tune_arena_report){.size = 0};
  tune_ir_load_dialects(mlirOperationGetContext(module),
                        (const char *const[]){"arith", "memref", NULL});
  tune_status status = TUNE_OK;
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(module));
       !mlirOperationIsNull(op) && tune_status_is_ok(status); op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "func.func"))
      status = make_in(op, has_threads, out_report);
  return status;
}
