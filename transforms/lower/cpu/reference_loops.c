//===- reference_loops.c - Loop orders and tiles of the plain lowering -------===//

#include "transforms/lower/cpu/reference_loops.h"

#include "dialects/printing.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/transform_script.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

#define MAX_RANK 16
#define MAX_OPERANDS 32

// The attributes of an op that order its loops.
typedef struct loop_order {
  intptr_t rank;
  intptr_t operand_count;
  MlirAttribute iterators[MAX_RANK];
  MlirAffineMap maps[MAX_OPERANDS];
} loop_order;

static bool read_order(MlirOperation op, loop_order *order) {
  MlirAttribute iterators = tune_ir_attribute(op, "iterator_types");
  MlirAttribute maps = tune_ir_attribute(op, "indexing_maps");
  if (mlirAttributeIsNull(iterators) || mlirAttributeIsNull(maps))
    return false;
  order->rank = mlirArrayAttrGetNumElements(iterators);
  order->operand_count = mlirArrayAttrGetNumElements(maps);
  if (order->rank > MAX_RANK || order->operand_count > MAX_OPERANDS)
    return false;
  for (intptr_t i = 0; i < order->rank; ++i)
    order->iterators[i] = mlirArrayAttrGetElement(iterators, i);
  for (intptr_t i = 0; i < order->operand_count; ++i)
    order->maps[i] = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
  return true;
}

static bool is_parallel(const loop_order *order, intptr_t dim) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  mlirAttributePrint(order->iterators[dim], tune_printing_append, &text);
  bool parallel = text.text && strstr(text.text, "parallel");
  tune_string_builder_deinit(&text);
  return parallel;
}

// Whether walking along `dim` moves each operand by neighbouring elements or not at all.
static bool is_contiguous(const loop_order *order, intptr_t dim) {
  for (intptr_t i = 0; i < order->operand_count; ++i) {
    intptr_t results = mlirAffineMapGetNumResults(order->maps[i]);
    for (intptr_t r = 0; r + 1 < results; ++r)
      if (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(order->maps[i], r), dim))
        return false;
  }
  return true;
}

static intptr_t choose_innermost(const loop_order *order) {
  if (order->rank == 0 || is_parallel(order, order->rank - 1))
    return -1;
  for (intptr_t dim = order->rank; dim-- > 0;)
    if (is_parallel(order, dim) && is_contiguous(order, dim))
      return dim;
  return -1;
}

// The place of the old dimension `dim` after `moved` went to the end.
static intptr_t new_place(const loop_order *order, intptr_t moved, intptr_t dim) {
  if (dim == moved)
    return order->rank - 1;
  return dim > moved ? dim - 1 : dim;
}

typedef struct index_renaming {
  const loop_order *order;
  intptr_t moved;
} index_renaming;

static MlirWalkResult rename_index(MlirOperation op, void *user_data) {
  const index_renaming *renaming = user_data;
  if (!tune_ir_is(op, "linalg.index"))
    return MlirWalkResultAdvance;
  MlirAttribute dim = tune_ir_attribute(op, "dim");
  intptr_t place = new_place(renaming->order, renaming->moved, mlirIntegerAttrGetValueInt(dim));
  mlirOperationSetAttributeByName(op, tune_ir_string("dim"),
                                  mlirIntegerAttrGet(mlirAttributeGetType(dim), place));
  return MlirWalkResultAdvance;
}

static MlirAffineMap reorder_map(MlirContext context, const loop_order *order, intptr_t moved,
                                 MlirAffineMap map) {
  MlirAffineExpr places[MAX_RANK], results[MAX_RANK];
  for (intptr_t i = 0; i < order->rank; ++i)
    places[i] = mlirAffineDimExprGet(context, new_place(order, moved, i));
  MlirAffineMap permutation = mlirAffineMapGet(context, order->rank, 0, order->rank, places);
  intptr_t count = mlirAffineMapGetNumResults(map);
  for (intptr_t i = 0; i < count; ++i)
    results[i] = mlirAffineExprCompose(mlirAffineMapGetResult(map, i), permutation);
  return mlirAffineMapGet(context, order->rank, 0, count, results);
}

static MlirWalkResult order_loops(MlirOperation op, void *user_data) {
  (void)user_data;
  loop_order order;
  if (!tune_ir_is(op, "linalg.generic") || !read_order(op, &order))
    return MlirWalkResultAdvance;
  intptr_t moved = choose_innermost(&order);
  if (moved < 0)
    return MlirWalkResultAdvance;

  MlirContext context = mlirOperationGetContext(op);
  MlirAttribute iterators[MAX_RANK], maps[MAX_OPERANDS];
  for (intptr_t i = 0; i < order.rank; ++i)
    iterators[new_place(&order, moved, i)] = order.iterators[i];
  for (intptr_t i = 0; i < order.operand_count; ++i)
    maps[i] = mlirAffineMapAttrGet(reorder_map(context, &order, moved, order.maps[i]));
  mlirOperationSetAttributeByName(op, tune_ir_string("iterator_types"),
                                  mlirArrayAttrGet(context, order.rank, iterators));
  mlirOperationSetAttributeByName(op, tune_ir_string("indexing_maps"),
                                  mlirArrayAttrGet(context, order.operand_count, maps));
  index_renaming renaming = {&order, moved};
  mlirOperationWalk(op, rename_index, &renaming, MlirWalkPreOrder);
  return MlirWalkResultAdvance;
}

//===--------------------------------------------------------------------------===//
// Tiles
//===--------------------------------------------------------------------------===//

