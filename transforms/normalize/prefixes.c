//===- prefixes.c -------------------------------------------------------===//

#include "transforms/normalize/prefixes.h"

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

enum { LEAST_STEPS = 2 }; // of which a window is less work

//===--- Steps ------------------------------------------------------------------------===//

// `value` shifted by `amount` places along `dimension`, towards its end or its start.
typedef struct shift {
  MlirValue of;
  intptr_t dimension;
  int64_t amount;
  bool is_towards_end;
  MlirOperation first, last; // a slice and a pad, in either order
} shift;

typedef struct step {
  MlirOperation op, combine;
  const tune_combiner *kind;
  shift shifted;
} step;

// All numbers of `name` of `op`, where `operand` on those not known statically are constants.
static bool read_numbers(MlirOperation op, const char *name, intptr_t *operand, intptr_t rank,
                         int64_t *out_numbers) {
  MlirAttribute numbers = tune_ir_attribute(op, name);
  if (mlirAttributeIsNull(numbers) || mlirDenseArrayGetNumElements(numbers) != rank)
    return false;
  for (intptr_t i = 0; i < rank; ++i) {
    out_numbers[i] = mlirDenseI64ArrayGetElement(numbers, i);
    if (out_numbers[i] == mlirShapedTypeGetDynamicSize() &&
        !tune_ir_is_constant_index(mlirOperationGetOperand(op, (*operand)++), &out_numbers[i]))
      return false;
  }
  return true;
}

// Adds to `offsets` by how much `op`, a pad or a slice without strides, moves its operand.
static bool add_offsets(MlirOperation op, intptr_t rank, int64_t *offsets, double neutral) {
  int64_t numbers[TUNE_IR_MAX_RANK];
  intptr_t operand = 1;
  if (tune_ir_is(op, "tensor.pad")) {
    double filled;
    MlirOperation yield = mlirBlockGetTerminator(tune_ir_body(op));
    if (!tune_constant_value(mlirOperationGetOperand(yield, 0), &filled) || filled != neutral ||
        !read_numbers(op, "static_low", &operand, rank, numbers))
      return false;
    for (intptr_t d = 0; d < rank; ++d)
      offsets[d] += numbers[d];
    return true;
  }
  int64_t strides[TUNE_IR_MAX_RANK];
  if (!tune_ir_is(op, "tensor.extract_slice") ||
      mlirShapedTypeGetRank(mlirValueGetType(mlirOperationGetOperand(op, 0))) != rank ||
      !read_numbers(op, "static_offsets", &operand, rank, numbers))
    return false;
  // The sizes are those of the result, which are known.
  if (mlirOperationGetNumOperands(op) != operand ||
      !read_numbers(op, "static_strides", &operand, rank, strides))
    return false;
  for (intptr_t d = 0; d < rank; ++d) {
    if (strides[d] != 1)
      return false;
    offsets[d] -= numbers[d];
  }
  return true;
}

// Whether `value` is a shift, with `neutral` where nothing is shifted to: each element of it is
// that, or the one of `of` that the offsets say, as it can be nothing else if all are of one size
// and what is between is a pad, or a slice that leaves no more than a pad puts there.
static bool find_shift(MlirValue value, double neutral, shift *out) {
  MlirType type = mlirValueGetType(value);
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  int64_t offsets[TUNE_IR_MAX_RANK] = {0};
  out->last = tune_ir_definition(value);
  if (mlirOperationIsNull(out->last) || rank > TUNE_IR_MAX_RANK ||
      !add_offsets(out->last, rank, offsets, neutral))
    return false;
  MlirValue between = mlirOperationGetOperand(out->last, 0);
  out->first = tune_ir_definition(between);
  if (mlirOperationIsNull(out->first) ||
      mlirIdentifierEqual(mlirOperationGetName(out->first), mlirOperationGetName(out->last)) ||
      !mlirShapedTypeHasStaticShape(mlirValueGetType(between)) ||
      !add_offsets(out->first, rank, offsets, neutral))
    return false;
  out->of = mlirOperationGetOperand(out->first, 0);
  if (!mlirTypeEqual(mlirValueGetType(out->of), type))
    return false;
  bool is_found = false, pads_first = tune_ir_is(out->first, "tensor.pad");
  for (intptr_t d = 0; d < rank; ++d) {
    int64_t size = mlirShapedTypeGetDimSize(type, d),
            middle = mlirShapedTypeGetDimSize(mlirValueGetType(between), d),
            amount = offsets[d] < 0 ? -offsets[d] : offsets[d];
    if (amount && amount >= size)
      return false;
    // A slice that is padded has all that stays, one of what is padded all that there is of it.
    if (pads_first ? middle < size + amount : middle != size - amount)
      return false;
    if (!amount)
      continue;
    if (is_found)
      return false;
    is_found = true;
    out->dimension = d;
    out->amount = amount;
    out->is_towards_end = offsets[d] > 0;
  }
  return is_found;
}

