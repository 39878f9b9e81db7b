//===- no_elements.c ------------------------------------------------------------===//

#include "transforms/ir/no_elements.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"

#include <stdlib.h>

static bool has_no_elements(MlirType type) {
  if (!mlirTypeIsARankedTensor(type))
    return false;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    if (!mlirShapedTypeIsDynamicDim(type, i) && mlirShapedTypeGetDimSize(type, i) == 0)
      return true;
  return false;
}

static bool takes_nothing(MlirOperation op, intptr_t operand) {
  return has_no_elements(mlirValueGetType(mlirOperationGetOperand(op, operand)));
}

static bool gives_nothing(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (has_no_elements(mlirValueGetType(mlirOperationGetResult(op, i))))
      return true;
  return false;
}

static bool concatenates_nothing(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (takes_nothing(op, i))
      return true;
  return false;
}

// What an op of tensor.pad has around its operand, where that is one value.
static MlirValue padding_of(MlirOperation op) {
  MlirOperation yield = mlirBlockGetTerminator(tune_ir_body(op));
  MlirValue value = mlirOperationGetOperand(yield, 0);
  MlirOperation constant = tune_ir_definition(value);
  bool is_outside = mlirOperationIsNull(constant)
                        ? !mlirBlockEqual(mlirBlockArgumentGetOwner(value), tune_ir_body(op))
                        : !mlirBlockEqual(mlirOperationGetBlock(constant), tune_ir_body(op));
  return is_outside ? value : (MlirValue){NULL};
}

static bool pads_nothing(MlirOperation op) {
  return tune_ir_is(op, "tensor.pad") && takes_nothing(op, 0) &&
         mlirShapedTypeHasStaticShape(mlirValueGetType(mlirOperationGetResult(op, 0))) &&
         !mlirValueIsNull(padding_of(op));
}

static MlirWalkResult look_at(MlirOperation op, void *user_data) {
  bool moves =
      tune_ir_string_starts(tune_ir_name(op), "tensor.") && !tune_ir_is(op, "tensor.empty");
  bool is_wanted = (moves && gives_nothing(op)) ||
                   (tune_ir_is(op, "tensor.insert_slice") && takes_nothing(op, 0)) ||
                   (tune_ir_is(op, "tensor.concat") && concatenates_nothing(op)) ||
                   pads_nothing(op);
  return !is_wanted || tune_op_list_add(user_data, op) ? MlirWalkResultAdvance
                                                       : MlirWalkResultInterrupt;
}

static void make_empty(MlirOperation op) {
  tune_ir_builder builder = tune_ir_builder_before(op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    MlirType type = mlirValueGetType(result);
    if (has_no_elements(type) && mlirShapedTypeHasStaticShape(type))
      mlirValueReplaceAllUsesOfWith(result,
                                    tune_ir_build_value(&builder, "tensor.empty", type, 0, NULL));
  }
}

// Leaves the others, which there are: the result has elements.
static tune_status concatenate_others(MlirOperation op) {
  intptr_t count = mlirOperationGetNumOperands(op), kept = 0;
  MlirValue *operands = calloc((size_t)count + 1, sizeof *operands);
  if (!operands)
    return tune_status_out_of_memory("dropping tensors without elements");
  for (intptr_t i = 0; i < count; ++i)
    if (!takes_nothing(op, i))
      operands[kept++] = mlirOperationGetOperand(op, i);
  mlirOperationSetOperands(op, kept, operands);
  free(operands);
  return TUNE_OK;
}

static tune_status replace(MlirOperation op) {
  if (gives_nothing(op)) {
    make_empty(op);
    return TUNE_OK;
  }
  if (tune_ir_is(op, "tensor.concat"))
    return concatenate_others(op);
  if (tune_ir_is(op, "tensor.pad")) {
    tune_ir_builder builder = tune_ir_builder_before(op);
    MlirValue result = mlirOperationGetResult(op, 0), value = padding_of(op);
    mlirValueReplaceAllUsesOfWith(
        result, tune_ir_build_value(&builder, "tensor.splat", mlirValueGetType(result), 1, &value));
    return TUNE_OK;
  }
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), mlirOperationGetOperand(op, 1));
  return TUNE_OK;
}

tune_status tune_no_elements_replace(MlirOperation module) {
  tune_ir_load_dialects(mlirOperationGetContext(module), (const char *const[]){"tensor", NULL});
  tune_op_list ops = {0};
  mlirOperationWalk(module, look_at, &ops, MlirWalkPreOrder);
  tune_status status =
      ops.failed ? tune_status_out_of_memory("listing tensors without elements") : TUNE_OK;
  for (size_t i = 0; i < ops.count && tune_status_is_ok(status); ++i)
    status = replace(ops.ops[i]);
  for (size_t i = ops.count; i-- > 0 && tune_status_is_ok(status);)
    if (!tune_ir_is_used(ops.ops[i]))
      mlirOperationDestroy(ops.ops[i]);
  tune_op_list_deinit(&ops);
  return status;
}
