//===- turns.c --------------------------------------------------------------------===//

#include "transforms/normalize/turns.h"

#include "transforms/normalize/marks.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

tune_turn tune_turn_inverse(const tune_turn *turn) {
  tune_turn inverse = {.rank = turn->rank};
  for (intptr_t d = 0; d < turn->rank; ++d)
    inverse.of[turn->of[d]] = d;
  return inverse;
}

MlirAffineMap tune_turn_map(const tune_turn *turn, MlirAffineMap map) {
  MlirAffineExpr indices[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < turn->rank; ++d)
    indices[d] = mlirAffineMapGetResult(map, turn->of[d]);
  return mlirAffineMapGet(mlirAffineMapGetContext(map), mlirAffineMapGetNumDims(map), 0, turn->rank,
                          indices);
}

MlirType tune_turn_type(const tune_turn *turn, MlirValue value) {
  int64_t sizes[TUNE_IR_MAX_RANK];
  MlirType type = mlirValueGetType(value);
  for (intptr_t d = 0; d < turn->rank; ++d)
    sizes[d] = mlirShapedTypeGetDimSize(type, turn->of[d]);
  return mlirRankedTensorTypeGet(turn->rank, sizes, mlirShapedTypeGetElementType(type),
                                 (MlirAttribute){NULL});
}

MlirValue tune_turn_empty(const tune_ir_builder *b, const tune_turn *turn, MlirValue value) {
  return tune_ir_build_value(b, "tensor.empty", tune_turn_type(turn, value), 0, NULL);
}

bool tune_turn_is_part(MlirOperation op) {
  bool is_slice = tune_ir_is(op, "tensor.extract_slice"), is_pad = tune_ir_is(op, "tensor.pad");
  // Without other operands all numbers are known.
  if ((!is_slice && !is_pad) || mlirOperationGetNumOperands(op) != 1 ||
      mlirShapedTypeGetRank(mlirValueGetType(mlirOperationGetOperand(op, 0))) !=
          mlirShapedTypeGetRank(mlirValueGetType(mlirOperationGetResult(op, 0))) ||
      !mlirAttributeIsNull(tune_ir_attribute(op, "nofold")))
    return false;
  if (is_slice)
    return true;
  MlirOperation yield = mlirBlockGetFirstOperation(tune_ir_body(op));
  return tune_ir_is(yield, "tensor.yield") &&
         !mlirValueIsABlockArgument(mlirOperationGetOperand(yield, 0));
}

MlirValue tune_turn_rebuild(const tune_turn *turn, MlirOperation op, MlirValue image) {
  static const char *const SLICE[] = {"static_offsets", "static_sizes", "static_strides"};
  static const char *const PAD[] = {"static_low", "static_high"};
  bool is_pad = tune_ir_is(op, "tensor.pad");
  tune_ir_builder b = tune_ir_builder_before(op);
  MlirNamedAttribute attributes[4];
  intptr_t count = is_pad ? 2 : 3;
  for (intptr_t i = 0; i < count; ++i) {
    const char *name = is_pad ? PAD[i] : SLICE[i];
    int64_t numbers[TUNE_IR_MAX_RANK], turned[TUNE_IR_MAX_RANK];
    tune_tensor_read_numbers(op, name, turn->rank, numbers);
    for (intptr_t d = 0; d < turn->rank; ++d)
      turned[d] = numbers[turn->of[d]];
    attributes[i] =
        tune_ir_named(b.context, name, mlirDenseI64ArrayGet(b.context, turn->rank, turned));
  }
  attributes[count] =
      tune_ir_named(b.context, "operandSegmentSizes",
                    mlirDenseI32ArrayGet(b.context, is_pad ? 3 : 4, (int32_t[]){1, 0, 0, 0}));
  MlirType type = tune_turn_type(turn, mlirOperationGetResult(op, 0));
  MlirRegion region = is_pad ? tune_ir_clone_region(op) : (MlirRegion){NULL};
  return tune_ir_build_result(
      &b, &(tune_ir_parts){.name = is_pad ? "tensor.pad" : "tensor.extract_slice",
                           .operand_count = 1,
                           .operands = &image,
                           .type_count = 1,
                           .types = &type,
                           .attribute_count = count + 1,
                           .attributes = attributes,
                           .region_count = is_pad,
                           .regions = &region});
}

MlirValue tune_turn_copy(const tune_ir_builder *b, const tune_turn *turn, MlirValue value) {
  MlirAffineMap result = mlirAffineMapMultiDimIdentityGet(b->context, turn->rank);
  tune_turn inverse = tune_turn_inverse(turn);
  return tune_tensor_copy(b, value, tune_turn_map(&inverse, result),
                          tune_turn_empty(b, turn, value));
}

tune_ir_builder tune_turn_builder_behind(MlirValue value) {
  MlirOperation op = tune_ir_definition(value), next;
  if (mlirOperationIsNull(op))
    next = mlirBlockGetFirstOperation(mlirBlockArgumentGetOwner(value));
  else
    next = mlirOperationGetNextInBlock(op);
  tune_ir_builder b = tune_ir_builder_before(next);
  b.location = tune_marks_without(b.location);
  return b;
}

MlirValue tune_turn_copy_behind(tune_op_list *made, MlirValue value, const tune_turn *turn) {
  tune_ir_builder b = tune_turn_builder_behind(value);
  MlirValue copied = tune_turn_copy(&b, turn, value);
  MlirOperation op = tune_ir_definition(copied);
  tune_op_list_add(made, tune_ir_definition(mlirOperationGetOperand(op, 1)));
  tune_op_list_add(made, op);
  return copied;
}
