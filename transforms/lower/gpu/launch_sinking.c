//===- launch_sinking.c - Sinking of constants and views into launches -------===//

#include "transforms/lower/gpu/launch_sinking.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/memory_access.h"

#include <stdlib.h>

#define TEXEL_SPACE "texel"

bool tune_launch_sinking_is_texels(MlirType type) {
  if (!mlirTypeIsAMemRef(type))
    return false;
  MlirAttribute space = mlirMemRefTypeGetMemorySpace(type);
  return !mlirAttributeIsNull(space) && mlirAttributeIsAString(space) &&
         tune_ir_string_equal(mlirStringAttrGetValue(space), TEXEL_SPACE);
}

// Values from outside and what they are inside.
typedef struct sinking {
  MlirOperation launch;
  MlirOperation place; // the first op of the body as it was
  struct {
    MlirValue outside, inside;
  } * pairs;
  size_t count, capacity;
  bool failed;
} sinking;

typedef struct write_search {
  MlirValue root;
  bool is_found;
} write_search;

static MlirWalkResult find_write(MlirOperation op, void *user_data) {
  write_search *self = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !self->is_found; ++i)
    self->is_found =
        mlirValueEqual(tune_memory_access_root(mlirOperationGetOperand(op, i)), self->root) &&
        (tune_memory_access_of(op, i) & TUNE_WRITES) &&
        !tune_ir_is(op, "builtin.unrealized_conversion_cast") && !tune_ir_is(op, "memref.dealloc");
  return self->is_found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool tune_launch_sinking_is_overwritten(MlirOperation load, MlirValue memory) {
  write_search search = {.root = tune_memory_access_root(memory)};
  for (MlirOperation op = mlirOperationGetNextInBlock(load);
       !mlirOperationIsNull(op) && !search.is_found; op = mlirOperationGetNextInBlock(op))
    mlirOperationWalk(op, find_write, &search, MlirWalkPreOrder);
  return search.is_found;
}

// Ops on vectors, but for those that write. What is read has to be the same wherever it is read.
static bool is_sinkable_vector(MlirOperation op) {
  if (mlirOperationGetNumRegions(op) || mlirOperationGetNumResults(op) == 0)
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (mlirTypeIsAMemRef(mlirValueGetType(operand)) &&
        tune_memory_access_is_written(tune_memory_access_look_through_views(operand)) &&
        tune_launch_sinking_is_overwritten(op, operand))
      return false;
  }
  return true;
}

static bool is_sinkable(MlirOperation op) {
  static const char *const NAMES[] = {"memref.subview",
                                      "memref.expand_shape",
                                      "memref.collapse_shape",
                                      "memref.cast",
                                      "memref.transpose",
                                      "memref.dim",
                                      "memref.reinterpret_cast",
                                      "memref.view",
                                      "memref.extract_strided_metadata",
                                      "llvm.mlir.undef"};
  MlirStringRef name = tune_ir_name(op);
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i)
    if (tune_ir_string_equal(name, NAMES[i]))
      return true;
  if (tune_ir_string_starts(name, "vector.") || tune_ir_string_equal(name, "memref.load"))
    return is_sinkable_vector(op);
  return mlirOperationGetNumRegions(op) == 0 &&
         (tune_ir_string_starts(name, "arith.") || tune_ir_string_starts(name, "affine.") ||
          tune_ir_string_starts(name, "math.") || tune_ir_string_starts(name, "index.") ||
          tune_ir_string_starts(name, "ub."));
}

static void remember(sinking *self, MlirValue outside, MlirValue inside) {
  if (self->count == self->capacity) {
    size_t capacity = self->capacity ? 2 * self->capacity : 32;
    void *pairs = realloc(self->pairs, capacity * sizeof *self->pairs);
    if (!pairs) {
      self->failed = true;
      return;
    }
    self->pairs = pairs;
    self->capacity = capacity;
  }
  self->pairs[self->count].outside = outside;
  self->pairs[self->count++].inside = inside;
}

static void sink_operands(sinking *self, MlirOperation op);

// What `value` is inside: itself where it has to come from outside.
static MlirValue sink(sinking *self, MlirValue value) {
  for (size_t i = 0; i < self->count; ++i)
    if (mlirValueEqual(self->pairs[i].outside, value))
      return self->pairs[i].inside;
  if (mlirValueIsABlockArgument(value) || tune_ir_is_made_inside(value, self->launch) ||
      !is_sinkable(mlirOpResultGetOwner(value)))
    return value;
  MlirOperation op = mlirOpResultGetOwner(value), copy = mlirOperationClone(op);
  sink_operands(self, copy);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(self->place), self->place, copy);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    remember(self, mlirOperationGetResult(op, i), mlirOperationGetResult(copy, i));
  return mlirOperationGetResult(copy, mlirOpResultGetResultNumber(value));
}

static void sink_operands(sinking *self, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(op, i, sink(self, mlirOperationGetOperand(op, i)));
}

static bool is_texels(MlirOperation op) {
  return tune_ir_is(op, "builtin.unrealized_conversion_cast") &&
         mlirOperationGetNumResults(op) == 1 &&
         tune_launch_sinking_is_texels(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

static MlirWalkResult list_op(MlirOperation op, void *user_data) {
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static tune_status sink_into(MlirOperation launch) {
  MlirBlock body = tune_ir_body(launch);
  sinking self = {.launch = launch, .place = mlirBlockGetFirstOperation(body)};
  tune_op_list ops = {0};
  tune_status status = TUNE_OK;
  mlirOperationWalk(launch, list_op, &ops, MlirWalkPreOrder);
  for (size_t i = 0; i < ops.count && tune_status_is_ok(status); ++i) {
    MlirOperation op = ops.ops[i];
    if (mlirOperationEqual(op, launch))
      continue;
    if (!is_texels(op))
      sink_operands(&self, op);
    else if (tune_ir_is_made_inside(mlirOperationGetOperand(op, 0), launch))
      status = tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                   "texels of what is made in the kernel; they are of its buffers");
    else {
      if (mlirOperationEqual(op, self.place))
        self.place = mlirOperationGetNextInBlock(op);
      mlirOperationMoveBefore(op, launch);
    }
  }
  bool failed = ops.failed || self.failed;
  tune_op_list_deinit(&ops);
  free(self.pairs);
  if (tune_status_is_ok(status) && failed)
    status = tune_status_out_of_memory("making values again in kernels");
  return status;
}

tune_status tune_launch_sinking_run(MlirOperation function) {
  MlirBlock body = tune_ir_body(function);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "gpu.launch"))
      TUNE_RETURN_IF_ERROR(sink_into(op));
  return TUNE_OK;
}
