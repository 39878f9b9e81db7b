//===- scores_finish.c ----------------------------------------------------------------===//

#include "transforms/normalize/attention/scores_finish.h"

#include "transforms/ir/constant_value.h"
#include "transforms/ir/op_list.h"
#include "transforms/normalize/attention/attention_keys.h"
#include "transforms/normalize/spread.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinTypes.h"

enum { OPERANDS = TUNE_NEST_MAPS_OPERANDS, MOST_OPS = 6, MOST_VALUES = 48, MOST_STEPS = 32 };

//===--- What can be taken in --------------------------------------------------------------===//

// Whether `op` computes each element of its result of one of each input, without what it was.
static bool is_on_elements(MlirOperation op, tune_nest_maps *out) {
  if (!tune_ir_is(op, "linalg.generic") || !tune_nest_maps_read_any(op, out) ||
      tune_nest_maps_reduces(out))
    return false;
  MlirAffineMap result = tune_nest_maps_result(out);
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(result); ++d)
    if (tune_nest_maps_loop(result, d) < 0)
      return false;
  // Else a loop may lose the only operand that says how long it is.
  for (intptr_t loop = 0; loop < out->loop_count; ++loop)
    if (!tune_nest_maps_has(result, loop))
      return false;
  return mlirOpOperandIsNull(
      mlirValueGetFirstUse(mlirBlockGetArgument(tune_ir_body(op), out->operand_count - 1)));
}

// Whether each of the few ops of the body is cheap.
static bool is_cheap(MlirOperation op) {
  intptr_t count = 0;
  for (MlirOperation inner = mlirBlockGetFirstOperation(tune_ir_body(op));
       !mlirOperationIsNull(inner); inner = mlirOperationGetNextInBlock(inner)) {
    if (mlirOperationGetNumRegions(inner) > 0 ||
        (!tune_ir_string_starts(tune_ir_name(inner), "arith.") &&
         !tune_ir_is(inner, "linalg.index") && !tune_ir_is(inner, "linalg.yield")) ||
        tune_ir_is(inner, "arith.divf"))
      return false;
    count += !tune_ir_is(inner, "arith.constant");
  }
  return count <= MOST_OPS + 1;
}

static bool is_boolean(MlirValue value) {
  MlirType element = tune_ir_element_type(mlirValueGetType(value));
  return mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 1;
}

static MlirValue before_reshapes(MlirValue value) {
  MlirOperation op = tune_ir_definition(value);
  while (tune_ir_is(op, "tensor.expand_shape") || tune_ir_is(op, "tensor.collapse_shape")) {
    value = mlirOperationGetOperand(op, 0);
    op = tune_ir_definition(value);
  }
  return value;
}

// Whether `value` is made of integers, indices or booleans.
static bool is_of_integers(MlirValue value, int depth) {
  MlirOperation op = tune_ir_definition(value);
  tune_nest_maps n;
  MlirType element = tune_ir_element_type(mlirValueGetType(value));
  if (!mlirTypeIsAFloat(element))
    return mlirTypeIsAInteger(element) || mlirTypeIsAIndex(element);
  if (depth == 0 || !is_on_elements(op, &n) || !is_cheap(op))
    return false;
  for (intptr_t o = 0; o + 1 < n.operand_count; ++o)
    if (is_of_integers(before_reshapes(mlirOperationGetOperand(op, o)), depth - 1))
      return true;
  return n.operand_count == 1;
}

// Whether `value` is made of indices and constants.
static bool is_of_indices(MlirValue value, int depth) {
  MlirOperation op = tune_ir_definition(value);
  tune_nest_maps n;
  double number;
  if (tune_constant_value(value, &number))
    return true;
  if (depth == 0 || !is_on_elements(op, &n) || !is_cheap(op))
    return false;
  for (intptr_t o = 0; o + 1 < n.operand_count; ++o)
    if (!is_of_indices(before_reshapes(mlirOperationGetOperand(op, o)), depth - 1))
      return false;
  return true;
}

