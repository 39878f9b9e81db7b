//===- casts.c ------------------------------------------------------------------------===//

#include "transforms/normalize/casts.h"

#include "transforms/ir/ir.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/BuiltinTypes.h"

// Has `op` read what operand `number` is cast from, where the sizes of that are known.
static void look_through(MlirOperation op, intptr_t number) {
  MlirOperation cast = tune_ir_definition(mlirOperationGetOperand(op, number));
  if (!tune_ir_is(cast, "tensor.cast") ||
      !tune_tensor_is_plain(mlirValueGetType(mlirOperationGetOperand(cast, 0))))
    return;
  mlirOperationSetOperand(op, number, mlirOperationGetOperand(cast, 0));
  if (!tune_ir_is_used(cast))
    mlirOperationDestroy(cast);
}

static MlirWalkResult visit(MlirOperation op, void *user_data) {
  (void)user_data;
  if (tune_ir_is(op, "tensor.concat"))
    for (intptr_t o = 0; o < mlirOperationGetNumOperands(op); ++o)
      look_through(op, o);
  return MlirWalkResultAdvance;
}

void tune_normalize_casts(MlirOperation root) {
  mlirOperationWalk(root, visit, NULL, MlirWalkPreOrder);
}
