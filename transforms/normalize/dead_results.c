//===- dead_results.c ---------------------------------------------------------------===//

#include "transforms/normalize/dead_results.h"

#include "transforms/ir/op_list.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/AffineMap.h"
#include "mlir-c/Dialect/Linalg.h"

enum { MOST_STEPS = 5 }; // from a value to who reads what is made of it

// An op, and which of its results is the only one that is read.
typedef struct candidate {
  MlirOperation op;
  intptr_t results, inputs, kept;
} candidate;

static bool is_read(MlirOperation op, intptr_t result) {
  return !mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(op, result)));
}

// Whether `op` writes all results by one map, and reads no more operands than can be built.
static bool has_one_map(const candidate *c) {
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(c->op);
  intptr_t count = mlirOperationGetNumOperands(c->op);
  if (mlirAttributeIsNull(maps) || mlirArrayAttrGetNumElements(maps) != count ||
      count > TUNE_IR_MAX_RANK)
    return false;
  for (intptr_t r = 1; r < c->results; ++r)
    if (!mlirAttributeEqual(mlirArrayAttrGetElement(maps, c->inputs),
                            mlirArrayAttrGetElement(maps, c->inputs + r)))
      return false;
  MlirAffineMap map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, c->inputs));
  return mlirAffineMapGetNumDims(map) <= TUNE_IR_MAX_LOOPS;
}

static bool find(MlirOperation op, candidate *out) {
  *out = (candidate){.op = op, .results = mlirOperationGetNumResults(op), .kept = -1};
  out->inputs = mlirOperationGetNumOperands(op) - out->results;
  if (!tune_ir_is(op, "linalg.generic") || out->results < 2 || out->inputs < 1)
    return false;
  for (intptr_t r = 0; r < out->results; ++r) {
    if (!is_read(op, r))
      continue;
    if (out->kept >= 0)
      return false;
    out->kept = r;
  }
  return out->kept >= 0 && has_one_map(out);
}

// Takes away what nothing in `block` reads any more, from its end on.
static void sweep(MlirBlock block) {
  tune_op_list ops = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    tune_op_list_add(&ops, op);
  for (size_t i = ops.count; i-- > 0;)
    if (mlirOperationGetNumResults(ops.ops[i]) > 0 && !tune_ir_is_used(ops.ops[i]))
      mlirOperationDestroy(ops.ops[i]);
  tune_op_list_deinit(&ops);
}

// The body with the kept result only; a null one where that depends on the others.
static MlirRegion make_body(const candidate *c) {
  MlirRegion region = tune_ir_clone_region(c->op);
  MlirBlock block = mlirRegionGetFirstBlock(region);
  MlirOperation yield = mlirBlockGetTerminator(block);
  MlirValue kept = mlirOperationGetOperand(yield, c->kept);
  mlirOperationSetOperands(yield, 1, &kept);
  sweep(block);
  for (intptr_t r = c->results; r-- > 0;) {
    if (r == c->kept)
      continue;
    intptr_t argument = c->inputs + r;
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(block, argument)))) {
      mlirRegionDestroy(region);
      return (MlirRegion){NULL};
    }
    mlirBlockEraseArgument(block, (unsigned)argument);
  }
  return region;
}

static void keep_one(const candidate *c) {
  MlirRegion region = make_body(c);
  if (mlirRegionIsNull(region))
    return;
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(c->op);
  MlirValue operands[TUNE_IR_MAX_RANK];
  MlirAffineMap kept[TUNE_IR_MAX_RANK];
  for (intptr_t o = 0; o <= c->inputs; ++o) {
    intptr_t from = o < c->inputs ? o : c->inputs + c->kept;
    operands[o] = mlirOperationGetOperand(c->op, from);
    kept[o] = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, from));
  }
  tune_ir_builder b = tune_ir_builder_before(c->op);
  MlirOperation op = tune_tensor_generic(&b, c->inputs + 1, operands, kept, region);
  tune_ir_copy_attributes(c->op, op);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(c->op, c->kept),
                                mlirOperationGetResult(op, 0));
  mlirOperationDestroy(c->op);
}

// Ops that read `value`, each once; those that are only moved or computed on are followed.
static void list_readers(MlirValue value, int depth, tune_op_list *out) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    candidate found;
    if (find(op, &found))
      tune_op_list_add_once(out, op);
    else if (depth > 0 && mlirOperationGetNumResults(op) == 1 &&
             (tune_ir_is(op, "linalg.generic") || tune_ir_is(op, "tensor.expand_shape") ||
              tune_ir_is(op, "tensor.collapse_shape")))
      list_readers(mlirOperationGetResult(op, 0), depth - 1, out);
  }
}

bool tune_dead_results_drop(MlirValue value) {
  tune_op_list ops = {0};
  list_readers(value, MOST_STEPS, &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    candidate found;
    if (find(ops.ops[i], &found))
      keep_one(&found);
  }
  tune_op_list_deinit(&ops);
  return !ops.failed;
}
