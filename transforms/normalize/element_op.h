//===- element_op.h - A linalg.generic in the making ---------------------------------===//
//
// Operands with their maps are added one after the other, and the body is written between: a
// builder is in it.
//
//   tune_element_op op = tune_element_op_begin(&builder);
//   MlirValue x = tune_element_op_add(&op, tensor, map);
//   MlirValue y = tune_ir_build_binary(&op.inside, "arith.mulf", x, x);
//   tune_element_op_add(&op, into, same);
//   MlirValue result = tune_element_op_end(&op, y);
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_ELEMENT_OP_H
#define TUNE_TRANSFORMS_NORMALIZE_ELEMENT_OP_H

#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/AffineMap.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_element_op {
  const tune_ir_builder *outside; // before which the op comes; borrowed
  tune_ir_builder inside;         // at the end of its body
  MlirBlock body;
  intptr_t count;
  MlirValue operands[TUNE_TENSOR_MAX_OPERANDS];
  MlirAffineMap maps[TUNE_TENSOR_MAX_OPERANDS];
} tune_element_op;

tune_element_op tune_element_op_begin(const tune_ir_builder *outside);
// One more operand, at most TUNE_TENSOR_MAX_OPERANDS, read by `map`; its element in the body.
MlirValue tune_element_op_add(tune_element_op *op, MlirValue value, MlirAffineMap map);
// Builds it, with `given` as what it yields. The operand added last is what it writes into. Its
// result.
MlirValue tune_element_op_end(tune_element_op *op, MlirValue given);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_ELEMENT_OP_H
