//===- quotients.c - Quotients of kernels -----------------------------------------------===//

#include "transforms/lower/quotients.h"

#include "transforms/ir_builder.h"
#include "transforms/op_list.h"

static MlirWalkResult find_quotient(MlirOperation op, void *user_data) {
  if (!tune_ir_is(op, "arith.divf"))
    return MlirWalkResultAdvance;
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  if (!mlirTypeIsAF32(mlirTypeIsAVector(type) ? mlirShapedTypeGetElementType(type) : type))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

// The outermost loop around `op` that its divisor is made outside of; a null op where there is
// none.
static MlirOperation find_loop(MlirOperation op) {
  MlirValue divisor = mlirOperationGetOperand(op, 1);
  MlirOperation outermost = {NULL};
  for (MlirOperation loop = mlirOperationGetParentOperation(op);
       tune_ir_is(loop, "scf.for") && !tune_ir_is_made_inside(divisor, loop);
       loop = mlirOperationGetParentOperation(loop))
    outermost = loop;
  return outermost;
}

static MlirValue invert(MlirOperation before, MlirValue divisor) {
  tune_ir_builder builder = tune_ir_builder_before(before);
  return tune_ir_build_binary(&builder, "arith.divf",
                              tune_ir_build_number(&builder, mlirValueGetType(divisor), 1),
                              divisor);
}

static void make_product(MlirOperation op, MlirValue inverse) {
  tune_ir_builder builder = tune_ir_builder_before(op);
  mlirValueReplaceAllUsesOfWith(
      mlirOperationGetResult(op, 0),
      tune_ir_build_binary(&builder, "arith.mulf", mlirOperationGetOperand(op, 0), inverse));
  mlirOperationDestroy(op);
}

static bool divide_alike(MlirOperation a, MlirOperation b) {
  return mlirValueEqual(mlirOperationGetOperand(a, 1), mlirOperationGetOperand(b, 1)) &&
         mlirBlockEqual(mlirOperationGetBlock(a), mlirOperationGetBlock(b));
}

// Number `at` of `quotients`, which are in the order of the IR, with those after it that share its
// block and divisor; they are null then.
static void open_quotient(tune_op_list *quotients, size_t at) {
  MlirOperation first = quotients->ops[at], loop = find_loop(first);
  MlirValue inverse = {NULL};
  if (!mlirOperationIsNull(loop))
    inverse = invert(loop, mlirOperationGetOperand(first, 1));
  for (size_t i = at + 1; i < quotients->count; ++i) {
    MlirOperation op = quotients->ops[i];
    if (mlirOperationIsNull(op) || !divide_alike(first, op))
      continue;
    if (mlirValueIsNull(inverse))
      inverse = invert(first, mlirOperationGetOperand(first, 1));
    make_product(op, inverse);
    quotients->ops[i] = (MlirOperation){NULL};
  }
  if (!mlirValueIsNull(inverse))
    make_product(first, inverse);
}

tune_status tune_quotients_make_products(MlirOperation kernels) {
  tune_op_list quotients = {0};
  mlirOperationWalk(kernels, find_quotient, &quotients, MlirWalkPreOrder);
  for (size_t i = 0; i < quotients.count && !quotients.failed; ++i)
    if (!mlirOperationIsNull(quotients.ops[i]))
      open_quotient(&quotients, i);
  bool failed = quotients.failed;
  tune_op_list_deinit(&quotients);
  return failed ? tune_status_make(TUNE_OUT_OF_MEMORY, "listing quotients") : TUNE_OK;
}
