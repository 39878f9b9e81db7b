//===- pixels.c -------------------------------------------------------------------===//

#include "transforms/normalize/pixels.h"

#include "transforms/ir/op_list.h"
#include "transforms/normalize/marks.h"
#include "transforms/normalize/spread.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Dialect/Linalg.h"

enum { OPERANDS = 8 }; // of an op that takes part; others stay

//===--- Loops ---------------------------------------------------------------------===//

// A linalg op on tensors of known sizes with one result.
typedef struct nest {
  MlirOperation op;
  intptr_t operand_count, loop_count;
  MlirAffineMap maps[OPERANDS]; // the last is the result's
  int64_t extents[TUNE_IR_MAX_LOOPS];
} nest;

static MlirAffineMap result_map(const nest *n) { return n->maps[n->operand_count - 1]; }

static MlirWalkResult find_index(MlirOperation op, void *user_data) {
  *(bool *)user_data |= tune_ir_is(op, "linalg.index");
  return MlirWalkResultAdvance;
}

static bool has_indices(MlirOperation op) {
  bool found = false;
  mlirOperationWalk(op, find_index, &found, MlirWalkPreOrder);
  return found;
}

static bool read_nest(MlirOperation op, nest *out) {
  *out = (nest){.op = op, .operand_count = mlirOperationGetNumOperands(op)};
  if (!tune_ir_string_starts(tune_ir_name(op), "linalg."))
    return false;
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
  if (mlirAttributeIsNull(maps) || mlirOperationGetNumResults(op) != 1 ||
      mlirOperationGetNumRegions(op) != 1 || mlirBlockIsNull(tune_ir_body(op)) ||
      out->operand_count < 1 || out->operand_count > OPERANDS ||
      mlirArrayAttrGetNumElements(maps) != out->operand_count)
    return false;
  for (intptr_t o = 0; o < out->operand_count; ++o) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, o));
    out->maps[o] = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, o));
    out->loop_count = mlirAffineMapGetNumDims(out->maps[o]);
    intptr_t rank = mlirAffineMapGetNumResults(out->maps[o]);
    // Scalars have no dimensions either.
    if (out->loop_count > TUNE_IR_MAX_LOOPS || rank > TUNE_IR_MAX_RANK ||
        (mlirTypeIsARankedTensor(type) ? !tune_tensor_is_plain(type) : rank > 0))
      return false;
    for (intptr_t d = 0; d < rank; ++d) {
      MlirAffineExpr index = mlirAffineMapGetResult(out->maps[o], d);
      if (mlirAffineExprIsADim(index))
        out->extents[mlirAffineDimExprGetPosition(index)] = mlirShapedTypeGetDimSize(type, d);
    }
  }
  return !has_indices(op);
}

static bool is_loop(MlirAffineMap map, intptr_t dimension, intptr_t loop) {
  MlirAffineExpr index = mlirAffineMapGetResult(map, dimension);
  return mlirAffineExprIsADim(index) && mlirAffineDimExprGetPosition(index) == loop;
}

static bool is_in(MlirAffineMap map, intptr_t loop) {
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); ++d)
    if (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, d), loop))
      return true;
  return false;
}

// `index` where loops of one step are always at 0, the windows of a 1x1 convolution.
static MlirAffineExpr without_units(const nest *n, MlirAffineExpr index) {
  MlirContext context = mlirAffineExprGetContext(index);
  for (intptr_t loop = 0; loop < n->loop_count; ++loop)
    if (n->extents[loop] == 1 && !is_in(result_map(n), loop)) {
      MlirAffineMap one = mlirAffineMapGet(context, n->loop_count, 0, 1, &index);
      one = mlirAffineMapReplace(one, mlirAffineDimExprGet(context, loop),
                                 mlirAffineConstantExprGet(context, 0), n->loop_count, 0);
      index = mlirAffineMapGetResult(one, 0);
    }
  return index;
}

static void drop_units(nest *n) {
  for (intptr_t o = 0; o < n->operand_count; ++o) {
    MlirAffineExpr indices[TUNE_IR_MAX_RANK];
    intptr_t rank = mlirAffineMapGetNumResults(n->maps[o]);
    for (intptr_t d = 0; d < rank; ++d)
      indices[d] = without_units(n, mlirAffineMapGetResult(n->maps[o], d));
    n->maps[o] = mlirAffineMapGet(mlirOperationGetContext(n->op), n->loop_count, 0, rank, indices);
  }
}

