//===- same_for_all.c -------------------------------------------------------------===//

#include "transforms/normalize/same_for_all.h"

#include "dialects/choices.h"
#include "transforms/normalize/marks.h"
#include "transforms/normalize/nest_maps.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

// Whether `op` reshapes.
static bool is_reshape(MlirOperation op) {
  return tune_ir_is(op, "tensor.expand_shape") || tune_ir_is(op, "tensor.collapse_shape");
}

// What fills all of `value` with one number, or leaves it empty; a null one where other things do.
static MlirOperation find_filling(MlirValue value) {
  MlirOperation op = tune_ir_definition(value);
  while (is_reshape(op))
    op = tune_ir_definition(mlirOperationGetOperand(op, 0));
  if (tune_ir_is(op, "tensor.empty") || tune_ir_is(op, "linalg.fill"))
    return op;
  MlirAttribute number =
      tune_ir_is(op, "arith.constant") ? tune_ir_attribute(op, "value") : (MlirAttribute){NULL};
  bool is_one = !mlirAttributeIsNull(number) && mlirAttributeIsADenseElements(number) &&
                mlirDenseElementsAttrIsSplat(number);
  return is_one ? op : (MlirOperation){NULL};
}

bool tune_same_for_all(MlirValue value, intptr_t dimension) {
  MlirOperation op = tune_ir_definition(value);
  tune_nest_maps n;
  if (mlirOperationIsNull(op) || !tune_tensor_is_plain(mlirValueGetType(value)) ||
      dimension >= mlirShapedTypeGetRank(mlirValueGetType(value)))
    return false;
  if (!mlirOperationIsNull(find_filling(value)))
    return true;
  if (!tune_nest_maps_read(op, &n))
    return false;
  intptr_t loop = tune_nest_maps_loop(tune_nest_maps_result(&n), dimension);
  for (intptr_t o = 0; o + 1 < n.operand_count; ++o)
    if (loop < 0 || tune_nest_maps_has(n.maps[o], loop))
      return false;
  return loop >= 0 &&
         tune_same_for_all(mlirOperationGetOperand(op, n.operand_count - 1), dimension);
}

// A copy of `op` over `into` before the builder, with a result of that type. It is another op,
// whose choices are its own.
static MlirValue clone_over(const tune_ir_builder *b, MlirOperation op, MlirValue into) {
  MlirOperation made = mlirOperationClone(op);
  mlirOperationSetLocation(made, tune_marks_without(mlirOperationGetLocation(op)));
  tune_choices_strip(made);
  mlirOperationSetOperand(made, mlirOperationGetNumOperands(op) - 1, into);
  mlirBlockInsertOwnedOperationBefore(b->block, b->before, made);
  mlirValueSetType(mlirOperationGetResult(made, 0), mlirValueGetType(into));
  return mlirOperationGetResult(made, 0);
}

MlirValue tune_same_for_all_of_size(const tune_ir_builder *b, MlirValue value, intptr_t dimension,
                                    int64_t size) {
  MlirType type = tune_tensor_type_with_size(mlirValueGetType(value), dimension, size);
  MlirOperation filling = find_filling(value);
  if (mlirOperationIsNull(filling)) {
    MlirOperation op = tune_ir_definition(value);
    intptr_t last = mlirOperationGetNumOperands(op) - 1;
    return clone_over(
        b, op, tune_same_for_all_of_size(b, mlirOperationGetOperand(op, last), dimension, size));
  }
  if (tune_ir_is(filling, "arith.constant")) {
    MlirAttribute number = mlirDenseElementsAttrGetSplatValue(tune_ir_attribute(filling, "value"));
    return tune_ir_build_constant(b, type, mlirDenseElementsAttrSplatGet(type, number));
  }
  MlirValue empty = tune_ir_build_value(b, "tensor.empty", type, 0, NULL);
  return tune_ir_is(filling, "linalg.fill") ? clone_over(b, filling, empty) : empty;
}
