//===- pixels.c -------------------------------------------------------------------===//

#include "transforms/normalize/images/pixels.h"

#include "transforms/ir/op_list.h"
#include "transforms/normalize/marks.h"
#include "transforms/normalize/nest_maps.h"
#include "transforms/normalize/spread.h"
#include "transforms/normalize/tensor_ops.h"
#include "transforms/normalize/turns.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

enum { OPERANDS = TUNE_NEST_MAPS_OPERANDS };

// Dimensions of a result that are joined: `count` of them, with `after` others behind them.
typedef struct line {
  intptr_t count, after;
} line;

// The first of them, of a tensor with `rank` dimensions that ends like the result.
static intptr_t first_of(line l, intptr_t rank) { return rank - l.after - l.count; }

static bool is_loop(MlirAffineMap map, intptr_t dimension, intptr_t loop) {
  return tune_nest_maps_loop(map, dimension) == loop;
}

//===--- Which ---------------------------------------------------------------------===//

// How the dimensions `l` of the result, each a loop by itself, are in operand `operand`: one after
// the other in the same order, the first of them as dimension place_in() - 1; 0 not at all, or as
// those of one step alone; -1 otherwise.
static intptr_t place_in(const tune_nest_maps *n, intptr_t operand, line l) {
  MlirAffineMap map = n->maps[operand], result = tune_nest_maps_result(n);
  intptr_t rank = mlirAffineMapGetNumResults(map), count = l.count;
  intptr_t begin = first_of(l, mlirAffineMapGetNumResults(result));
  intptr_t first = mlirAffineDimExprGetPosition(mlirAffineMapGetResult(result, begin));
  intptr_t place = 0, found = 0, in = 0;
  for (intptr_t d = 0; d < rank && place == 0; ++d)
    place = is_loop(map, d, first) ? d + 1 : 0;
  for (intptr_t i = 0; i < count; ++i) {
    intptr_t loop = mlirAffineDimExprGetPosition(mlirAffineMapGetResult(result, begin + i));
    in += tune_nest_maps_has(map, loop) && n->extents[loop] != 1;
    found += place > 0 && place - 1 + i < rank && is_loop(map, place - 1 + i, loop);
    for (intptr_t d = 0; d < rank; ++d)
      if (d != place - 1 + i && mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, d), loop))
        return -1;
  }
  return found == count ? place : in == 0 ? 0 : -1;
}

// Whether operand `operand` has them where the result has them, counted from the end.
static bool ends_alike_in(const tune_nest_maps *n, intptr_t operand, line l) {
  return place_in(n, operand, l) == first_of(l, mlirAffineMapGetNumResults(n->maps[operand])) + 1;
}

static bool has_loops(MlirAffineMap result, line l) {
  intptr_t first = first_of(l, mlirAffineMapGetNumResults(result));
  for (intptr_t i = 0; i < l.count && first >= 0; ++i)
    if (!mlirAffineExprIsADim(mlirAffineMapGetResult(result, first + i)))
      return false;
  return first >= 0;
}

// Whether an op on elements reads the result of `n` in another order than it writes its own: it
// goes with the product, unless there is a reshape between.
static bool is_turned(const tune_nest_maps *n) {
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(n->op, 0));
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    tune_nest_maps reader;
    if (!tune_nest_maps_read(mlirOpOperandGetOwner(use), &reader) ||
        reader.loop_count != mlirAffineMapGetNumResults(tune_nest_maps_result(&reader)))
      continue;
    MlirAffineMap map = reader.maps[mlirOpOperandGetOperandNumber(use)],
                  result = tune_nest_maps_result(&reader);
    for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); ++d) {
      intptr_t loop = tune_nest_maps_loop(map, d);
      if (loop >= 0 && d < mlirAffineMapGetNumResults(result) && !is_loop(result, d, loop))
        return true;
    }
  }
  return false;
}

// Which dimensions of the product `n` are one line: the last ones, or those before the channels.
static line find_line(const tune_nest_maps *n) {
  for (intptr_t after = 0; after < (is_turned(n) ? 1 : 2); ++after) {
    line found = {.count = 1, .after = after};
    for (line next = {2, after}; has_loops(tune_nest_maps_result(n), next); ++next.count) {
      intptr_t first = place_in(n, 0, next), second = place_in(n, 1, next);
      if (first < 0 || second < 0 || (first > 0) == (second > 0))
        break;
      found = next;
    }
    if (found.count > 1)
      return found;
  }
  return (line){0, 0};
}

