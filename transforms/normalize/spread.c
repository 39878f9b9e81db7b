//===- spread.c -------------------------------------------------------------------===//

#include "transforms/normalize/spread.h"

#include "transforms/ir/constant_value.h"
#include "transforms/normalize/tensor_ops.h"
#include "transforms/structure/nest_body.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

bool tune_spread_sums_products(MlirOperation op) {
  if (!tune_ir_string_starts(tune_ir_name(op), "linalg.") || mlirOperationGetNumRegions(op) != 1 ||
      mlirOperationGetNumOperands(op) != TUNE_SPREAD_OPERANDS ||
      mlirOperationGetNumResults(op) != 1 || mlirBlockIsNull(tune_ir_body(op)))
    return false;
  tune_nest nest = {
      .kind = TUNE_NEST_GENERIC, .input_count = 2, .operand_count = TUNE_SPREAD_OPERANDS};
  tune_nest_body_read(op, &nest);
  return nest.multiplies_and_adds;
}

static MlirWalkResult list_product(MlirOperation op, void *user_data) {
  return !tune_spread_sums_products(op) || tune_op_list_add(user_data, op)
             ? MlirWalkResultAdvance
             : MlirWalkResultInterrupt;
}

void tune_spread_list_products(MlirOperation root, tune_op_list *out) {
  mlirOperationWalk(root, list_product, out, MlirWalkPreOrder);
}

bool tune_spread_find(MlirValue value, tune_spread *out_spread) {
  MlirOperation insert = tune_ir_definition(value);
  double filled;
  // Without operands but the two tensors, all numbers are known.
  if (!tune_ir_is(insert, "tensor.insert_slice") || mlirOperationGetNumOperands(insert) != 2 ||
      !tune_constant_value(mlirOperationGetOperand(insert, 1), &filled) || filled != 0)
    return false;
  MlirValue source = mlirOperationGetOperand(insert, 0);
  MlirType from = mlirValueGetType(source), to = mlirValueGetType(value);
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(to);
  if (!tune_tensor_is_plain(from) || !tune_tensor_is_plain(to) ||
      mlirShapedTypeGetRank(from) != rank ||
      !tune_tensor_read_numbers(insert, "static_offsets", rank, out_spread->offsets) ||
      !tune_tensor_read_numbers(insert, "static_strides", rank, out_spread->steps))
    return false;
  bool is_apart = false;
  for (intptr_t d = 0; d < rank; ++d) {
    int64_t size = mlirShapedTypeGetDimSize(from, d);
    out_spread->sizes[d] = size;
    out_spread->whole_sizes[d] = mlirShapedTypeGetDimSize(to, d);
    // The only element along a dimension is in no steps.
    if (size == 1)
      out_spread->steps[d] = 1;
    if (size == 0 || out_spread->steps[d] < 1 || out_spread->offsets[d] < 0)
      return false;
    is_apart |= out_spread->steps[d] > 1;
  }
  out_spread->source = source;
  out_spread->rank = rank;
  return is_apart;
}

void tune_spread_drop(MlirOperation op) {
  static const char *const filling[] = {"tensor.insert_slice", "linalg.fill", "linalg.generic",
                                        "tensor.empty", NULL};
  // Products are in the lists of others.
  while (tune_ir_is_one_of(op, filling) && !tune_spread_sums_products(op) && !tune_ir_is_used(op)) {
    intptr_t count = mlirOperationGetNumOperands(op);
    MlirOperation before =
        count ? tune_ir_definition(mlirOperationGetOperand(op, count - 1)) : (MlirOperation){NULL};
    mlirOperationDestroy(op);
    op = before;
  }
}