// Whether the op on elements `n` is to make what it reads by operand `o`; fills in that op.
static bool takes_in(const tune_nest_maps *n, intptr_t o, const tune_attention_values *values,
                     tune_nest_maps *out) {
  MlirValue value = mlirOperationGetOperand(n->op, o);
  MlirOperation op = tune_ir_definition(value);
  if (mlirOperationIsNull(op) || !is_on_elements(op, out) ||
      !mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(n->op)) ||
      !tune_nest_maps_is_plain(n->maps[o]) || n->operand_count + out->operand_count - 2 > OPERANDS)
    return false;
  if (tune_attention_values_index(values, value) != TUNE_ATTENTION_VALUES)
    return tune_ir_has_one_use(value);
  return is_cheap(op) && is_of_integers(value, MOST_OPS) &&
         (tune_ir_has_one_use(value) || is_boolean(value) || is_of_indices(value, MOST_OPS));
}

//===--- Taking it in --------------------------------------------------------------------===//

// What values of a body became in another one.
typedef struct renaming {
  MlirValue from[MOST_VALUES], to[MOST_VALUES];
  size_t count;
} renaming;

static bool rename(renaming *names, MlirValue from, MlirValue to) {
  if (names->count == MOST_VALUES)
    return false;
  names->from[names->count] = from;
  names->to[names->count++] = to;
  return true;
}

static MlirValue renamed(const renaming *names, MlirValue value) {
  for (size_t i = 0; i < names->count; ++i)
    if (mlirValueEqual(names->from[i], value))
      return names->to[i];
  return value;
}

// linalg.index of a loop of `made`, whose result is read by `map`.
static MlirValue rebuild_index(const tune_ir_builder *b, MlirOperation index,
                               const tune_nest_maps *made, MlirAffineMap map) {
  int64_t loop = mlirIntegerAttrGetValueInt(tune_ir_attribute(index, "dim"));
  MlirAffineMap result = tune_nest_maps_result(made);
  intptr_t d = 0;
  while (tune_nest_maps_loop(result, d) != loop)
    ++d;
  intptr_t other = tune_nest_maps_loop(map, d);
  if (other < 0)
    return tune_ir_build_index(b, mlirAffineConstantExprGetValue(mlirAffineMapGetResult(map, d)));
  return tune_tensor_index(b, other);
}

// The ops of the body of `made` before the first of `block`. What they yield, or a null value.
static MlirValue copy_body(MlirBlock block, const tune_nest_maps *made, MlirAffineMap map,
                           renaming *names) {
  tune_ir_builder b = tune_ir_builder_before(mlirBlockGetFirstOperation(block));
  MlirBlock body = tune_ir_body(made->op);
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, yield);
       op = mlirOperationGetNextInBlock(op)) {
    MlirValue to;
    if (tune_ir_is(op, "linalg.index")) {
      to = rebuild_index(&b, op, made, map);
    } else {
      MlirOperation copy = mlirOperationClone(op);
      for (intptr_t o = 0; o < mlirOperationGetNumOperands(copy); ++o)
        mlirOperationSetOperand(copy, o, renamed(names, mlirOperationGetOperand(copy, o)));
      mlirBlockInsertOwnedOperationBefore(block, b.before, copy);
      to = mlirOperationGetResult(copy, 0);
    }
    if (mlirOperationGetNumResults(op) != 1 || !rename(names, mlirOperationGetResult(op, 0), to))
      return (MlirValue){NULL};
  }
  return renamed(names, mlirOperationGetOperand(yield, 0));
}

// The map of what `made` reads by `inner`, in loops of the op that reads its result by `map`.
static MlirAffineMap compose(const tune_nest_maps *made, MlirAffineMap inner, MlirAffineMap map) {
  MlirContext context = mlirAffineMapGetContext(map);
  MlirAffineExpr to[TUNE_IR_MAX_LOOPS];
  for (intptr_t loop = 0; loop < made->loop_count; ++loop)
    to[loop] = mlirAffineConstantExprGet(context, 0);
  MlirAffineMap result = tune_nest_maps_result(made);
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(result); ++d)
    to[tune_nest_maps_loop(result, d)] = mlirAffineMapGetResult(map, d);
  return tune_nest_maps_compose(
      inner, mlirAffineMapGet(context, mlirAffineMapGetNumDims(map), 0, made->loop_count, to));
}