// Whether `value` is made by a reshape of a tensor in which its dimensions `l` are one.
static bool is_expanded(MlirValue value, line l) {
  MlirOperation op = tune_ir_definition(value);
  if (!tune_ir_is(op, "tensor.expand_shape"))
    return false;
  MlirType from = mlirValueGetType(mlirOperationGetOperand(op, 0)), to = mlirValueGetType(value);
  MlirAttribute groups = tune_ir_attribute(op, "reassociation");
  intptr_t group_count = mlirArrayAttrGetNumElements(groups);
  return mlirShapedTypeGetRank(to) - mlirShapedTypeGetRank(from) == l.count - 1 &&
         group_count > l.after &&
         mlirArrayAttrGetNumElements(mlirArrayAttrGetElement(groups, group_count - 1 - l.after)) ==
             l.count;
}

// Whether operand `operand` is the same along these dimensions wherever it comes from: a fill, or
// what broadcasts.
static bool is_broadcast(MlirValue value, line l) {
  MlirOperation op = tune_ir_definition(value);
  tune_nest_maps n;
  if (mlirOperationIsNull(op) || !tune_nest_maps_read(op, &n) ||
      !has_loops(tune_nest_maps_result(&n), l) ||
      n.loop_count != mlirAffineMapGetNumResults(tune_nest_maps_result(&n)))
    return false;
  for (intptr_t o = 0; o + 1 < n.operand_count; ++o)
    if (place_in(&n, o, l) != 0)
      return false;
  return true;
}

// Whether operand `operand`, which has the dimensions `l`, is one number for all channels: a mean,
// or what else a norm makes of a pixel.
static bool is_of_pixels(const tune_nest_maps *n, intptr_t operand, line l) {
  MlirAffineMap result = tune_nest_maps_result(n);
  intptr_t rank = mlirAffineMapGetNumResults(result);
  bool has_others = false, reads_others = false;
  for (intptr_t d = rank - l.after; d < rank; ++d) {
    intptr_t loop = tune_nest_maps_loop(result, d);
    has_others |= loop >= 0 && n->extents[loop] > 1;
    reads_others |= loop >= 0 && tune_nest_maps_has(n->maps[operand], loop);
  }
  return has_others && !reads_others;
}

// Whether an op sums the result of `n` up over something other than its dimensions `l`, as a norm
// does over channels.
static bool feeds_norm(const tune_nest_maps *n, line l) {
  MlirValue result = mlirOperationGetResult(n->op, 0);
  intptr_t first = first_of(l, mlirShapedTypeGetRank(mlirValueGetType(result)));
  for (MlirOpOperand use = mlirValueGetFirstUse(result); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    tune_nest_maps reader;
    if (!tune_nest_maps_read(mlirOpOperandGetOwner(use), &reader) ||
        !tune_nest_maps_reduces(&reader) || tune_spread_sums_products(reader.op))
      continue;
    MlirAffineMap map = reader.maps[mlirOpOperandGetOperandNumber(use)];
    for (intptr_t d = first; d < first + l.count; ++d) {
      intptr_t loop = tune_nest_maps_loop(map, d);
      if (loop >= 0 && reader.extents[loop] > 1 &&
          tune_nest_maps_has(tune_nest_maps_result(&reader), loop))
        return true;
    }
  }
  return false;
}

// Which of its dimensions are one line to what the op on elements `n` reads. What would go with a
// producer of another kind, or with a norm, stays with that.
static line find_line_read_before(const tune_nest_maps *n, intptr_t after) {
  for (line l = {2, after}; has_loops(tune_nest_maps_result(n), l); ++l.count) {
    bool reads = false, fits = true;
    for (intptr_t o = 0; o + 1 < n->operand_count; ++o) {
      MlirValue value = mlirOperationGetOperand(n->op, o);
      MlirOperation producer = tune_ir_definition(value);
      intptr_t place = place_in(n, o, l);
      fits &= place >= 0 &&
              (place == 0 || mlirOperationIsNull(producer) || !tune_ir_has_one_use(value) ||
               !tune_ir_string_starts(tune_ir_name(producer), "linalg.") || is_broadcast(value, l));
      fits &= place <= 0 || !is_of_pixels(n, o, l);
      reads |= place > 0 && ends_alike_in(n, o, l) && is_expanded(value, l);
    }
    if (reads)
      return fits && !feeds_norm(n, l) ? l : (line){0, 0};
  }
  return (line){0, 0};
}

