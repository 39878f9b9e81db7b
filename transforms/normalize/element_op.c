//===- element_op.c ---------------------------------------------------------------===//

#include "transforms/normalize/element_op.h"

tune_element_op tune_element_op_begin(const tune_ir_builder *outside) {
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  return (tune_element_op){
      .outside = outside, .inside = tune_ir_builder_at_end(body, outside->location), .body = body};
}

MlirValue tune_element_op_add(tune_element_op *op, MlirValue value, MlirAffineMap map) {
  op->operands[op->count] = value;
  op->maps[op->count++] = map;
  return mlirBlockAddArgument(op->body, tune_ir_element_type(mlirValueGetType(value)),
                              op->outside->location);
}

MlirValue tune_element_op_end(tune_element_op *op, MlirValue given) {
  tune_ir_build(&op->inside,
                &(tune_ir_parts){.name = "linalg.yield", .operand_count = 1, .operands = &given});
  return mlirOperationGetResult(tune_tensor_generic(op->outside, op->count, op->operands, op->maps,
                                                    tune_ir_make_region(op->body)),
                                0);
}