//===--- Which ---------------------------------------------------------------------===//

// How the last `count` dimensions of the result, each a loop by itself, are in operand `operand`:
// one after the other in the same order, the first of them as dimension place_in() - 1; 0 not at
// all, -1 otherwise.
static intptr_t place_in(const nest *n, intptr_t operand, intptr_t count) {
  MlirAffineMap map = n->maps[operand], result = result_map(n);
  intptr_t rank = mlirAffineMapGetNumResults(map), of = mlirAffineMapGetNumResults(result);
  intptr_t first = mlirAffineDimExprGetPosition(mlirAffineMapGetResult(result, of - count));
  intptr_t place = 0, found = 0, in = 0;
  for (intptr_t d = 0; d < rank && place == 0; ++d)
    place = is_loop(map, d, first) ? d + 1 : 0;
  for (intptr_t i = 0; i < count; ++i) {
    intptr_t loop = mlirAffineDimExprGetPosition(mlirAffineMapGetResult(result, of - count + i));
    in += is_in(map, loop);
    found += place > 0 && place - 1 + i < rank && is_loop(map, place - 1 + i, loop);
    for (intptr_t d = 0; d < rank; ++d)
      if (d != place - 1 + i && mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, d), loop))
        return -1;
  }
  return found == count ? place : in == 0 ? 0 : -1;
}

static bool is_last_in(const nest *n, intptr_t operand, intptr_t count) {
  intptr_t rank = mlirAffineMapGetNumResults(n->maps[operand]);
  return place_in(n, operand, count) == rank - count + 1;
}

static bool ends_in_loops(MlirAffineMap result, intptr_t count) {
  intptr_t rank = mlirAffineMapGetNumResults(result);
  for (intptr_t i = 1; i <= count; ++i)
    if (i > rank || !mlirAffineExprIsADim(mlirAffineMapGetResult(result, rank - i)))
      return false;
  return true;
}

// How many of the last dimensions of the product `n` are one line, or 0.
static intptr_t find_line(const nest *n) {
  intptr_t count = 1;
  while (ends_in_loops(result_map(n), count + 1)) {
    intptr_t first = place_in(n, 0, count + 1), second = place_in(n, 1, count + 1);
    if (first < 0 || second < 0 || (first > 0) == (second > 0))
      break;
    ++count;
  }
  return count > 1 ? count : 0;
}

// Whether `value` is made by a reshape of a tensor in which its last `count` dimensions are one.
static bool is_expanded(MlirValue value, intptr_t count) {
  MlirOperation op = tune_ir_definition(value);
  if (!tune_ir_is(op, "tensor.expand_shape"))
    return false;
  MlirType from = mlirValueGetType(mlirOperationGetOperand(op, 0)), to = mlirValueGetType(value);
  MlirAttribute groups = tune_ir_attribute(op, "reassociation");
  intptr_t group_count = mlirArrayAttrGetNumElements(groups);
  return mlirShapedTypeGetRank(to) - mlirShapedTypeGetRank(from) == count - 1 && group_count > 0 &&
         mlirArrayAttrGetNumElements(mlirArrayAttrGetElement(groups, group_count - 1)) == count;
}

// Whether operand `operand` is the same along these dimensions wherever it comes from: a fill, or
// what broadcasts.
static bool is_broadcast(MlirValue value, intptr_t count) {
  MlirOperation op = tune_ir_definition(value);
  nest n;
  if (mlirOperationIsNull(op) || !read_nest(op, &n) || !ends_in_loops(result_map(&n), count) ||
      n.loop_count != mlirAffineMapGetNumResults(result_map(&n)))
    return false;
  for (intptr_t o = 0; o + 1 < n.operand_count; ++o)
    if (place_in(&n, o, count) != 0)
      return false;
  return true;
}

