//===- arena.c ----------------------------------------------------------------------===//

#include "transforms/lower/cpu/arena/arena.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_map.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/common/memory_access.h"
#include "transforms/lower/common/parallel_loops.h"
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

static tune_status number_ops(MlirOperation root, numbering *out) {
  *out = (numbering){.status = TUNE_OK};
  tune_op_map_init(&out->number_of);
  mlirOperationWalk(root, number, out, MlirWalkPreOrder);
  if (tune_status_is_ok(out->status))
    mlirOperationWalk(root, note_last, out, MlirWalkPostOrder);
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

static void lay_together(MlirOperation root, const tune_op_list *allocations,
                         const tune_arena_buffer *buffers, int64_t size) {
  tune_ir_builder builder = tune_ir_builder_before(mlirBlockGetFirstOperation(tune_ir_body(root)));
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

static tune_status place(MlirOperation root, const tune_op_list *allocations,
                         const numbering *numbers, tune_arena_report *out_report) {
  tune_arena_buffer *buffers = calloc(allocations->count, sizeof *buffers);
  if (!buffers)
    return tune_status_out_of_memory("placing buffers");
  for (size_t i = 0; i < allocations->count; ++i) {
    MlirValue value = mlirOperationGetResult(allocations->ops[i], 0);
    buffers[i] = (tune_arena_buffer){.size = tune_known_buffer_bytes(mlirValueGetType(value)),
                                     .first = SIZE_MAX};
    note_uses(numbers, mlirOperationGetBlock(allocations->ops[i]), value, &buffers[i]);
    if (buffers[i].first == SIZE_MAX) // nothing but views that nobody uses
      buffers[i].first = buffers[i].last =
          tune_op_map_get(&numbers->number_of, allocations->ops[i].ptr);
  }
  out_report->separate = count_separate(buffers, allocations->count);
  out_report->bound = tune_arena_bound(buffers, allocations->count);
  tune_status status = tune_arena_place(buffers, allocations->count, &out_report->size);
  if (tune_status_is_ok(status))
    lay_together(root, allocations, buffers, out_report->size);
  free(buffers);
  return status;
}

//===--------------------------------------------------------------------------===//
// What a function or a loop takes
//===--------------------------------------------------------------------------===//

static MlirWalkResult find_call(MlirOperation op, void *user_data) {
  *(bool *)user_data |= tune_ir_is(op, "func.call") && !tune_memory_access_is_call_ahead(op);
  return *(bool *)user_data ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool has_calls(MlirOperation root) {
  bool found = false;
  mlirOperationWalk(root, find_call, &found, MlirWalkPreOrder);
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

// Lays together what is in `root`, a function or a parallel loop; `*out_report` is of that.
static tune_status make_in(MlirOperation root, bool has_threads, tune_arena_report *out_report) {
  tune_op_list allocations = {0};
  *out_report = (tune_arena_report){.size = 0};
  tune_known_buffers_list(root, has_threads, &allocations);
  drop_unused(&allocations);
  tune_status status = allocations.failed ? tune_status_out_of_memory("listing buffers") : TUNE_OK;
  if (tune_status_is_ok(status) && allocations.count) {
    numbering numbers;
    status = number_ops(root, &numbers);
    if (tune_status_is_ok(status))
      status = place(root, &allocations, &numbers, out_report);
    tune_op_map_deinit(&numbers.number_of);
    free(numbers.last);
  }
  tune_op_list_deinit(&allocations);
  return status;
}

//===--------------------------------------------------------------------------===//
// Loops that threads share
//===--------------------------------------------------------------------------===//

static MlirWalkResult list_loop(MlirOperation op, void *user_data) {
  if (!tune_parallel_loops_is_parallel(op))
    return MlirWalkResultAdvance;
  if (has_calls(op))
    tune_op_list_add(user_data, op);
  return MlirWalkResultSkip;
}

// Each step of a loop that threads share, with calls in it, has a block of its own, of which there
// are as many at once as `threads`. Loops follow each other: the largest one is added.
static tune_status make_in_loops(MlirOperation function, int threads, tune_arena_report *report) {
  tune_op_list loops = {0};
  tune_arena_report largest = {.size = 0};
  mlirOperationWalk(function, list_loop, &loops, MlirWalkPreOrder);
  tune_status status = loops.failed ? tune_status_out_of_memory("listing loops") : TUNE_OK;
  for (size_t i = 0; i < loops.count && tune_status_is_ok(status); ++i) {
    tune_arena_report of_step;
    status = make_in(loops.ops[i], true, &of_step);
    if (of_step.size > largest.size)
      largest = of_step;
  }
  report->size += threads * largest.size;
  report->bound += threads * largest.bound;
  report->separate += threads * largest.separate;
  tune_op_list_deinit(&loops);
  return status;
}

//===--------------------------------------------------------------------------===//
// Functions
//===--------------------------------------------------------------------------===//

static tune_status make_in_function(MlirOperation function, int threads,
                                    tune_arena_report *largest) {
  MlirBlock body = tune_ir_body(function);
  if (mlirBlockIsNull(body) || !mlirBlockIsNull(mlirBlockGetNextInRegion(body)) ||
      !mlirAttributeIsNull(tune_ir_attribute(function, TUNE_AHEAD_ATTRIBUTE)) ||
      !has_calls(function))
    return TUNE_OK;
  tune_arena_report report;
  TUNE_RETURN_IF_ERROR(make_in(function, threads > 1, &report));
  if (threads > 1)
    TUNE_RETURN_IF_ERROR(make_in_loops(function, threads, &report));
  if (report.size > largest->size)
    *largest = report;
  return TUNE_OK;
}

tune_status tune_arena_make(MlirOperation module, int threads, tune_arena_report *out_report) {
  *out_report = (tune_arena_report){.size = 0};
  tune_ir_load_dialects(mlirOperationGetContext(module),
                        (const char *const[]){"arith", "memref", NULL});
  tune_status status = TUNE_OK;
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(module));
       !mlirOperationIsNull(op) && tune_status_is_ok(status); op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "func.func"))
      status = make_in_function(op, threads, out_report);
  return status;
}
