//===- loop_range.c -----------------------------------------------------------===//

#include "transforms/lower/common/loop_range.h"

#include "transforms/ir/ir_builder.h"

#include "mlir-c/BuiltinAttributes.h"

bool tune_loop_range_read_for(MlirOperation loop, tune_loop_range *out) {
  if (!tune_ir_is(loop, "scf.for"))
    return false;
  *out = (tune_loop_range){.loop = loop, .index = mlirBlockGetArgument(tune_ir_body(loop), 0)};
  return tune_ir_is_constant_index(mlirOperationGetOperand(loop, 0), &out->from) &&
         tune_ir_is_constant_index(mlirOperationGetOperand(loop, 1), &out->to) &&
         tune_ir_is_constant_index(mlirOperationGetOperand(loop, 2), &out->step) && out->step > 0;
}

bool tune_loop_range_read_forall(MlirOperation loop, intptr_t dimension, tune_loop_range *out) {
  static const char *const NAMES[] = {"staticLowerBound", "staticUpperBound", "staticStep"};
  int64_t bounds[3];
  if (!tune_ir_is(loop, "scf.forall") || mlirOperationGetNumOperands(loop) > 0)
    return false;
  for (size_t i = 0; i < 3; ++i) {
    MlirAttribute all = tune_ir_attribute(loop, NAMES[i]);
    if (mlirAttributeIsNull(all) || mlirDenseArrayGetNumElements(all) <= dimension)
      return false;
    bounds[i] = mlirDenseI64ArrayGetElement(all, dimension);
  }
  *out = (tune_loop_range){.loop = loop,
                           .index = mlirBlockGetArgument(tune_ir_body(loop), dimension),
                           .from = bounds[0],
                           .to = bounds[1],
                           .step = bounds[2]};
  return out->step > 0;
}

int64_t tune_loop_range_count(const tune_loop_range *range) {
  return range->to <= range->from ? 0 : (range->to - range->from - 1) / range->step + 1;
}