static line find_line_read(const tune_nest_maps *n) {
  line found = {0, 0};
  if (n->loop_count == mlirAffineMapGetNumResults(tune_nest_maps_result(n)))
    for (intptr_t after = 0; after < 2 && found.count == 0; ++after)
      found = find_line_read_before(n, after);
  return found;
}

//===--- What becomes of it ----------------------------------------------------------===//

// Joins the dimensions `l`. `left` are the ops that may not be used any more.
typedef struct joining {
  line l;
  tune_op_list *left;
} joining;

static MlirValue flatten(const tune_nest_maps *n, const joining *j);

static void fill_shape(MlirType type, int64_t *out_sizes, intptr_t *out_members) {
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d) {
    out_sizes[d] = mlirShapedTypeGetDimSize(type, d);
    out_members[d] = 1;
  }
}

// `value`, of which as many dimensions from `first` on become one.
static MlirValue flat_operand(const tune_ir_builder *b, MlirValue value, intptr_t first,
                              const joining *j) {
  MlirOperation op = tune_ir_definition(value);
  MlirType type = mlirValueGetType(value);
  int64_t sizes[TUNE_IR_MAX_RANK];
  intptr_t members[TUNE_IR_MAX_RANK], rank = mlirShapedTypeGetRank(type) - j->l.count + 1;
  fill_shape(type, sizes, members);
  for (intptr_t i = 1; i < j->l.count; ++i)
    sizes[first] *= sizes[first + i];
  for (intptr_t d = first + 1; d < rank; ++d)
    sizes[d] = sizes[d + j->l.count - 1];
  members[first] = j->l.count;
  tune_nest_maps n;
  MlirValue flat;
  if (first + 1 + j->l.after != rank)
    return tune_tensor_reshape(b, value, rank, sizes, members);
  if (is_expanded(value, j->l)) {
    flat = mlirOperationGetOperand(op, 0);
  } else if (tune_ir_is(op, "tensor.empty")) {
    flat =
        tune_ir_build_value(b, "tensor.empty",
                            mlirRankedTensorTypeGet(rank, sizes, mlirShapedTypeGetElementType(type),
                                                    (MlirAttribute){NULL}),
                            0, NULL);
  } else if (is_broadcast(value, j->l) && tune_nest_maps_read(op, &n)) {
    flat = flatten(&n, j);
  } else {
    return tune_tensor_reshape(b, value, rank, sizes, members);
  }
  tune_op_list_add_once(j->left, op); // without memory it stays, and costs nothing
  return flat;
}

// The map of an operand that does not have the dimensions `l` of the result: those of one step are
// at 0.
static MlirAffineMap without_line(const tune_nest_maps *n, MlirAffineMap map, line l) {
  MlirContext context = mlirOperationGetContext(n->op);
  MlirAffineMap result = tune_nest_maps_result(n);
  intptr_t begin = first_of(l, mlirAffineMapGetNumResults(result));
  for (intptr_t i = 0; i < l.count; ++i)
    map = mlirAffineMapReplace(map, mlirAffineMapGetResult(result, begin + i),
                               mlirAffineConstantExprGet(context, 0), n->loop_count, 0);
  return map;
}

