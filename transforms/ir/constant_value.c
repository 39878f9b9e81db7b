//===- constant_value.c - Analysis: values that are one number ---------------===//

#include "transforms/ir/constant_value.h"

#include "transforms/ir/ir.h"
#include "transforms/ir/ir_builder.h"

#define DEPTH_LIMIT 64

static bool read_number(MlirAttribute value, double *out_number) {
  if (mlirAttributeIsADenseElements(value) && mlirDenseElementsAttrIsSplat(value))
    value = mlirDenseElementsAttrGetSplatValue(value);
  if (mlirAttributeIsAInteger(value)) {
    MlirType type = mlirAttributeGetType(value);
    bool fits = mlirTypeIsAIndex(type) || mlirIntegerTypeGetWidth(type) <= 64;
    bool is_signed = mlirTypeIsAIndex(type) || !mlirIntegerTypeIsUnsigned(type);
    if (!fits)
      return false;
    *out_number = !is_signed ? (double)mlirIntegerAttrGetValueUInt(value)
                  : mlirTypeIsAInteger(type) && mlirIntegerTypeIsSigned(type)
                      ? (double)mlirIntegerAttrGetValueSInt(value)
                      : (double)mlirIntegerAttrGetValueInt(value);
    return true;
  }
  if (!mlirAttributeIsAFloat(value))
    return false;
  *out_number = mlirFloatAttrGetValueDouble(value);
  return true;
}

// What all elements of `value` are taken from, or a null value.
static MlirValue find_origin(MlirValue value) {
  static const char *const repeating[] = {
      "linalg.fill",         "linalg.broadcast",      "linalg.transpose",
      "tensor.expand_shape", "tensor.collapse_shape", "tensor.cast",
      "tensor.splat",        "tensor.extract",        "arith.extf",
      "arith.truncf",        "arith.extsi",           NULL};
  MlirOperation op = tune_ir_definition(value);
  if (mlirOperationIsNull(op)) {
    MlirOperation parent = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
    bool is_structured = tune_ir_string_starts(tune_ir_name(parent), "linalg.");
    intptr_t number = mlirBlockArgumentGetArgNumber(value);
    // An element of what is written may have been added to.
    MlirAttribute segments = tune_ir_attribute(parent, "operandSegmentSizes");
    bool is_input = is_structured && !mlirAttributeIsNull(segments) &&
                    mlirAttributeIsADenseI32Array(segments) &&
                    mlirDenseArrayGetNumElements(segments) == 2 &&
                    number < mlirDenseI32ArrayGetElement(segments, 0);
    return is_input ? mlirOperationGetOperand(parent, number) : (MlirValue){NULL};
  }
  // What a body yields, each element of a result is.
  if (tune_ir_is(op, "linalg.generic") || tune_ir_is(op, "linalg.map"))
    return mlirOperationGetOperand(mlirBlockGetTerminator(tune_ir_body(op)),
                                   mlirOpResultGetResultNumber(value));
  return tune_ir_is_one_of(op, repeating) ? mlirOperationGetOperand(op, 0) : (MlirValue){NULL};
}

static bool read_value(MlirValue value, int depth, double *out_number) {
  if (mlirValueIsNull(value) || depth == DEPTH_LIMIT)
    return false;
  MlirOperation op = tune_ir_definition(value);
  if (tune_ir_is(op, "arith.constant"))
    return read_number(tune_ir_attribute(op, "value"), out_number);
  if (!read_value(find_origin(value), depth + 1, out_number))
    return false;
  if (tune_ir_is(op, "arith.truncf"))
    *out_number = mlirFloatAttrGetValueDouble(mlirFloatAttrDoubleGet(
        mlirOperationGetContext(op), tune_ir_element_type(mlirValueGetType(value)), *out_number));
  return true;
}

bool tune_constant_value(MlirValue value, double *out_number) {
  return read_value(value, 0, out_number);
}

bool tune_constant_exact_value(MlirValue value, double *out_number) {
  const double most = (double)(INT64_C(1) << 53);
  return tune_constant_value(value, out_number) &&
         (mlirTypeIsAFloat(tune_ir_element_type(mlirValueGetType(value))) ||
          (*out_number > -most && *out_number < most));
}
