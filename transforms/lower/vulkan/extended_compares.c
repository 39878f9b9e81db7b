//===- extended_compares.c ----------------------------------------------------===//

#include "transforms/lower/vulkan/extended_compares.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"

#include <stdlib.h>

// Number `number` as an attribute of `type`, or null where that type does not have it. Types of
// more than 32 bits are not asked for.
static MlirAttribute narrow_number(MlirType type, int64_t number) {
  int64_t most = (INT64_C(1) << (mlirIntegerTypeGetWidth(type) - 1)) - 1;
  return number >= -most - 1 && number <= most ? mlirIntegerAttrGet(type, number)
                                               : mlirAttributeGetNull();
}

static MlirAttribute narrow_vector(MlirType type, MlirAttribute wide) {
  MlirType element = mlirShapedTypeGetElementType(type);
  intptr_t count = mlirElementsAttrGetNumElements(wide);
  if (mlirDenseElementsAttrIsSplat(wide)) {
    MlirAttribute one = narrow_number(
        element, mlirIntegerAttrGetValueInt(mlirDenseElementsAttrGetSplatValue(wide)));
    return mlirAttributeIsNull(one) ? one : mlirDenseElementsAttrSplatGet(type, one);
  }
  MlirAttribute *numbers = malloc((size_t)(count + 1) * sizeof *numbers);
  MlirAttribute made = mlirAttributeGetNull();
  bool fits = numbers != NULL;
  for (intptr_t i = 0; i < count && fits; ++i) {
    uint64_t at = (uint64_t)i;
    numbers[i] =
        narrow_number(element, mlirIntegerAttrGetValueInt(mlirElementsAttrGetValue(wide, 1, &at)));
    fits = !mlirAttributeIsNull(numbers[i]);
  }
  if (fits)
    made = mlirDenseElementsAttrGet(type, count, numbers);
  free(numbers);
  return made;
}

// The constant `value` in `type`, which is narrower; null where it is none, or does not fit.
static MlirAttribute narrow_constant(MlirType type, MlirValue value) {
  MlirOperation op = tune_ir_definition(value);
  if (!tune_ir_is(op, "arith.constant"))
    return mlirAttributeGetNull();
  MlirAttribute wide = tune_ir_attribute(op, "value");
  if (!mlirTypeIsAVector(type))
    return mlirAttributeIsAInteger(wide) ? narrow_number(type, mlirIntegerAttrGetValueInt(wide))
                                         : mlirAttributeGetNull();
  return mlirAttributeIsADenseElements(wide) && mlirShapedTypeGetRank(type) == 1
             ? narrow_vector(type, wide)
             : mlirAttributeGetNull();
}

static bool is_extended(MlirValue value) {
  MlirOperation op = tune_ir_definition(value);
  if (!tune_ir_is(op, "arith.extsi"))
    return false;
  MlirType from = tune_ir_element_type(mlirValueGetType(mlirOperationGetOperand(op, 0)));
  unsigned width = mlirIntegerTypeGetWidth(from);
  return width > 1 && width <= 32;
}

static MlirWalkResult find_compare(MlirOperation op, void *user_data) {
  if (!tune_ir_is(op, "arith.cmpi") || (!is_extended(mlirOperationGetOperand(op, 0)) &&
                                        !is_extended(mlirOperationGetOperand(op, 1))))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

// The number that `value` is, or that all elements of it are.
static bool is_number(MlirValue value, int64_t *out_number) {
  MlirOperation op = tune_ir_definition(value);
  if (!tune_ir_is(op, "arith.constant"))
    return false;
  MlirAttribute attribute = tune_ir_attribute(op, "value");
  if (mlirAttributeIsADenseElements(attribute) && mlirDenseElementsAttrIsSplat(attribute))
    attribute = mlirDenseElementsAttrGetSplatValue(attribute);
  if (!mlirAttributeIsAInteger(attribute))
    return false;
  *out_number = mlirIntegerAttrGetValueInt(attribute);
  return true;
}

// Whether `x predicate number` is known, as `number` is none of the type of x: whether it is above
// or below them all. `*out_holds` then says what it is.
static bool is_known(int64_t predicate, bool is_above, bool *out_holds) {
  enum { EQ, NE, SLT, SLE, SGT, SGE };
  bool is_less = predicate == SLT || predicate == SLE;
  *out_holds = predicate == NE || (predicate != EQ && is_less == is_above);
  return predicate <= SGE;
}

// A comparison of x with a constant that x's type does not have: Mesa cuts some of these to it.
static void decide(MlirOperation op, intptr_t side) {
  int64_t number, predicate = mlirIntegerAttrGetValueInt(tune_ir_attribute(op, "predicate"));
  bool holds;
  if (!is_number(mlirOperationGetOperand(op, 1 - side), &number) ||
      !is_known(predicate, (number > 0) == (side == 0), &holds))
    return;
  tune_ir_builder builder = tune_ir_builder_before(op);
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0),
                                tune_ir_build_number(&builder, type, holds));
  mlirOperationDestroy(op);
}

// Extension keeps the order of what it extends, also as unsigned numbers: so all predicates stay.
static void narrow(MlirOperation op) {
  intptr_t side = is_extended(mlirOperationGetOperand(op, 0)) ? 0 : 1;
  MlirValue value =
      mlirOperationGetOperand(tune_ir_definition(mlirOperationGetOperand(op, side)), 0);
  MlirAttribute constant =
      narrow_constant(mlirValueGetType(value), mlirOperationGetOperand(op, 1 - side));
  if (mlirAttributeIsNull(constant)) {
    decide(op, side);
    return;
  }
  tune_ir_builder builder = tune_ir_builder_before(op);
  mlirOperationSetOperand(op, side, value);
  mlirOperationSetOperand(op, 1 - side,
                          tune_ir_build_constant(&builder, mlirValueGetType(value), constant));
}

tune_status tune_extended_compares_narrow(MlirOperation kernels) {
  tune_op_list ops = {0};
  mlirOperationWalk(kernels, find_compare, &ops, MlirWalkPreOrder);
  for (size_t i = 0; i < ops.count && !ops.failed; ++i)
    narrow(ops.ops[i]);
  bool failed = ops.failed;
  tune_op_list_deinit(&ops);
  return failed ? tune_status_out_of_memory("listing comparisons") : TUNE_OK;
}