// The result of the op that `n` becomes.
static MlirValue flatten(const tune_nest_maps *n, const joining *j) {
  MlirAffineMap result = tune_nest_maps_result(n), maps[OPERANDS];
  MlirValue operands[OPERANDS];
  tune_ir_builder b = tune_ir_builder_before(n->op);
  b.location = tune_marks_without(b.location);
  tune_nest_maps flat = *n;
  // The first of the loops goes over the whole line. Others are as those of one step.
  intptr_t begin = first_of(j->l, mlirAffineMapGetNumResults(result));
  for (intptr_t i = 1; i < j->l.count; ++i)
    flat.extents[tune_nest_maps_loop(result, begin + i)] = 1;
  for (intptr_t o = 0; o < n->operand_count; ++o) {
    intptr_t place = place_in(n, o, j->l), rank = 0;
    MlirAffineExpr indices[TUNE_IR_MAX_RANK];
    if (place <= 0) {
      maps[o] = without_line(n, n->maps[o], j->l);
      operands[o] = mlirOperationGetOperand(n->op, o);
      continue;
    }
    for (intptr_t d = 0; d < mlirAffineMapGetNumResults(n->maps[o]); ++d)
      if (d < place || d > place - 2 + j->l.count)
        indices[rank++] = mlirAffineMapGetResult(n->maps[o], d);
    maps[o] = mlirAffineMapGet(b.context, n->loop_count, 0, rank, indices);
    operands[o] = flat_operand(&b, mlirOperationGetOperand(n->op, o), place - 1, j);
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
  members[first_of(j->l, rank)] = j->l.count;
  MlirValue flat = flatten(n, j);
  mlirValueReplaceAllUsesOfWith(result, tune_tensor_reshape(&b, flat, rank, sizes, members));
  mlirOperationDestroy(n->op);
}

//===--- Images that are one row -------------------------------------------------------===//

// Replaces each loop of one step in what the factors are indexed by.
static void drop_steps(tune_nest_maps *n) {
  MlirContext context = mlirOperationGetContext(n->op);
  for (intptr_t loop = 0; loop < n->loop_count; ++loop)
    if (n->extents[loop] == 1)
      for (intptr_t o = 0; o < 2; ++o)
        n->maps[o] = mlirAffineMapReplace(n->maps[o], mlirAffineDimExprGet(context, loop),
                                          mlirAffineConstantExprGet(context, 0), n->loop_count, 0);
}

// Whether dimension `d` of factor `o` is all of a loop that is summed up.
static bool is_sum(const tune_nest_maps *n, intptr_t o, intptr_t d) {
  intptr_t loop = tune_nest_maps_loop(n->maps[o], d);
  MlirType type = mlirValueGetType(mlirOperationGetOperand(n->op, o));
  return loop >= 0 && !tune_nest_maps_has(tune_nest_maps_result(n), loop) &&
         n->extents[loop] == mlirShapedTypeGetDimSize(type, d);
}

// A factor whose last dimensions are summed up, and where they are in the other one: one after the
// other.
typedef struct row {
  intptr_t factor, first, count; // dimensions of the other factor
  intptr_t before;               // those of the row that are not summed up: rows of several images
  tune_turn turn;                // of the row, to their order there
} row;

static bool find_row(const tune_nest_maps *n, intptr_t factor, row *out) {
  MlirAffineMap map = n->maps[factor], others = n->maps[1 - factor];
  MlirType type = mlirValueGetType(mlirOperationGetOperand(n->op, factor));
  intptr_t rank = mlirAffineMapGetNumResults(map);
  *out = (row){.factor = factor, .turn = {.rank = rank}};
  for (intptr_t d = 0; d < rank; ++d) {
    if (is_sum(n, factor, d))
      ++out->count;
    else if (mlirShapedTypeGetDimSize(type, d) == 1 || tune_nest_maps_loop(map, d) >= 0)
      out->turn.of[out->before++] = d;
    else
      return false;
  }
  intptr_t other_rank = mlirAffineMapGetNumResults(others), found = 0;
  for (intptr_t d = 0; d < other_rank; ++d) {
    if (!is_sum(n, 1 - factor, d))
      continue;
    intptr_t loop = tune_nest_maps_loop(others, d);
    intptr_t own = tune_nest_maps_only_dimension(map, loop);
    if (found == 0)
      out->first = d;
    // A diagonal has a loop in two dimensions.
    if (own < 0 || tune_nest_maps_only_dimension(others, loop) < 0 || d != out->first + found ||
        found == out->count)
      return false;
    out->turn.of[out->before + found++] = own;
  }
  return found == out->count && out->count > 1;
}

static bool has_rows(const tune_nest_maps *n, const row *r) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(n->op, r->factor));
  for (intptr_t d = 0; d < r->before; ++d)
    if (mlirShapedTypeGetDimSize(type, r->turn.of[d]) > 1)
      return true;
  return false;
}