// A block of the second operand: 128 K elements, half a megabyte of f32, in lines of 2 KB.
#define TILE_REDUCTION 256
#define TILE_INNERMOST 512
#define MARK "tune.reference"

typedef struct tiler {
  tune_string_builder script;
  size_t count;
} tiler;

// How long each dimension is; kDynamic where operands do not say.
static void find_extents(MlirOperation op, const loop_order *order, int64_t extents[MAX_RANK]) {
  for (intptr_t dim = 0; dim < order->rank; ++dim)
    extents[dim] = mlirShapedTypeGetDynamicSize();
  for (intptr_t i = 0; i < order->operand_count; ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, i));
    intptr_t results = mlirAffineMapGetNumResults(order->maps[i]);
    if (!mlirTypeIsAShaped(type) || mlirShapedTypeGetRank(type) != results)
      continue;
    for (intptr_t r = 0; r < results; ++r) {
      MlirAffineExpr expression = mlirAffineMapGetResult(order->maps[i], r);
      if (mlirAffineExprIsADim(expression))
        extents[mlirAffineDimExprGetPosition(expression)] = mlirShapedTypeGetDimSize(type, (int)r);
    }
  }
}

bool tune_reference_loops_reduces(MlirOperation op, int64_t *out_length) {
  loop_order order;
  *out_length = 1;
  if (!tune_ir_is(op, "linalg.generic") || !read_order(op, &order))
    return false;
  int64_t extents[MAX_RANK];
  find_extents(op, &order, extents);
  bool reduces = false;
  for (intptr_t dim = 0; dim < order.rank; ++dim) {
    if (is_parallel(&order, dim))
      continue;
    reduces = true;
    bool is_known = extents[dim] >= 0;
    if (!is_known || __builtin_mul_overflow(*out_length, extents[dim], out_length))
      *out_length = 0;
  }
  return reduces;
}

// The only dimension that is summed up, or -1.
static intptr_t find_reduction(const loop_order *order) {
  intptr_t found = -1;
  for (intptr_t dim = 0; dim < order->rank; ++dim) {
    if (is_parallel(order, dim))
      continue;
    if (found >= 0)
      return -1;
    found = dim;
  }
  return found;
}

// Upstream's tiling crashes where there is nothing to tile.
static bool is_empty(const loop_order *order, const int64_t extents[MAX_RANK]) {
  for (intptr_t dim = 0; dim < order->rank; ++dim)
    if (extents[dim] == 0)
      return true;
  return false;
}

// Marks a product that is to be tiled, and adds how to the script.
static MlirWalkResult add_product(MlirOperation op, void *user_data) {
  tiler *state = user_data;
  loop_order order;
  if (!tune_ir_is(op, "linalg.generic") || !read_order(op, &order) || order.rank < 3)
    return MlirWalkResultAdvance;
  intptr_t reduction = find_reduction(&order), innermost = order.rank - 1;
  if (reduction < 0 || reduction == innermost || !is_contiguous(&order, innermost))
    return MlirWalkResultAdvance;
  int64_t extents[MAX_RANK];
  find_extents(op, &order, extents);
  bool splits_reduction = extents[reduction] > TILE_REDUCTION,
       splits_innermost = extents[innermost] > TILE_INNERMOST;
  if ((!splits_reduction && !splits_innermost) || is_empty(&order, extents))
    return MlirWalkResultAdvance;
  MlirContext context = mlirOperationGetContext(op);
  mlirOperationSetAttributeByName(
      op, tune_ir_string(MARK),
      mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), (int64_t)state->count));
  tune_string_builder_appendf(&state->script,
                              "    %%op%zu = transform.structured.match attributes {" MARK
                              " = %zu : i64} in %%0 : (!transform.any_op) -> !transform.any_op\n"
                              "    transform.structured.tile_using_for %%op%zu tile_sizes [",
                              state->count, state->count, state->count);
  for (intptr_t dim = 0; dim < order.rank; ++dim)
    tune_string_builder_appendf(&state->script, dim ? ", %d" : "%d",
                                dim == reduction && splits_reduction   ? TILE_REDUCTION
                                : dim == innermost && splits_innermost ? TILE_INNERMOST
                                                                       : 0);
  tune_string_builder_appendf(
      &state->script, "] : (!transform.any_op) -> (!transform.any_op, %s)\n",
      splits_reduction && splits_innermost ? "!transform.any_op, !transform.any_op"
                                           : "!transform.any_op");
  ++state->count;
  return MlirWalkResultAdvance;
}

static MlirWalkResult take_mark_off(MlirOperation op, void *user_data) {
  (void)user_data;
  mlirOperationRemoveAttributeByName(op, tune_ir_string(MARK));
  return MlirWalkResultAdvance;
}

tune_status tune_reference_loops_tile_products(MlirOperation module) {
  tiler state = {.count = 0};
  tune_string_builder_init(&state.script);
  tune_string_builder_append(
      &state.script, "module attributes {transform.with_named_sequence} {\n"
                     "  transform.named_sequence @__transform_main(%0: !transform.any_op) {\n");
  mlirOperationWalk(module, add_product, &state, MlirWalkPreOrder);
  tune_string_builder_append(&state.script, "    transform.yield\n  }\n}\n");
  char *text;
  TUNE_RETURN_IF_ERROR(tune_string_builder_finish(&state.script, &text));
  tune_status status =
      state.count ? tune_transform_script_run(module, text, "tiling the reference") : TUNE_OK;
  free(text);
  mlirOperationWalk(module, take_mark_off, NULL, MlirWalkPreOrder);
  return status;
}

void tune_reference_loops_order(MlirOperation module) {
  mlirOperationWalk(module, order_loops, NULL, MlirWalkPreOrder);
}