static bool has_one_use(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  return !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

// How many of its last dimensions are one line to what the op on elements `n` reads, or 0. What
// would go with a producer of another kind stays with that.
static intptr_t find_line_read(const nest *n) {
  if (n->loop_count != mlirAffineMapGetNumResults(result_map(n)))
    return 0;
  for (intptr_t count = 2; ends_in_loops(result_map(n), count); ++count) {
    bool reads = false, fits = true;
    for (intptr_t o = 0; o + 1 < n->operand_count; ++o) {
      MlirValue value = mlirOperationGetOperand(n->op, o);
      MlirOperation producer = tune_ir_definition(value);
      intptr_t place = place_in(n, o, count);
      fits &= place >= 0 && (place == 0 || mlirOperationIsNull(producer) || !has_one_use(value) ||
                             !tune_ir_string_starts(tune_ir_name(producer), "linalg.") ||
                             is_broadcast(value, count));
      reads |= place > 0 && is_last_in(n, o, count) && is_expanded(value, count);
    }
    if (reads)
      return fits ? count : 0;
  }
  return 0;
}

//===--- What becomes of it ----------------------------------------------------------===//

// Joins the last `count` dimensions. `left` are the ops that may not be used any more.
typedef struct joining {
  intptr_t count;
  tune_op_list *left;
} joining;

static MlirValue flatten(const tune_ir_builder *b, const nest *n, const joining *j,
                         bool takes_body);

static void leave(const joining *j, MlirOperation op) {
  for (size_t i = 0; i < j->left->count; ++i)
    if (mlirOperationEqual(j->left->ops[i], op))
      return;
  tune_op_list_add(j->left, op); // without memory it stays, and costs nothing
}

static void fill_shape(MlirType type, int64_t *out_sizes, intptr_t *out_members) {
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d) {
    out_sizes[d] = mlirShapedTypeGetDimSize(type, d);
    out_members[d] = 1;
  }
}

// `value`, of which the dimensions from `first` on become one.
static MlirValue flat_operand(const tune_ir_builder *b, MlirValue value, intptr_t first,
                              const joining *j) {
  MlirOperation op = tune_ir_definition(value);
  MlirType type = mlirValueGetType(value);
  int64_t sizes[TUNE_IR_MAX_RANK];
  intptr_t members[TUNE_IR_MAX_RANK], rank = mlirShapedTypeGetRank(type) - j->count + 1;
  fill_shape(type, sizes, members);
  for (intptr_t i = 1; i < j->count; ++i)
    sizes[first] *= sizes[first + i];
  for (intptr_t d = first + 1; d < rank; ++d)
    sizes[d] = sizes[d + j->count - 1];
  members[first] = j->count;
  nest n;
  MlirValue flat;
  if (first + 1 < rank)
    return tune_tensor_reshape(b, value, rank, sizes, members);
  if (is_expanded(value, j->count)) {
    flat = mlirOperationGetOperand(op, 0);
  } else if (tune_ir_is(op, "tensor.empty")) {
    flat =
        tune_ir_build_value(b, "tensor.empty",
                            mlirRankedTensorTypeGet(rank, sizes, mlirShapedTypeGetElementType(type),
                                                    mlirRankedTensorTypeGetEncoding(type)),
                            0, NULL);
  } else if (is_broadcast(value, j->count) && read_nest(op, &n)) {
    flat = flatten(b, &n, j, false);
  } else {
    return tune_tensor_reshape(b, value, rank, sizes, members);
  }
  leave(j, op);
  return flat;
}

// `index` in the loops that are left, which `numbers` numbers.
static MlirAffineExpr renumbered(MlirContext context, MlirAffineExpr index, intptr_t loops,
                                 const intptr_t *numbers, intptr_t left) {
  MlirAffineExpr to[TUNE_IR_MAX_LOOPS];
  for (intptr_t loop = 0; loop < loops; ++loop)
    to[loop] = numbers[loop] < 0 ? mlirAffineConstantExprGet(context, 0)
                                 : mlirAffineDimExprGet(context, numbers[loop]);
  return mlirAffineExprCompose(index, mlirAffineMapGet(context, left, 0, loops, to));
}