static bool is_turn(const tune_turn *turn) {
  for (intptr_t d = 0; d < turn->rank; ++d)
    if (turn->of[d] != d)
      return true;
  return false;
}

// `value`, of which `count` dimensions from `first` on become one, and its `map`.
static MlirValue join_sums(const tune_ir_builder *b, const tune_nest_maps *n, MlirValue value,
                           MlirAffineMap *map, intptr_t first, intptr_t count) {
  int64_t sizes[TUNE_IR_MAX_RANK];
  intptr_t members[TUNE_IR_MAX_RANK], rank = mlirAffineMapGetNumResults(*map), left = 0;
  MlirAffineExpr indices[TUNE_IR_MAX_RANK];
  fill_shape(mlirValueGetType(value), sizes, members);
  for (intptr_t d = 0; d < rank; ++d) {
    if (d > first && d < first + count) {
      sizes[first] *= sizes[d];
      continue;
    }
    sizes[left] = sizes[d];
    indices[left++] = mlirAffineMapGetResult(*map, d);
  }
  members[first] = count;
  *map = mlirAffineMapGet(b->context, n->loop_count, 0, left, indices);
  return tune_tensor_reshape(b, value, left, sizes, members);
}

// Has the product read the row and the other factor with those dimensions as one.
static void replace_row(const tune_nest_maps *n, const row *r) {
  static const char *const DIALECTS[] = {"linalg", "tensor", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(n->op), DIALECTS);
  tune_ir_builder b = tune_ir_builder_before(n->op);
  b.location = tune_marks_without(b.location);
  MlirValue operands[OPERANDS];
  tune_nest_maps flat = *n;
  for (intptr_t o = 0; o < n->operand_count; ++o)
    operands[o] = mlirOperationGetOperand(n->op, o);
  intptr_t other = 1 - r->factor, sum = tune_nest_maps_loop(n->maps[other], r->first);
  for (intptr_t i = 1; i < r->count; ++i) {
    intptr_t loop = tune_nest_maps_loop(n->maps[other], r->first + i);
    flat.extents[sum] *= flat.extents[loop];
    flat.extents[loop] = 1;
  }
  if (is_turn(&r->turn))
    operands[r->factor] = tune_turn_copy(&b, &r->turn, operands[r->factor]);
  flat.maps[r->factor] = tune_turn_map(&r->turn, n->maps[r->factor]);
  operands[r->factor] =
      join_sums(&b, n, operands[r->factor], &flat.maps[r->factor], r->before, r->count);
  operands[other] = join_sums(&b, n, operands[other], &flat.maps[other], r->first, r->count);
  MlirValue made = tune_nest_maps_build(&flat, operands, flat.maps);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(n->op, 0), made);
  mlirOperationDestroy(n->op);
}

// Whether the product `n` is one of such a row, and is replaced. Of several rows only images that a
// window covers whole, one after the other: other products pack what they multiply.
static bool join_row(const tune_nest_maps *n) {
  tune_nest_maps without = *n;
  row found;
  drop_steps(&without);
  for (intptr_t factor = 0; factor < 2; ++factor)
    if (find_row(&without, factor, &found) &&
        (!has_rows(&without, &found) ||
         (!is_turn(&found.turn) && !tune_nest_maps_is_plain(n->maps[factor])))) {
      replace_row(&without, &found);
      return true;
    }
  return false;
}

//===--- All of them -------------------------------------------------------------------===//

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
    if (is_product && join_row(&n))
      continue;
    if (is_product)
      tune_nest_maps_drop_units(&n);
    joining j = {.l = is_product ? find_line(&n) : find_line_read(&n), .left = &left};
    if (j.l.count)
      replace(&n, &j);
  }
  tune_op_list_deinit(&ops);
  // Where a schedule is applied it counts the ops that are there.
  tune_op_list_destroy_unused(&left);
  tune_op_list_deinit(&left);
  return !ops.failed;
}