// Lets `n` make what it reads by operand `o`, as `made` does. That stays where others read it.
static bool take_in(tune_nest_maps *n, intptr_t o, const tune_nest_maps *made) {
  MlirValue operands[2 * OPERANDS];
  MlirAffineMap maps[2 * OPERANDS], by = n->maps[o];
  MlirRegion region = tune_ir_clone_region(n->op);
  MlirBlock block = mlirRegionGetFirstBlock(region);
  intptr_t count = 0, inputs = n->operand_count - 1;
  renaming names = {.count = 0};
  for (intptr_t p = 0; p < inputs; ++p) {
    operands[count] = mlirOperationGetOperand(n->op, p);
    maps[count++] = n->maps[p];
  }
  for (intptr_t p = 0; p + 1 < made->operand_count; ++p) {
    MlirValue operand = mlirOperationGetOperand(made->op, p);
    MlirValue argument =
        mlirBlockInsertArgument(block, count, tune_ir_element_type(mlirValueGetType(operand)),
                                mlirOperationGetLocation(n->op));
    rename(&names, mlirBlockGetArgument(tune_ir_body(made->op), p), argument);
    operands[count] = operand;
    maps[count++] = compose(made, made->maps[p], by);
  }
  MlirValue yielded = copy_body(block, made, by, &names);
  if (mlirValueIsNull(yielded)) {
    mlirRegionDestroy(region);
    return false;
  }
  mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(block, o), yielded);
  mlirBlockEraseArgument(block, (unsigned)o);
  for (intptr_t p = o; p + 1 < count; ++p) {
    operands[p] = operands[p + 1];
    maps[p] = maps[p + 1];
  }
  operands[count - 1] = mlirOperationGetOperand(n->op, inputs);
  maps[count - 1] = n->maps[inputs];
  MlirOperation before = made->op;
  tune_tensor_replace(n->op, count, operands, maps, region);
  if (!tune_ir_is_used(before))
    mlirOperationDestroy(before);
  return true;
}

// Writes operand `o` of `n`, which is `number` everywhere, as a constant.
static void take_number(tune_nest_maps *n, intptr_t o, double number) {
  MlirValue operands[OPERANDS];
  MlirAffineMap maps[OPERANDS];
  MlirRegion region = tune_ir_clone_region(n->op);
  MlirBlock block = mlirRegionGetFirstBlock(region);
  MlirType element = tune_ir_element_type(mlirValueGetType(mlirOperationGetOperand(n->op, o)));
  tune_ir_builder b = tune_ir_builder_before(mlirBlockGetFirstOperation(block));
  mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(block, o),
                                tune_ir_build_number(&b, element, number));
  mlirBlockEraseArgument(block, (unsigned)o);
  intptr_t count = 0;
  for (intptr_t p = 0; p < n->operand_count; ++p)
    if (p != o) {
      operands[count] = mlirOperationGetOperand(n->op, p);
      maps[count++] = n->maps[p];
    }
  tune_tensor_replace(n->op, count, operands, maps, region);
}

