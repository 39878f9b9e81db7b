//===- sums.c -------------------------------------------------------------===//

#include "transforms/normalize/sums.h"

#include "transforms/ir/constant_value.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/normalize/combiner.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Dialect/Linalg.h"

#include <stdint.h>

//===--- Reductions -------------------------------------------------------------------===//

// An op that combines what it reads along some dimensions with what it began with.
typedef struct reduction {
  MlirOperation op, combine;
  const tune_combiner *kind;
  MlirValue input, result;
  intptr_t rank;
  bool reduces[TUNE_IR_MAX_RANK]; // the dimensions of the input
  double initial;
} reduction;

// Whether `op` reads its input as it lies, and writes the dimensions that are left in their order.
static bool find_dimensions(MlirOperation op, reduction *out) {
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
  if (mlirAttributeIsNull(maps) || mlirArrayAttrGetNumElements(maps) != 2)
    return false;
  MlirAffineMap from = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, 0)),
                to = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, 1));
  out->rank = mlirAffineMapGetNumDims(from);
  if (!mlirAffineMapIsIdentity(from) || out->rank > TUNE_IR_MAX_RANK)
    return false;
  for (intptr_t d = 0; d < out->rank; ++d)
    out->reduces[d] = true;
  int64_t last = -1;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(to); ++i) {
    MlirAffineExpr index = mlirAffineMapGetResult(to, i);
    if (!mlirAffineExprIsADim(index) || mlirAffineDimExprGetPosition(index) <= last)
      return false;
    last = mlirAffineDimExprGetPosition(index);
    out->reduces[last] = false;
  }
  return mlirAffineMapGetNumResults(to) < out->rank;
}

// Whether what `op` begins with is one number, which a double holds.
static bool find_initial(MlirOperation op, reduction *out) {
  return tune_constant_exact_value(mlirOperationGetOperand(op, 1), &out->initial);
}

static bool find_reduction(MlirOperation op, reduction *out) {
  if (mlirOperationIsNull(op) ||
      (!tune_ir_is(op, "linalg.reduce") && !tune_ir_is(op, "linalg.generic")) ||
      mlirOperationGetNumOperands(op) != 2 || mlirOperationGetNumResults(op) != 1)
    return false;
  out->op = op;
  out->kind = tune_combiner_find(op, &out->combine);
  out->input = mlirOperationGetOperand(op, 0);
  out->result = mlirOperationGetResult(op, 0);
  return out->kind && tune_tensor_is_plain(mlirValueGetType(out->input)) &&
         tune_tensor_is_plain(mlirValueGetType(out->result)) && find_dimensions(op, out) &&
         find_initial(op, out);
}

//===--- Pairs ------------------------------------------------------------------------===//

// The next dimension of `type` from `d` on that is not 1, or its rank.
static intptr_t next_dimension(MlirType type, intptr_t d) {
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  while (d < rank && mlirShapedTypeGetDimSize(type, d) == 1)
    ++d;
  return d;
}

// Whether both types have the same dimensions, but for those of size 1.
static bool differs_in_ones(MlirType a, MlirType b) {
  intptr_t i = next_dimension(a, 0), j = next_dimension(b, 0);
  while (i < mlirShapedTypeGetRank(a) && j < mlirShapedTypeGetRank(b)) {
    if (mlirShapedTypeGetDimSize(a, i) != mlirShapedTypeGetDimSize(b, j))
      return false;
    i = next_dimension(a, i + 1);
    j = next_dimension(b, j + 1);
  }
  return i == mlirShapedTypeGetRank(a) && j == mlirShapedTypeGetRank(b);
}

// What `value` is made of by reshapes that add and take away dimensions of size 1, each read once.
static MlirValue before_reshapes(MlirValue value) {
  for (;;) {
    MlirOperation op = tune_ir_definition(value);
    if ((!tune_ir_is(op, "tensor.expand_shape") && !tune_ir_is(op, "tensor.collapse_shape")) ||
        !tune_ir_has_one_use(value) ||
        !differs_in_ones(mlirValueGetType(value), mlirValueGetType(mlirOperationGetOperand(op, 0))))
      return value;
    value = mlirOperationGetOperand(op, 0);
  }
}

// Finds which dimensions of the input of `first` both reduce. Those of size 1 are reduced, too.
// False where there are dimensions between them that are left.
static bool find_all(const reduction *first, const reduction *second, bool *out_reduces) {
  MlirType from = mlirValueGetType(first->input), to = mlirValueGetType(second->input);
  intptr_t at = next_dimension(to, 0);
  bool is_begun = false, is_ended = false;
  for (intptr_t d = next_dimension(from, 0); d < first->rank; d = next_dimension(from, d + 1)) {
    out_reduces[d] = first->reduces[d];
    if (!first->reduces[d]) {
      out_reduces[d] = second->reduces[at];
      at = next_dimension(to, at + 1);
    }
    if (out_reduces[d] && is_ended)
      return false;
    is_begun |= out_reduces[d];
    is_ended |= is_begun && !out_reduces[d];
  }
  return true;
}

//===--- One op -----------------------------------------------------------------------===//

