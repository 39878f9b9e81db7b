//===- reference.c - Loops in an order that caches like ---------------------------===//

#include "transforms/lower/reference.h"

#include "transforms/ir.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

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
  mlirAttributePrint(order->iterators[dim], tune_ir_append, &text);
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

void tune_reference_order_loops(MlirOperation module) {
  mlirOperationWalk(module, order_loops, NULL, MlirWalkPreOrder);
}
