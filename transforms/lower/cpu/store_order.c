//===- store_order.c -----------------------------------------------------------------------===//

#include "transforms/lower/cpu/store_order.h"

#include "transforms/ir/ir.h"
#include "transforms/ir/ir_builder.h"

#include "mlir-c/BuiltinTypes.h"

#include <stdbool.h>
#include <stdlib.h>

// What a vector.store writes: `count` elements from `begin` on, in the order of the buffer.
typedef struct stored_range {
  MlirOperation op;
  MlirValue buffer;
  int64_t begin, count;
} stored_range;

static bool is_on_stack(MlirValue buffer) {
  MlirType type = mlirValueGetType(buffer);
  return mlirValueIsAOpResult(buffer) && mlirTypeIsAMemRef(type) &&
         mlirShapedTypeHasStaticShape(type) &&
         tune_ir_is(mlirOpResultGetOwner(buffer), "memref.alloca");
}

static bool find_range(MlirOperation op, stored_range *out) {
  if (!tune_ir_is(op, "vector.store"))
    return false;
  *out = (stored_range){.op = op, .buffer = mlirOperationGetOperand(op, 1)};
  MlirType vector = mlirValueGetType(mlirOperationGetOperand(op, 0));
  if (!is_on_stack(out->buffer) || mlirShapedTypeGetRank(vector) != 1)
    return false;
  MlirType type = mlirValueGetType(out->buffer);
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d) {
    int64_t index;
    if (!tune_ir_is_constant_index(mlirOperationGetOperand(op, 2 + d), &index))
      return false;
    out->begin = out->begin * mlirShapedTypeGetDimSize(type, d) + index;
  }
  out->count = mlirShapedTypeGetDimSize(vector, 0);
  return true;
}

//===--- A run: stores into one buffer, one after the other -----------------------------------===//

typedef struct store_run {
  stored_range *items;
  size_t count, capacity;
  bool failed; // memory ran out
} store_run;

static void add(store_run *run, const stored_range *range) {
  if (run->count == run->capacity) {
    size_t capacity = run->capacity ? 2 * run->capacity : 16;
    stored_range *items = realloc(run->items, capacity * sizeof *items);
    if (!items) {
      run->failed = true;
      return;
    }
    run->items = items;
    run->capacity = capacity;
  }
  run->items[run->count++] = *range;
}

static int compare(const void *left, const void *right) {
  const stored_range *l = left, *r = right;
  return (l->begin > r->begin) - (l->begin < r->begin);
}

// `next` is the op behind the run.
static void put_in_order(store_run *run, MlirOperation next) {
  bool is_sorted = true, overlaps = false;
  for (size_t i = 1; i < run->count; ++i)
    is_sorted &= run->items[i - 1].begin <= run->items[i].begin;
  if (!is_sorted) {
    qsort(run->items, run->count, sizeof *run->items, compare);
    for (size_t i = 1; i < run->count; ++i)
      overlaps |= run->items[i - 1].begin + run->items[i - 1].count > run->items[i].begin;
    for (size_t i = 0; i < run->count && !overlaps; ++i)
      mlirOperationMoveBefore(run->items[i].op, next);
  }
  run->count = 0;
}

static void order_block(MlirBlock block, store_run *run) {
  MlirOperation op = mlirBlockGetFirstOperation(block);
  // A block ends with a terminator, which is no store.
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    stored_range range;
    bool is_store = find_range(op, &range);
    if (run->count > 0 && (!is_store || !mlirValueEqual(range.buffer, run->items[0].buffer)))
      put_in_order(run, op);
    if (is_store)
      add(run, &range);
  }
  run->count = 0;
}

static MlirWalkResult order_blocks(MlirOperation op, void *user_data) {
  store_run *run = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      order_block(block, run);
  return run->failed ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

tune_status tune_store_order_run(MlirOperation module) {
  store_run run = {0};
  // What is within an op has been walked over before the op itself is.
  mlirOperationWalk(module, order_blocks, &run, MlirWalkPostOrder);
  free(run.items);
  return run.failed ? tune_status_out_of_memory("ordering stores") : TUNE_OK;
}
