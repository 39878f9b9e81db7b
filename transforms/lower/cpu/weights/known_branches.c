//===- known_branches.c -----------------------------------------------------------===//

#include "transforms/lower/cpu/weights/known_branches.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"

#include "mlir-c/BuiltinAttributes.h"

static bool is_known(MlirOperation op) {
  return tune_ir_is(op, "scf.if") &&
         tune_ir_is(tune_ir_definition(mlirOperationGetOperand(op, 0)), "arith.constant");
}

static MlirWalkResult list_branch(MlirOperation op, void *user_data) {
  return !is_known(op) || tune_op_list_add(user_data, op) ? MlirWalkResultAdvance
                                                          : MlirWalkResultInterrupt;
}

// Without a region for it there is nothing in the place of a branch that is not taken.
static void open_branch(MlirOperation branch) {
  MlirOperation condition = tune_ir_definition(mlirOperationGetOperand(branch, 0));
  bool is_taken = mlirIntegerAttrGetValueInt(tune_ir_attribute(condition, "value")) != 0;
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(branch, is_taken ? 0 : 1));
  tune_ir_builder before = tune_ir_builder_before(branch);
  if (!mlirBlockIsNull(block)) {
    MlirOperation end = mlirBlockGetTerminator(block);
    tune_ir_move_body(&before, block);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(branch); ++i)
      mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(branch, i),
                                    mlirOperationGetOperand(end, i));
  }
  mlirOperationDestroy(branch);
}

tune_status tune_known_branches_open(MlirOperation function) {
  tune_op_list branches = {0};
  // Those within others come first.
  mlirOperationWalk(function, list_branch, &branches, MlirWalkPostOrder);
  for (size_t i = 0; i < branches.count && !branches.failed; ++i)
    open_branch(branches.ops[i]);
  bool failed = branches.failed;
  tune_op_list_deinit(&branches);
  return failed ? tune_status_out_of_memory("opening branches") : TUNE_OK;
}
