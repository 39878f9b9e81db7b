//===- body_scalars.c ---------------------------------------------------------===//

#include "transforms/ir/body_scalars.h"

#include "transforms/ir/ir.h"
#include "transforms/ir/op_list.h"

static bool is_made_of_one(MlirOperation op) {
  return tune_ir_is(op, "tensor.from_elements") && mlirOperationGetNumOperands(op) == 1;
}

// What makes a tensor is visited before what takes the scalar out of it, so that a scalar that goes
// through several arrives as well.
static MlirWalkResult forward(MlirOperation op, void *user_data) {
  if (!tune_ir_is(op, "tensor.extract"))
    return MlirWalkResultAdvance;
  MlirOperation made = tune_ir_definition(mlirOperationGetOperand(op, 0));
  if (!is_made_of_one(made))
    return MlirWalkResultAdvance;
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), mlirOperationGetOperand(made, 0));
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static MlirWalkResult list_unused(MlirOperation op, void *user_data) {
  if (!is_made_of_one(op) || tune_ir_is_used(op))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

tune_status tune_body_scalars_forward(MlirOperation module) {
  bool is_done = tune_op_list_destroy_below(module, forward) &&
                 tune_op_list_destroy_below(module, list_unused);
  return is_done ? TUNE_OK : tune_status_out_of_memory("putting scalars where tensors of them are");
}
