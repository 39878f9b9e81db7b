//===- pixels.c -------------------------------------------------------------------===//

#include "transforms/normalize/pixels.h"

#include "transforms/ir/op_list.h"
#include "transforms/normalize/marks.h"
#include "transforms/normalize/nest_maps.h"
#include "transforms/normalize/spread.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

enum { OPERANDS = TUNE_NEST_MAPS_OPERANDS };

static bool is_loop(MlirAffineMap map, intptr_t dimension, intptr_t loop) {
  return tune_nest_maps_loop(map, dimension) == loop;
}

//===--- Which ---------------------------------------------------------------------===//

// How the last `count` dimensions of the result, each a loop by itself, are in operand `operand`:
// one after the other in the same order, the first of them as dimension place_in() - 1; 0 not at
// all, -1 otherwise.
static intptr_t place_in(const tune_nest_maps *n, intptr_t operand, intptr_t count) {
  MlirAffineMap map = n->maps[operand], result = tune_nest_maps_result(n);
  intptr_t rank = mlirAffineMapGetNumResults(map), of = mlirAffineMapGetNumResults(result);
  intptr_t first = mlirAffineDimExprGetPosition(mlirAffineMapGetResult(result, of - count));
  intptr_t place = 0, found = 0, in = 0;
  for (intptr_t d = 0; d < rank && place == 0; ++d)
    place = is_loop(map, d, first) ? d + 1 : 0;
  for (intptr_t i = 0; i < count; ++i) {
    intptr_t loop = mlirAffineDimExprGetPosition(mlirAffineMapGetResult(result, of - count + i));
    in += tune_nest_maps_has(map, loop);
    found += place > 0 && place - 1 + i < rank && is_loop(map, place - 1 + i, loop);
    for (intptr_t d = 0; d < rank; ++d)
      if (d != place - 1 + i && mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, d), loop))
        return -1;
  }
  return found == count ? place : in == 0 ? 0 : -1;
}

static bool is_last_in(const tune_nest_maps *n, intptr_t operand, intptr_t count) {
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
static intptr_t find_line(const tune_nest_maps *n) {
  intptr_t count = 1;
  while (ends_in_loops(tune_nest_maps_result(n), count + 1)) {
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
  tune_nest_maps n;
  if (mlirOperationIsNull(op) || !tune_nest_maps_read(op, &n) ||
      !ends_in_loops(tune_nest_maps_result(&n), count) ||
      n.loop_count != mlirAffineMapGetNumResults(tune_nest_maps_result(&n)))
    return false;
  for (intptr_t o = 0; o + 1 < n.operand_count; ++o)
    if (place_in(&n, o, count) != 0)
      return false;
  return true;
}

// How many of its last dimensions are one line to what the op on elements `n` reads, or 0. What
// would go with a producer of another kind stays with that.
static intptr_t find_line_read(const tune_nest_maps *n) {
  if (n->loop_count != mlirAffineMapGetNumResults(tune_nest_maps_result(n)))
    return 0;
  for (intptr_t count = 2; ends_in_loops(tune_nest_maps_result(n), count); ++count) {
    bool reads = false, fits = true;
    for (intptr_t o = 0; o + 1 < n->operand_count; ++o) {
      MlirValue value = mlirOperationGetOperand(n->op, o);
      MlirOperation producer = tune_ir_definition(value);
      intptr_t place = place_in(n, o, count);
      fits &=
          place >= 0 &&
          (place == 0 || mlirOperationIsNull(producer) || !tune_ir_has_one_use(value) ||
           !tune_ir_string_starts(tune_ir_name(producer), "linalg.") || is_broadcast(value, count));
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

static MlirValue flatten(const tune_nest_maps *n, const joining *j);

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
  tune_nest_maps n;
  MlirValue flat;
  if (first + 1 < rank)
    return tune_tensor_reshape(b, value, rank, sizes, members);
  if (is_expanded(value, j->count)) {
    flat = mlirOperationGetOperand(op, 0);
  } else if (tune_ir_is(op, "tensor.empty")) {
    flat =
        tune_ir_build_value(b, "tensor.empty",
                            mlirRankedTensorTypeGet(rank, sizes, mlirShapedTypeGetElementType(type),
                                                    (MlirAttribute){NULL}),
                            0, NULL);
  } else if (is_broadcast(value, j->count) && tune_nest_maps_read(op, &n)) {
    flat = flatten(&n, j);
  } else {
    return tune_tensor_reshape(b, value, rank, sizes, members);
  }
  tune_op_list_add_once(j->left, op); // without memory it stays, and costs nothing
  return flat;
}

// The result of the op that `n` becomes.
static MlirValue flatten(const tune_nest_maps *n, const joining *j) {
  MlirAffineMap result = tune_nest_maps_result(n), maps[OPERANDS];
  MlirValue operands[OPERANDS];
  tune_ir_builder b = tune_ir_builder_before(n->op);
  b.location = tune_marks_without(b.location);
  tune_nest_maps flat = *n;
  // The first of the loops goes over the whole line. Others are as those of one step.
  for (intptr_t i = 1; i < j->count; ++i)
    flat.extents[tune_nest_maps_loop(result, mlirAffineMapGetNumResults(result) - i)] = 1;
  for (intptr_t o = 0; o < n->operand_count; ++o) {
    intptr_t place = place_in(n, o, j->count), rank = 0;
    MlirAffineExpr indices[TUNE_IR_MAX_RANK];
    for (intptr_t d = 0; d < mlirAffineMapGetNumResults(n->maps[o]); ++d)
      if (place <= 0 || d < place || d > place - 2 + j->count)
        indices[rank++] = mlirAffineMapGetResult(n->maps[o], d);
    maps[o] = mlirAffineMapGet(b.context, n->loop_count, 0, rank, indices);
    operands[o] = mlirOperationGetOperand(n->op, o);
    if (place > 0)
      operands[o] = flat_operand(&b, operands[o], place - 1, j);
  }
  return tune_nest_maps_build(&flat, operands, maps);
}

static void replace(const tune_nest_maps *n, const joining *j) {
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
  MlirValue flat = flatten(n, j);
  mlirValueReplaceAllUsesOfWith(result, tune_tensor_reshape(&b, flat, rank, sizes, members));
  mlirOperationDestroy(n->op);
}

// Ops in the bodies of others go away with these.
static MlirWalkResult list_op(MlirOperation op, void *user_data) {
  tune_nest_maps n;
  if (!tune_nest_maps_read(op, &n))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultSkip : MlirWalkResultInterrupt;
}

bool tune_normalize_pixels(MlirOperation root) {
  tune_op_list ops = {0}, left = {0};
  mlirOperationWalk(root, list_op, &ops, MlirWalkPreOrder);
  // In their order, so that what follows a product sees what became of it.
  for (size_t i = 0; i < ops.count; ++i) {
    tune_nest_maps n;
    if (!tune_nest_maps_read(ops.ops[i], &n))
      continue;
    bool is_product = tune_spread_sums_products(n.op) && tune_nest_maps_reduces(&n);
    if (is_product)
      tune_nest_maps_drop_units(&n);
    joining j = {.count = is_product ? find_line(&n) : find_line_read(&n), .left = &left};
    if (j.count)
      replace(&n, &j);
  }
  tune_op_list_deinit(&ops);
  // Where a schedule is applied it counts the ops that are there.
  tune_op_list_destroy_unused(&left);
  tune_op_list_deinit(&left);
  return !ops.failed;
}
