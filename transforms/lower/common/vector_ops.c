//===- vector_ops.c - Building ops on vectors --------------------------------===//

#include "transforms/lower/common/vector_ops.h"

#include "transforms/ir/ir.h"

static MlirNamedAttribute integer_array(MlirContext context, const char *name, int64_t value) {
  MlirType i64 = mlirIntegerTypeGet(context, 64);
  MlirAttribute element = mlirIntegerAttrGet(i64, value);
  return tune_ir_named(context, name, mlirArrayAttrGet(context, 1, &element));
}

static MlirNamedAttribute position(MlirContext context, int64_t at) {
  return tune_ir_named(context, "static_position", mlirDenseI64ArrayGet(context, 1, &at));
}

MlirValue tune_vector_op_make(MlirOperation place, const char *name, intptr_t operand_count,
                              const MlirValue *operands, MlirType type, intptr_t attribute_count,
                              const MlirNamedAttribute *attributes) {
  MlirOperationState state =
      mlirOperationStateGet(tune_ir_string(name), mlirOperationGetLocation(place));
  mlirOperationStateAddOperands(&state, operand_count, operands);
  mlirOperationStateAddResults(&state, 1, &type);
  mlirOperationStateAddAttributes(&state, attribute_count, attributes);
  MlirOperation op = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(place), place, op);
  return mlirOperationGetResult(op, 0);
}

MlirValue tune_vector_op_take_lanes(MlirOperation place, MlirValue vector, int64_t at,
                                    int64_t lanes) {
  MlirContext context = mlirOperationGetContext(place);
  MlirType type = mlirValueGetType(vector);
  MlirType element = mlirShapedTypeGetElementType(type);
  if (mlirShapedTypeGetDimSize(type, 0) == lanes && lanes > 1)
    return vector;
  if (lanes == 1) {
    MlirNamedAttribute attribute = position(context, at);
    return tune_vector_op_make(place, "vector.extract", 1, &vector, element, 1, &attribute);
  }
  MlirNamedAttribute attributes[] = {integer_array(context, "offsets", at),
                                     integer_array(context, "sizes", lanes),
                                     integer_array(context, "strides", 1)};
  return tune_vector_op_make(place, "vector.extract_strided_slice", 1, &vector,
                             mlirVectorTypeGet(1, &lanes, element), 3, attributes);
}

MlirValue tune_vector_op_put_lanes(MlirOperation place, MlirValue part, MlirValue vector,
                                   int64_t at, int64_t lanes) {
  MlirContext context = mlirOperationGetContext(place);
  MlirType type = mlirValueGetType(vector);
  MlirValue operands[] = {part, vector};
  if (mlirShapedTypeGetDimSize(type, 0) == lanes && lanes > 1)
    return part;
  if (lanes == 1) {
    MlirNamedAttribute attribute = position(context, at);
    return tune_vector_op_make(place, "vector.insert", 2, operands, type, 1, &attribute);
  }
  MlirNamedAttribute attributes[] = {integer_array(context, "offsets", at),
                                     integer_array(context, "strides", 1)};
  return tune_vector_op_make(place, "vector.insert_strided_slice", 2, operands, type, 2,
                             attributes);
}
