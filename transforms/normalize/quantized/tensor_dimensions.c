//===- tensor_dimensions.c ------------------------------------------------------------===//

#include "transforms/normalize/quantized/tensor_dimensions.h"

#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

void tune_tensor_dimensions_of_operand(const tune_nest_maps *n, intptr_t operand,
                                       const intptr_t *dimensions, intptr_t *out_dimensions) {
  MlirAffineMap result = tune_nest_maps_result(n), map = n->maps[operand];
  for (intptr_t d = 0; d < TUNE_IR_MAX_RANK; ++d) {
    intptr_t loop = d < mlirAffineMapGetNumResults(map) ? tune_nest_maps_loop(map, d) : -1;
    out_dimensions[d] = -1;
    for (intptr_t r = 0; loop >= 0 && r < mlirAffineMapGetNumResults(result); ++r)
      if (tune_nest_maps_loop(result, r) == loop)
        out_dimensions[d] = dimensions[r];
  }
}

// Where the only one of the `count` dimensions of `type` from `first` on is that is not of size 1;
// -1: there is none, -2: there are several.
static intptr_t only_dimension(MlirType type, intptr_t first, intptr_t count) {
  intptr_t found = -1;
  for (intptr_t d = first; d < first + count; ++d)
    if (mlirShapedTypeGetDimSize(type, d) != 1)
      found = found == -1 ? d : -2;
  return found;
}

bool tune_tensor_dimensions_before_reshape(MlirOperation op, const intptr_t *dimensions,
                                           intptr_t *out_dimensions) {
  bool expands = tune_ir_is(op, "tensor.expand_shape");
  if (mlirOperationGetNumOperands(op) != 1)
    return false;
  MlirType from = mlirValueGetType(mlirOperationGetOperand(op, 0)),
           to = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (!tune_tensor_is_plain(from) || !tune_tensor_is_plain(to))
    return false;
  MlirAttribute groups = tune_ir_attribute(op, "reassociation");
  intptr_t first = 0;
  for (intptr_t d = 0; d < TUNE_IR_MAX_RANK; ++d)
    out_dimensions[d] = -1;
  for (intptr_t g = 0; g < mlirArrayAttrGetNumElements(groups); ++g) {
    intptr_t count = mlirArrayAttrGetNumElements(mlirArrayAttrGetElement(groups, g));
    intptr_t only = only_dimension(expands ? to : from, first, count);
    if (only >= 0)
      out_dimensions[expands ? g : only] = dimensions[expands ? only : g];
    first += count;
  }
  return true;
}
