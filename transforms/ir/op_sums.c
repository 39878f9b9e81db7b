//===- op_sums.c - Facts of a linalg op, named or generic, as it came --------===//

#include "transforms/ir/op_sums.h"

#include "transforms/ir/ir.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/Dialect/Linalg.h"

#define LOOP_LIMIT 32

// Loops, by their number.
typedef struct loops {
  intptr_t count;
  bool is_of_result[LOOP_LIMIT];
  int64_t size[LOOP_LIMIT]; // 0: not known
} loops;

static void mark_loops(MlirAffineExpr expression, loops *of) {
  if (mlirAffineExprIsADim(expression)) {
    of->is_of_result[mlirAffineDimExprGetPosition(expression)] = true;
  } else if (mlirAffineExprIsABinary(expression)) {
    mark_loops(mlirAffineBinaryOpExprGetLHS(expression), of);
    mark_loops(mlirAffineBinaryOpExprGetRHS(expression), of);
  }
}

static void read_sizes(MlirType type, MlirAffineMap map, loops *of) {
  for (intptr_t i = 0; mlirTypeIsAShaped(type) && i < mlirAffineMapGetNumResults(map); ++i) {
    MlirAffineExpr expression = mlirAffineMapGetResult(map, i);
    if (mlirAffineExprIsADim(expression) && !mlirShapedTypeIsDynamicDim(type, i))
      of->size[mlirAffineDimExprGetPosition(expression)] = mlirShapedTypeGetDimSize(type, i);
  }
}

static bool read_loops(MlirOperation op, intptr_t input_count, loops *out_loops) {
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
  *out_loops = (loops){0};
  if (mlirAttributeIsNull(maps) || !mlirAttributeIsAArray(maps))
    return false;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(maps); ++i) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
    out_loops->count = mlirAffineMapGetNumDims(map);
    if (out_loops->count > LOOP_LIMIT || i >= mlirOperationGetNumOperands(op))
      return false;
    read_sizes(mlirValueGetType(mlirOperationGetOperand(op, i)), map, out_loops);
    for (intptr_t j = 0; i >= input_count && j < mlirAffineMapGetNumResults(map); ++j)
      mark_loops(mlirAffineMapGetResult(map, j), out_loops);
  }
  return true;
}

static bool has_multiplication(MlirBlock body) {
  static const char *const multiplying[] = {"arith.mulf", "arith.muli", NULL};
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is_one_of(op, multiplying))
      return true;
  return false;
}

// Whether a result is its own times something, of floats.
static bool multiplies_up(MlirBlock body, intptr_t first) {
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i) {
    MlirOperation op = tune_ir_definition(mlirOperationGetOperand(yield, i));
    MlirValue so_far = mlirBlockGetArgument(body, first + i);
    if (tune_ir_is(op, "arith.mulf") && (mlirValueEqual(mlirOperationGetOperand(op, 0), so_far) ||
                                         mlirValueEqual(mlirOperationGetOperand(op, 1), so_far)))
      return true;
  }
  return false;
}

static bool only_moves(MlirBlock body) {
  static const char *const converting[] = {"arith.extf",  "arith.truncf", "arith.extsi",
                                           "arith.extui", "arith.trunci", NULL};
  MlirOperation op = mlirBlockGetFirstOperation(body);
  if (tune_ir_is_one_of(op, converting))
    op = mlirOperationGetNextInBlock(op);
  return tune_ir_is(op, "linalg.yield");
}

tune_op_sum tune_op_sum_of(MlirOperation op) {
  MlirAttribute segments = tune_ir_attribute(op, "operandSegmentSizes");
  loops of;
  tune_op_sum sum = {0};
  // Those of a dialect of its own that have such sizes have no body (linalg.pack).
  if (!tune_ir_string_starts(tune_ir_name(op), "linalg.") || mlirOperationGetNumRegions(op) != 1 ||
      mlirBlockIsNull(tune_ir_body(op)))
    return sum;
  // Transposes and broadcasts have one operand of each kind, and say so nowhere.
  sum.input_count = !mlirAttributeIsNull(segments) && mlirAttributeIsADenseI32Array(segments)
                        ? mlirDenseI32ArrayGetElement(segments, 0)
                        : mlirOperationGetNumOperands(op) - 1;
  if (!read_loops(op, sum.input_count, &of))
    return (tune_op_sum){0};
  sum.is_known = true;
  sum.length = 1;
  for (intptr_t i = 0; i < of.count; ++i) {
    if (of.is_of_result[i])
      continue;
    sum.reduces = true;
    sum.length *= of.size[i];
  }
  sum.multiplies = sum.reduces && sum.input_count > 1 && has_multiplication(tune_ir_body(op));
  sum.multiplies_up = sum.reduces && multiplies_up(tune_ir_body(op), sum.input_count);
  sum.moves = !sum.reduces && only_moves(tune_ir_body(op));
  return sum;
}
