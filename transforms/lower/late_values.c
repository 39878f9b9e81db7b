//===- late_values.c - Values made where they are needed --------------------------------===//

#include "transforms/lower/late_values.h"

#include "transforms/ir_builder.h"
#include "transforms/op_list.h"

static bool is_arithmetic(MlirOperation op) {
  MlirStringRef name = tune_ir_name(op);
  return mlirOperationGetNumRegions(op) == 0 && mlirOperationGetNumOperands(op) > 0 &&
         (tune_ir_string_starts(name, "arith.") || tune_ir_string_starts(name, "math.") ||
          tune_ir_string_starts(name, "spirv.GL.") || tune_ir_is(op, "vector.extract") ||
          tune_ir_is(op, "vector.insert") || tune_ir_is(op, "vector.broadcast") ||
          tune_ir_is(op, "vector.from_elements"));
}

// The op of `block` that `op` is or is in; a null op where it is elsewhere.
static MlirOperation find_in_block(MlirOperation op, MlirBlock block) {
  while (!mlirOperationIsNull(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

// The first op of the block that needs a result of `op`; a null op where there is none, or one
// elsewhere needs it.
static MlirOperation find_first_user(MlirOperation op) {
  MlirBlock block = mlirOperationGetBlock(op);
  MlirOperation first = {NULL};
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, i));
         !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = find_in_block(mlirOpOperandGetOwner(use), block);
      if (mlirOperationIsNull(user))
        return user;
      if (mlirOperationIsNull(first) || mlirOperationIsBeforeInBlock(user, first))
        first = user;
    }
  return first;
}

static MlirWalkResult list_arithmetic(MlirOperation op, void *user_data) {
  if (!is_arithmetic(op))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

tune_status tune_late_values_sink(MlirOperation root) {
  tune_op_list ops = {0};
  mlirOperationWalk(root, list_arithmetic, &ops, MlirWalkPreOrder);
  // The last of a block first: what a value is made of follows it.
  for (size_t i = ops.count; i-- > 0 && !ops.failed;) {
    MlirOperation user = find_first_user(ops.ops[i]);
    if (!mlirOperationIsNull(user))
      mlirOperationMoveBefore(ops.ops[i], user);
  }
  bool failed = ops.failed;
  tune_op_list_deinit(&ops);
  return failed ? tune_status_make(TUNE_OUT_OF_MEMORY, "listing arithmetic") : TUNE_OK;
}