// Lets `n` read what operand `o` reshapes, by dimensions of one element more or less. False where
// it is no such reshape.
static bool read_before_reshape(tune_nest_maps *n, intptr_t o) {
  MlirOperation op = tune_ir_definition(mlirOperationGetOperand(n->op, o));
  bool expands = tune_ir_is(op, "tensor.expand_shape");
  if ((!expands && !tune_ir_is(op, "tensor.collapse_shape")) ||
      mlirOperationGetNumOperands(op) != 1)
    return false;
  MlirValue before = mlirOperationGetOperand(op, 0);
  MlirType many = mlirValueGetType(expands ? mlirOperationGetResult(op, 0) : before);
  MlirContext context = mlirOperationGetContext(op);
  MlirAttribute groups = tune_ir_attribute(op, "reassociation");
  MlirAffineExpr indices[TUNE_IR_MAX_RANK];
  intptr_t rank = 0, next = 0;
  if (!tune_tensor_is_plain(mlirValueGetType(before)) || mlirArrayAttrGetNumElements(groups) == 0)
    return false;
  for (intptr_t g = 0; g < mlirArrayAttrGetNumElements(groups); ++g) {
    intptr_t members = mlirArrayAttrGetNumElements(mlirArrayAttrGetElement(groups, g));
    intptr_t large = next, count = 0;
    for (intptr_t m = next; m < next + members; ++m)
      if (mlirShapedTypeGetDimSize(many, m) != 1) {
        large = m;
        ++count;
      }
    if (count > 1)
      return false;
    if (expands)
      indices[rank++] = mlirAffineMapGetResult(n->maps[o], large);
    for (intptr_t m = next; !expands && m < next + members; ++m)
      indices[rank++] = m == large ? mlirAffineMapGetResult(n->maps[o], g)
                                   : mlirAffineConstantExprGet(context, 0);
    next += members;
  }
  MlirValue operands[OPERANDS];
  for (intptr_t p = 0; p < n->operand_count; ++p)
    operands[p] = p == o ? before : mlirOperationGetOperand(n->op, p);
  n->maps[o] = mlirAffineMapGet(context, n->loop_count, 0, rank, indices);
  tune_tensor_replace(n->op, n->operand_count, operands, n->maps, tune_ir_clone_region(n->op));
  if (!tune_ir_is_used(op))
    mlirOperationDestroy(op);
  return true;
}

//===--- All of it --------------------------------------------------------------------------===//

// Takes one operand into the op that makes value `index`. False where there is none to take.
static bool take_one(const tune_attention_values *values, size_t index) {
  tune_nest_maps n, made;
  if (!is_on_elements(tune_ir_definition(values->values[index].value), &n))
    return false;
  for (intptr_t o = 0; o + 1 < n.operand_count; ++o) {
    MlirValue operand = mlirOperationGetOperand(n.op, o);
    double number;
    // One input at least says how large the loops are.
    if (n.operand_count > 2 &&
        tune_attention_values_index(values, operand) == TUNE_ATTENTION_VALUES &&
        tune_constant_exact_value(operand, &number)) {
      take_number(&n, o, number);
      return true;
    }
    if (tune_attention_values_index(values, operand) == TUNE_ATTENTION_VALUES &&
        is_of_integers(before_reshapes(operand), MOST_OPS) && read_before_reshape(&n, o))
      return true;
    if (takes_in(&n, o, values, &made) && take_in(&n, o, &made))
      return true;
  }
  return false;
}

// Whether the scores are masked by something that is made of integers. Other masks and scales are
// left to the rule, and to stock mlir-opt.
static bool has_mask_of_integers(const tune_attention_values *values) {
  for (size_t v = 1; v <= values->masked; ++v) {
    tune_nest_maps n;
    if (!is_on_elements(tune_ir_definition(values->values[v].value), &n))
      continue;
    for (intptr_t o = 0; o + 1 < n.operand_count; ++o) {
      MlirValue operand = mlirOperationGetOperand(n.op, o);
      if (tune_attention_values_index(values, operand) == TUNE_ATTENTION_VALUES &&
          is_of_integers(before_reshapes(operand), MOST_OPS))
        return true;
    }
  }
  return false;
}

bool tune_normalize_scores_finish(MlirOperation root) {
  static const char *const DIALECTS[] = {"arith", "linalg", "tensor", NULL};
  tune_op_list ops = {0};
  tune_spread_list_products(root, &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    tune_attention_values values;
    bool is_changed = tune_attention_find(ops.ops[i], &values) && has_mask_of_integers(&values);
    for (int step = 0; is_changed && step < MOST_STEPS; ++step) {
      is_changed = false;
      if (!tune_attention_find(ops.ops[i], &values))
        break;
      tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
      for (size_t v = values.masked; v > 0 && !is_changed; --v)
        is_changed = take_one(&values, v);
    }
  }
  tune_op_list_deinit(&ops);
  return !ops.failed;
}