static bool reads_as_it_is(MlirAttribute maps, intptr_t rank) {
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(maps); ++i) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
    if (!mlirAffineMapIsIdentity(map) || mlirAffineMapGetNumDims(map) != rank)
      return false;
  }
  return true;
}

// Whether `op` combines each element of two tensors, and nothing else.
static bool find_combination(MlirOperation op, step *out) {
  if (!tune_ir_string_starts(tune_ir_name(op), "linalg.") || mlirOperationGetNumRegions(op) != 1 ||
      mlirOperationGetNumOperands(op) != 3 || mlirOperationGetNumResults(op) != 1)
    return false;
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
  if (mlirAttributeIsNull(maps) || !tune_tensor_is_plain(type) ||
      !reads_as_it_is(maps, (intptr_t)mlirShapedTypeGetRank(type)))
    return false;
  out->op = op;
  out->kind = tune_combiner_find(op, &out->combine);
  return out->kind && mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(op, 0)), type) &&
         mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(op, 1)), type);
}

static bool find_step(MlirOperation op, step *out) {
  if (mlirOperationIsNull(op) || !find_combination(op, out))
    return false;
  for (intptr_t side = 0; side < 2; ++side)
    if (find_shift(mlirOperationGetOperand(op, side), out->kind->neutral, &out->shifted) &&
        mlirValueEqual(out->shifted.of, mlirOperationGetOperand(op, 1 - side)))
      return true;
  return false;
}

//===--- Chains -----------------------------------------------------------------------===//

static bool is_read_by(MlirValue value, MlirOperation one, MlirOperation other) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation owner = mlirOpOperandGetOwner(use);
    if (!mlirOperationEqual(owner, one) && !mlirOperationEqual(owner, other))
      return false;
  }
  return true;
}

// Whether `s` alone reads what it shifts.
static bool is_alone(const step *s) {
  const shift *by = &s->shifted;
  return is_read_by(by->of, s->op, by->first) &&
         is_read_by(mlirOperationGetResult(by->first, 0), by->last, by->last) &&
         is_read_by(mlirOperationGetResult(by->last, 0), s->op, s->op);
}

enum { MOST_STEPS = 62 };

typedef struct chain {
  step steps[MOST_STEPS]; // the last one first
  size_t count;
  int64_t width; // of the window that they make
} chain;

static bool goes_on(const step *s, const step *before) {
  return s->kind == before->kind && s->shifted.dimension == before->shifted.dimension &&
         s->shifted.is_towards_end == before->shifted.is_towards_end &&
         tune_ir_has_same_attributes(s->combine, before->combine);
}

// The steps up to `last`, from where on each shift is by what the steps before it have made one
// window of.
static void find_chain(MlirOperation last, chain *out) {
  out->count = 0;
  while (out->count < MOST_STEPS && find_step(last, &out->steps[out->count])) {
    const step *s = &out->steps[out->count];
    if (out->count && !(goes_on(s - 1, s) && is_alone(s - 1)))
      break;
    ++out->count;
    last = tune_ir_definition(s->shifted.of);
  }
  // Where the first of these do not begin with single elements, those after them may.
  for (bool is_window = false; out->count && !is_window;) {
    out->width = 1;
    is_window = true;
    for (size_t i = out->count; i-- > 0 && is_window;) {
      int64_t amount = out->steps[i].shifted.amount;
      is_window = amount == out->width || (amount < out->width && out->steps[i].kind->is_extremum);
      out->width += amount;
    }
    out->count -= !is_window;
  }
}

//===--- Windows ----------------------------------------------------------------------===//

static MlirValue build_pad(const tune_ir_builder *b, MlirValue value, const shift *along,
                           int64_t border, double neutral) {
  int64_t none[TUNE_IR_MAX_RANK] = {0}, some[TUNE_IR_MAX_RANK] = {0};
  some[along->dimension] = border;
  return along->is_towards_end ? tune_tensor_pad(b, value, some, none, neutral)
                               : tune_tensor_pad(b, value, none, some, neutral);
}