// The result of the op that `n` becomes, which has the body of `n`, or a copy.
static MlirValue flatten(const tune_ir_builder *b, const nest *n, const joining *j,
                         bool takes_body) {
  MlirContext context = b->context;
  tune_ir_builder own = *b; // with its mark
  own.location = mlirOperationGetLocation(n->op);
  intptr_t count = j->count;
  intptr_t numbers[TUNE_IR_MAX_LOOPS], left = 0, of = mlirAffineMapGetNumResults(result_map(n));
  for (intptr_t loop = 0; loop < n->loop_count; ++loop) {
    bool is_kept = n->extents[loop] != 1 || is_in(result_map(n), loop);
    for (intptr_t i = 1; i < count; ++i)
      is_kept &= !is_loop(result_map(n), of - i, loop);
    numbers[loop] = is_kept ? left++ : -1;
  }
  MlirValue operands[OPERANDS];
  MlirAffineMap maps[OPERANDS];
  for (intptr_t o = 0; o < n->operand_count; ++o) {
    intptr_t place = place_in(n, o, count), rank = 0;
    MlirAffineExpr indices[TUNE_IR_MAX_RANK];
    for (intptr_t d = 0; d < mlirAffineMapGetNumResults(n->maps[o]); ++d)
      if (place <= 0 || d < place || d > place - 2 + count)
        indices[rank++] = renumbered(context, mlirAffineMapGetResult(n->maps[o], d), n->loop_count,
                                     numbers, left);
    maps[o] = mlirAffineMapGet(context, left, 0, rank, indices);
    operands[o] = mlirOperationGetOperand(n->op, o);
    if (place > 0)
      operands[o] = flat_operand(b, operands[o], place - 1, j);
  }
  MlirType type = mlirValueGetType(operands[n->operand_count - 1]);
  MlirNamedAttribute attributes[3];
  tune_generic_attributes(b, n->operand_count, maps, attributes);
  MlirOperation source = takes_body ? n->op : mlirOperationClone(n->op);
  MlirRegion region = mlirRegionCreate();
  mlirRegionTakeBody(region, mlirOperationGetRegion(source, 0));
  MlirOperation op = tune_ir_build(&own, &(tune_ir_parts){.name = "linalg.generic",
                                                          .operand_count = n->operand_count,
                                                          .operands = operands,
                                                          .type_count = 1,
                                                          .types = &type,
                                                          .attribute_count = 3,
                                                          .attributes = attributes,
                                                          .region_count = 1,
                                                          .regions = &region});
  tune_ir_copy_attributes(n->op, op);
  if (!takes_body)
    mlirOperationDestroy(source);
  return mlirOperationGetResult(op, 0);
}

static void replace(const nest *n, const joining *j) {
  static const char *const DIALECTS[] = {"arith", "linalg", "tensor", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(n->op), DIALECTS);
  tune_ir_builder b = tune_ir_builder_before(n->op);
  b.location = tune_marks_without(b.location);
  MlirValue result = mlirOperationGetResult(n->op, 0);
  MlirType type = mlirValueGetType(result);
  int64_t sizes[TUNE_IR_MAX_RANK];
  intptr_t members[TUNE_IR_MAX_RANK], rank = mlirShapedTypeGetRank(type);
  fill_shape(type, sizes, members);
  members[rank - j->count] = j->count;
  MlirValue flat = flatten(&b, n, j, true);
  mlirValueReplaceAllUsesOfWith(result, tune_tensor_reshape(&b, flat, rank, sizes, members));
  mlirOperationDestroy(n->op);
}

static MlirWalkResult list_op(MlirOperation op, void *user_data) {
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

// Takes away what is not used any more: where a schedule is applied it counts the ops that are
// there.
static void drop_unused(tune_op_list *ops) {
  for (bool changes = true; changes;) {
    changes = false;
    for (size_t i = 0; i < ops->count; ++i)
      if (!mlirOperationIsNull(ops->ops[i]) && !tune_ir_is_used(ops->ops[i])) {
        mlirOperationDestroy(ops->ops[i]);
        ops->ops[i] = (MlirOperation){NULL};
        changes = true;
      }
  }
}

bool tune_normalize_pixels(MlirOperation root) {
  tune_op_list ops = {0}, left = {0};
  mlirOperationWalk(root, list_op, &ops, MlirWalkPreOrder);
  // In their order, so that what follows a product sees what became of it.
  for (size_t i = 0; i < ops.count; ++i) {
    nest n;
    if (!read_nest(ops.ops[i], &n))
      continue;
    bool is_product = tune_spread_sums_products(n.op);
    if (is_product)
      drop_units(&n);
    joining j = {.count = is_product ? find_line(&n) : find_line_read(&n), .left = &left};
    if (j.count)
      replace(&n, &j);
  }
  tune_op_list_deinit(&ops);
  drop_unused(&left);
  tune_op_list_deinit(&left);
  return !ops.failed;
}
