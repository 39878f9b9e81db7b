//===- value_sinking.c - Sinking of arithmetic to its uses -------------------===//

#include "transforms/lower/gpu/value_sinking.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/ir/op_map.h"

// Of numbers: what indices are made of takes no registers worth the name.
static bool is_arithmetic(MlirOperation op) {
  MlirStringRef name = tune_ir_name(op);
  if (mlirOperationGetNumRegions(op) || mlirOperationGetNumOperands(op) == 0 ||
      mlirOperationGetNumResults(op) != 1)
    return false;
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  bool computes = tune_ir_string_starts(name, "arith.") || tune_ir_string_starts(name, "math.") ||
                  tune_ir_string_starts(name, "spirv.GL.");
  return computes && (mlirTypeIsAFloat(type) || mlirTypeIsAVector(type));
}

typedef struct sinking {
  tune_op_map placed; // arithmetic that stands where it is to be
  MlirBlock block;
  MlirOperation before; // of the block: what needs values now
  tune_status status;
} sinking;

static MlirWalkResult place_operands(MlirOperation op, void *user_data);

// Puts `op`, and what it is made of before it, in the order of the operands.
static void place(sinking *self, MlirOperation op) {
  self->status = tune_op_map_set(&self->placed, op.ptr, 0);
  if (tune_status_is_ok(self->status))
    place_operands(op, self);
  mlirOperationMoveBefore(op, self->before);
}

static MlirWalkResult place_operands(MlirOperation op, void *user_data) {
  sinking *self = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && tune_status_is_ok(self->status);
       ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (!mlirValueIsAOpResult(operand))
      continue;
    MlirOperation maker = mlirOpResultGetOwner(operand);
    if (mlirBlockEqual(mlirOperationGetBlock(maker), self->block) && is_arithmetic(maker) &&
        tune_op_map_get(&self->placed, maker.ptr) == TUNE_OP_MAP_NONE)
      place(self, maker);
  }
  return tune_status_is_ok(self->status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

// The ops of `block` in their order, but for arithmetic, which waits until one of them, or an op in
// its regions, needs it. What none needs comes at the end.
static tune_status sink_in(MlirBlock block) {
  tune_op_list ops = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    tune_op_list_add(&ops, op);
  sinking self = {.block = block, .status = TUNE_OK};
  tune_op_map_init(&self.placed);
  if (ops.failed)
    self.status = tune_status_out_of_memory("listing ops");
  for (size_t i = 0; i < ops.count && tune_status_is_ok(self.status); ++i) {
    self.before = ops.ops[i];
    if (!is_arithmetic(ops.ops[i]))
      mlirOperationWalk(ops.ops[i], place_operands, &self, MlirWalkPreOrder);
  }
  for (size_t i = 0; i < ops.count && tune_status_is_ok(self.status); ++i)
    if (is_arithmetic(ops.ops[i]) &&
        tune_op_map_get(&self.placed, ops.ops[i].ptr) == TUNE_OP_MAP_NONE)
      mlirOperationMoveBefore(ops.ops[i], self.before);
  tune_op_map_deinit(&self.placed);
  tune_op_list_deinit(&ops);
  return self.status;
}

static MlirWalkResult sink_in_regions(MlirOperation op, void *user_data) {
  tune_status *status = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
         !mlirBlockIsNull(block) && tune_status_is_ok(*status);
         block = mlirBlockGetNextInRegion(block))
      if (!mlirOperationIsNull(mlirBlockGetTerminator(block)))
        *status = sink_in(block);
  return tune_status_is_ok(*status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

tune_status tune_value_sinking_run(MlirOperation root) {
  tune_status status = TUNE_OK;
  mlirOperationWalk(root, sink_in_regions, &status, MlirWalkPostOrder);
  return status;
}
