//===- argument_sizes.c -------------------------------------------------------===//

#include "dialects/argument_sizes.h"

#include "dialects/arguments.h"
#include "dialects/diagnostic.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

static bool is_function(MlirOperation op) {
  return mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)),
                            mlirStringRefCreateFromCString("func.func"));
}

MlirStringRef tune_argument_get_dim(MlirOperation function, intptr_t index, intptr_t dimension) {
  MlirAttribute all = tune_argument_attribute(function, index, TUNE_DIM_ATTRIBUTE);
  if (mlirAttributeIsNull(all) || !mlirAttributeIsAArray(all) ||
      dimension >= mlirArrayAttrGetNumElements(all))
    return (MlirStringRef){NULL, 0};
  MlirAttribute text = mlirArrayAttrGetElement(all, dimension);
  if (!mlirAttributeIsAString(text) || mlirStringAttrGetValue(text).length == 0)
    return (MlirStringRef){NULL, 0};
  return mlirStringAttrGetValue(text);
}

bool tune_argument_get_measured_size(MlirOperation function, intptr_t index, intptr_t dimension,
                                     int64_t *out_size) {
  MlirAttribute shape = tune_argument_attribute(function, index, TUNE_MEASURED_AT_ATTRIBUTE);
  if (mlirAttributeIsNull(shape) || !mlirAttributeIsADenseI64Array(shape) ||
      dimension >= mlirDenseArrayGetNumElements(shape))
    return false;
  *out_size = mlirDenseI64ArrayGetElement(shape, dimension);
  return true;
}

MlirAttribute tune_argument_make_measured_at(MlirContext context, const int64_t *shape,
                                             size_t rank) {
  return mlirDenseI64ArrayGet(context, (intptr_t)rank, shape);
}

static bool has_shape(MlirType type) {
  return mlirTypeIsARankedTensor(type) || mlirTypeIsAMemRef(type);
}

static tune_status verify_dim(MlirOperation function, intptr_t index, MlirType type) {
  MlirAttribute all = tune_argument_attribute(function, index, TUNE_DIM_ATTRIBUTE);
  if (mlirAttributeIsNull(all))
    return TUNE_OK;
  bool is_list = has_shape(type) && mlirAttributeIsAArray(all) &&
                 mlirArrayAttrGetNumElements(all) == mlirShapedTypeGetRank(type);
  for (intptr_t d = 0; is_list && d < mlirShapedTypeGetRank(type); ++d)
    is_list = mlirAttributeIsAString(mlirArrayAttrGetElement(all, d));
  if (!is_list)
    return tune_status_make_at(
        TUNE_INVALID_ARGUMENT, function,
        TUNE_DIM_ATTRIBUTE
        " of argument %zd is a list with a text for each dimension of a tensor, as "
        "[\"1:0.5,64,128-512\", \"\"]",
        index);
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d)
    if (!mlirShapedTypeIsDynamicDim(type, d) && tune_argument_get_dim(function, index, d).data)
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                                 TUNE_DIM_ATTRIBUTE " of argument %zd: dimension %zd has one size, "
                                                    "%lld; its text is to be empty",
                                 index, d, (long long)mlirShapedTypeGetDimSize(type, d));
  return TUNE_OK;
}

static tune_status verify_measured_at(MlirOperation function, intptr_t index, MlirType type) {
  MlirAttribute shape = tune_argument_attribute(function, index, TUNE_MEASURED_AT_ATTRIBUTE);
  if (mlirAttributeIsNull(shape))
    return TUNE_OK;
  bool is_shape = has_shape(type) && mlirAttributeIsADenseI64Array(shape) &&
                  mlirDenseArrayGetNumElements(shape) == mlirShapedTypeGetRank(type);
  for (intptr_t d = 0; is_shape && d < mlirShapedTypeGetRank(type); ++d) {
    int64_t size = mlirDenseI64ArrayGetElement(shape, d);
    is_shape = mlirShapedTypeIsDynamicDim(type, d) ? size > 0 && size <= INT32_MAX
                                                   : size == mlirShapedTypeGetDimSize(type, d);
  }
  return is_shape ? TUNE_OK
                  : tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                                        TUNE_MEASURED_AT_ATTRIBUTE
                                        " of argument %zd is a shape that its type allows, as "
                                        "array<i64: 128, 64> of tensor<?x64xf32>",
                                        index);
}

static MlirWalkResult verify_op(MlirOperation op, void *user_data) {
  tune_status *status = user_data;
  if (!is_function(op))
    return MlirWalkResultAdvance;
  MlirType type = mlirTypeAttrGetValue(
      mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("function_type")));
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type) && tune_status_is_ok(*status); ++i) {
    MlirType input = mlirFunctionTypeGetInput(type, i);
    *status = verify_dim(op, i, input);
    if (tune_status_is_ok(*status))
      *status = verify_measured_at(op, i, input);
  }
  return tune_status_is_ok(*status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

tune_status tune_argument_sizes_verify(MlirOperation root) {
  tune_status status = TUNE_OK;
  mlirOperationWalk(root, verify_op, &status, MlirWalkPreOrder);
  return status;
}
