//===- reciprocal_division.c - Division by one number as multiplication by its reciprocal -===//

#include "transforms/lower/gpu/reciprocal_division.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"

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

// What takes the place of a divisor.
typedef struct inverse {
  MlirValue scale; // numbers are multiplied with it, a power of two
  MlirValue value; // and then with this: one divided by the scaled divisor
} inverse;

// One divided by very small numbers is no number, and by very large ones one of few bits, or zero:
// these are scaled before. What is divided may be out of range when scaled only where the quotient
// is, too.
static inverse invert(MlirOperation before, MlirValue divisor) {
  const double small = 0x1p-100, large = 0x1p100, scale = 0x1p64;
  tune_ir_builder builder = tune_ir_builder_before(before);
  MlirType type = mlirValueGetType(divisor);
  MlirValue size = tune_ir_build_value(&builder, "math.absf", type, 1, &divisor);
  MlirValue one = tune_ir_build_number(&builder, type, 1);
  MlirValue is_small =
      tune_ir_build_compare(&builder, "olt", size, tune_ir_build_number(&builder, type, small));
  MlirValue is_large =
      tune_ir_build_compare(&builder, "ogt", size, tune_ir_build_number(&builder, type, large));
  inverse made;
  made.scale = tune_ir_build_select(
      &builder, is_large, tune_ir_build_number(&builder, type, 1 / scale),
      tune_ir_build_select(&builder, is_small, tune_ir_build_number(&builder, type, scale), one));
  made.value =
      tune_ir_build_binary(&builder, "arith.divf", one,
                           tune_ir_build_binary(&builder, "arith.mulf", divisor, made.scale));
  return made;
}

static void make_product(MlirOperation op, const inverse *by) {
  tune_ir_builder builder = tune_ir_builder_before(op);
  MlirValue scaled =
      tune_ir_build_binary(&builder, "arith.mulf", mlirOperationGetOperand(op, 0), by->scale);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0),
                                tune_ir_build_binary(&builder, "arith.mulf", scaled, by->value));
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
  inverse by = {.value = {NULL}};
  if (!mlirOperationIsNull(loop))
    by = invert(loop, mlirOperationGetOperand(first, 1));
  for (size_t i = at + 1; i < quotients->count; ++i) {
    MlirOperation op = quotients->ops[i];
    if (mlirOperationIsNull(op) || !divide_alike(first, op))
      continue;
    if (mlirValueIsNull(by.value))
      by = invert(first, mlirOperationGetOperand(first, 1));
    make_product(op, &by);
    quotients->ops[i] = (MlirOperation){NULL};
  }
  if (!mlirValueIsNull(by.value))
    make_product(first, &by);
}

tune_status tune_reciprocal_division_run(MlirOperation kernels) {
  static const char *const MADE_OF[] = {"arith", "math", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(kernels), MADE_OF);
  tune_op_list quotients = {0};
  mlirOperationWalk(kernels, find_quotient, &quotients, MlirWalkPreOrder);
  for (size_t i = 0; i < quotients.count && !quotients.failed; ++i)
    if (!mlirOperationIsNull(quotients.ops[i]))
      open_quotient(&quotients, i);
  bool failed = quotients.failed;
  tune_op_list_deinit(&quotients);
  return failed ? tune_status_out_of_memory("listing quotients") : TUNE_OK;
}