// The maps of an op that combines windows along dimension `dimension` of `rank`.
static void name_loops(MlirContext context, intptr_t rank, intptr_t dimension,
                       MlirAffineMap out_maps[3]) {
  MlirAffineExpr image[TUNE_IR_MAX_RANK], result[TUNE_IR_MAX_RANK],
      window = mlirAffineDimExprGet(context, rank);
  for (intptr_t d = 0; d < rank; ++d) {
    result[d] = mlirAffineDimExprGet(context, d);
    image[d] = d == dimension ? mlirAffineAddExprGet(result[d], window) : result[d];
  }
  out_maps[0] = mlirAffineMapGet(context, rank + 1, 0, rank, image);
  out_maps[1] = mlirAffineMapGet(context, rank + 1, 0, 1, &window);
  out_maps[2] = mlirAffineMapGet(context, rank + 1, 0, rank, result);
}

static MlirOperation build_window(const chain *c) {
  const step *last = &c->steps[0];
  const shift *along = &last->shifted;
  MlirValue from = c->steps[c->count - 1].shifted.of;
  tune_ir_builder b = tune_ir_builder_before(last->op);
  MlirType type = mlirValueGetType(from), element = mlirShapedTypeGetElementType(type);
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  int64_t size = mlirShapedTypeGetDimSize(type, along->dimension),
          width = c->width < size ? c->width : size;
  MlirType windows = mlirRankedTensorTypeGet(1, &width, element, (MlirAttribute){NULL});
  MlirValue operands[] = {build_pad(&b, from, along, width - 1, last->kind->neutral),
                          tune_ir_build_value(&b, "tensor.empty", windows, 0, NULL),
                          tune_ir_build_value(&b, "tensor.empty", type, 0, NULL)};
  MlirValue neutral = tune_ir_build_number(&b, element, last->kind->neutral);
  operands[2] = mlirOperationGetResult(tune_ir_build_fill(&b, neutral, operands[2]), 0);
  MlirAffineMap maps[3];
  name_loops(b.context, rank, along->dimension, maps);
  MlirOperation window =
      tune_tensor_generic(&b, 3, operands, maps, tune_combiner_build_body(&b, last->combine, 2));
  tune_ir_copy_attributes(last->op, window);
  return window;
}

// Takes the steps away: where a schedule is applied it counts the ops that are there.
static void drop(const chain *c) {
  for (size_t i = 0; i < c->count; ++i) {
    const step *s = &c->steps[i];
    mlirOperationDestroy(s->op);
    if (tune_ir_is_used(s->shifted.last))
      continue;
    mlirOperationDestroy(s->shifted.last);
    if (!tune_ir_is_used(s->shifted.first))
      mlirOperationDestroy(s->shifted.first);
  }
}

static MlirWalkResult list_op(MlirOperation op, void *user_data) {
  step found;
  return !find_step(op, &found) || tune_op_list_add(user_data, op) ? MlirWalkResultAdvance
                                                                   : MlirWalkResultInterrupt;
}

// Takes the steps of `c` out of the first `end` of `ops`.
static void forget(tune_op_list *ops, size_t end, const chain *c) {
  for (size_t i = 0; i < end; ++i)
    for (size_t s = 0; s < c->count; ++s)
      if (!mlirOperationIsNull(ops->ops[i]) && mlirOperationEqual(ops->ops[i], c->steps[s].op))
        ops->ops[i] = (MlirOperation){NULL};
}

bool tune_normalize_prefixes(MlirOperation root) {
  static const char *const DIALECTS[] = {"arith", "linalg", "tensor", NULL};
  tune_op_list ops = {0};
  mlirOperationWalk(root, list_op, &ops, MlirWalkPreOrder);
  // The last steps first, which end the longest chains.
  for (size_t i = ops.count; i-- > 0;) {
    chain found;
    if (mlirOperationIsNull(ops.ops[i]))
      continue;
    find_chain(ops.ops[i], &found);
    if (found.count < LEAST_STEPS)
      continue;
    tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(ops.ops[i], 0),
                                  mlirOperationGetResult(build_window(&found), 0));
    forget(&ops, i, &found);
    drop(&found);
  }
  tune_op_list_deinit(&ops);
  return !ops.failed;
}