// `value` with dimensions of size 1 more, as `type` has them.
static MlirValue expand(const tune_ir_builder *b, MlirValue value, MlirType type) {
  MlirType from = mlirValueGetType(value);
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  if (mlirTypeEqual(from, type))
    return value;
  // The ones before the first dimension are with it, others with the one before them.
  intptr_t members[TUNE_IR_MAX_RANK] = {0}, group = 0;
  int64_t sizes[TUNE_IR_MAX_RANK];
  bool has_dimension = false;
  for (intptr_t d = 0; d < rank; ++d) {
    sizes[d] = mlirShapedTypeGetDimSize(type, d);
    group += sizes[d] != 1 && has_dimension;
    has_dimension |= sizes[d] != 1;
    members[group] += 1;
  }
  return tune_tensor_reshape(b, value, rank, sizes, members);
}

// The op that reduces both, before `second`; its result is as that of `second`.
static MlirValue build(const reduction *first, const reduction *second, const bool *reduces,
                       MlirOperation *out_op) {
  tune_ir_builder b = tune_ir_builder_before(second->op);
  MlirContext context = b.context;
  MlirType input = mlirValueGetType(first->input), result = mlirValueGetType(second->result);
  int64_t sizes[TUNE_IR_MAX_RANK];
  MlirAffineExpr left[TUNE_IR_MAX_RANK];
  intptr_t count = 0;
  for (intptr_t d = 0; d < first->rank; ++d) {
    if (reduces[d])
      continue;
    sizes[count] = mlirShapedTypeGetDimSize(input, d);
    left[count++] = mlirAffineDimExprGet(context, d);
  }
  MlirType element = tune_ir_element_type(result),
           type = mlirRankedTensorTypeGet(count, sizes, element, (MlirAttribute){NULL});
  MlirValue empty = tune_ir_build_value(&b, "tensor.empty", type, 0, NULL),
            initial = tune_ir_build_number(&b, element, second->initial);
  MlirValue operands[] = {first->input,
                          mlirOperationGetResult(tune_ir_build_fill(&b, initial, empty), 0)};
  MlirAffineMap maps[] = {mlirAffineMapMultiDimIdentityGet(context, first->rank),
                          mlirAffineMapGet(context, first->rank, 0, count, left)};
  *out_op =
      tune_tensor_generic(&b, 2, operands, maps, tune_combiner_build_body(&b, second->combine, 1));
  tune_ir_copy_attributes(second->op, *out_op);
  return expand(&b, mlirOperationGetResult(*out_op, 0), result);
}

// Takes `second` away, what reshapes for it, and `first`.
static void drop(MlirOperation second, MlirOperation first) {
  MlirOperation op = second;
  for (;;) {
    MlirOperation before = tune_ir_definition(mlirOperationGetOperand(op, 0));
    bool is_last = mlirOperationEqual(op, first);
    mlirOperationDestroy(op);
    if (is_last)
      return;
    op = before;
  }
}

// Joins `op` with what it reduces the result of. The op that both become, or a null one.
static MlirOperation join(MlirOperation op, MlirOperation *out_first) {
  reduction first, second;
  bool reduces[TUNE_IR_MAX_RANK];
  const MlirOperation none = {NULL};
  if (!find_reduction(op, &second))
    return none;
  MlirValue between = before_reshapes(second.input);
  // What is reduced ahead of a loop is not to be reduced in each of its turns.
  if (!find_reduction(tune_ir_definition(between), &first) || !tune_ir_has_one_use(between) ||
      !mlirBlockEqual(mlirOperationGetBlock(first.op), mlirOperationGetBlock(op)) ||
      first.kind != second.kind || first.initial != first.kind->neutral ||
      !tune_ir_has_same_attributes(first.combine, second.combine))
    return none;
  for (intptr_t d = 0; d < first.rank; ++d)
    reduces[d] = true;
  if (!find_all(&first, &second, reduces))
    return none;
  static const char *const DIALECTS[] = {"arith", "linalg", "tensor", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(op), DIALECTS);
  MlirOperation joined;
  mlirValueReplaceAllUsesOfWith(second.result, build(&first, &second, reduces, &joined));
  *out_first = first.op;
  drop(second.op, first.op);
  return joined;
}

static MlirWalkResult list_op(MlirOperation op, void *user_data) {
  reduction found;
  return !find_reduction(op, &found) || tune_op_list_add(user_data, op) ? MlirWalkResultAdvance
                                                                        : MlirWalkResultInterrupt;
}

static void forget(tune_op_list *ops, MlirOperation op) {
  for (size_t i = 0; i < ops->count; ++i)
    if (mlirOperationEqual(ops->ops[i], op))
      ops->ops[i] = (MlirOperation){NULL};
}

bool tune_normalize_sums(MlirOperation root) {
  tune_op_list ops = {0};
  mlirOperationWalk(root, list_op, &ops, MlirWalkPreOrder);
  // From the last of each chain back.
  for (size_t i = ops.count; i-- > 0;) {
    MlirOperation op = ops.ops[i], first;
    while (!mlirOperationIsNull(op) && !mlirOperationIsNull(op = join(op, &first)))
      forget(&ops, first);
  }
  tune_op_list_deinit(&ops);
  return !ops.failed;
}
