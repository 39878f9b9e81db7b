//===- edge_peeling.c - Peeling of the last step of loops that reach an edge -===//

#include "transforms/lower/gpu/edge_peeling.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/attributes.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

#define MOST_RANK 8

//===--------------------------------------------------------------------------===//
// Transfers
//===--------------------------------------------------------------------------===//

static intptr_t first_index(MlirOperation transfer) {
  return tune_ir_is(transfer, "vector.transfer_read") ? 1 : 2;
}

static MlirType memory_type(MlirOperation transfer) {
  return mlirValueGetType(mlirOperationGetOperand(transfer, first_index(transfer) - 1));
}

static intptr_t vector_rank(MlirOperation transfer) {
  return mlirArrayAttrGetNumElements(tune_ir_attribute(transfer, "in_bounds"));
}

static bool is_in_bounds(MlirOperation transfer, intptr_t d) {
  return mlirBoolAttrGetValue(mlirArrayAttrGetElement(tune_ir_attribute(transfer, "in_bounds"), d));
}

// The dimension of the buffer that dimension `d` of the vector lies along; -1: none.
static intptr_t along(MlirOperation transfer, intptr_t d) {
  MlirAffineExpr place = mlirAffineMapGetResult(
      mlirAffineMapAttrGetValue(tune_ir_attribute(transfer, "permutation_map")), d);
  return mlirAffineExprIsADim(place) ? mlirAffineDimExprGetPosition(place) : -1;
}

static MlirValue index_along(MlirOperation transfer, intptr_t m) {
  return mlirOperationGetOperand(transfer, first_index(transfer) + m);
}

// Sets element `d` of `name`, one boolean for each dimension of the vector, all false at first.
static void set_flag(MlirOperation transfer, const char *name, intptr_t d) {
  MlirContext context = mlirOperationGetContext(transfer);
  MlirAttribute old = tune_ir_attribute(transfer, name), flags[MOST_RANK];
  intptr_t rank = vector_rank(transfer);
  for (intptr_t i = 0; i < rank; ++i)
    flags[i] = i == d                     ? mlirBoolAttrGet(context, true)
               : mlirAttributeIsNull(old) ? mlirBoolAttrGet(context, false)
                                          : mlirArrayAttrGetElement(old, i);
  mlirOperationSetAttributeByName(transfer, tune_ir_string(name),
                                  mlirArrayAttrGet(context, rank, flags));
}

static bool is_checked_read(MlirOperation op) {
  return tune_ir_is(op, "vector.transfer_read") && mlirTypeIsAMemRef(memory_type(op)) &&
         mlirShapedTypeHasStaticShape(memory_type(op)) && vector_rank(op) <= MOST_RANK;
}

//===--------------------------------------------------------------------------===//
// The last step
//===--------------------------------------------------------------------------===//

// The dimension of the vector that `read` has checked along `number`; -1: none.
static intptr_t checked_along(MlirOperation read, MlirValue number) {
  for (intptr_t d = 0; d < vector_rank(read); ++d) {
    intptr_t m = along(read, d);
    if (m >= 0 && !is_in_bounds(read, d) && mlirValueEqual(index_along(read, m), number))
      return d;
  }
  return -1;
}

// The size of the buffers that `loop` reads beyond the end of in its last step, and there alone; 0
// where it does not, or beyond several ends.
static int64_t find_end(MlirOperation loop, int64_t lower, int64_t upper, int64_t step) {
  MlirBlock body = tune_ir_body(loop);
  MlirValue number = mlirBlockGetArgument(body, 0);
  int64_t end = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    intptr_t d = is_checked_read(op) ? checked_along(op, number) : -1;
    if (d < 0)
      continue;
    int64_t size = mlirShapedTypeGetDimSize(memory_type(op), along(op, d));
    int64_t reach = mlirShapedTypeGetDimSize(mlirValueGetType(mlirOperationGetResult(op, 0)), d);
    if ((end && size != end) || reach > step)
      return 0;
    end = size;
  }
  bool is_last = end > lower + step && end > upper - step && end < upper;
  return is_last && (upper - lower) % step == 0 ? end : 0;
}

static void trust_reads(MlirOperation loop) {
  MlirBlock body = tune_ir_body(loop);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    intptr_t d = is_checked_read(op) ? checked_along(op, mlirBlockGetArgument(body, 0)) : -1;
    if (d >= 0)
      set_flag(op, "in_bounds", d);
  }
}

// The copies of a group's tile (workgroup_matmul.h) ask by themselves, and it has one loop.
static bool is_of_group_tile(MlirOperation loop) {
  MlirOperation parent = mlirOperationGetParentOperation(loop);
  return tune_ir_is(parent, "scf.forall") &&
         !mlirAttributeIsNull(tune_ir_attribute(parent, TUNE_TILE_STAGES_ATTRIBUTE));
}

// A copy of `loop` after it makes the last step.
static void split_last_step(MlirOperation loop) {
  int64_t lower, upper, step;
  if (is_of_group_tile(loop) ||
      !tune_ir_is_constant_index(mlirOperationGetOperand(loop, 0), &lower) ||
      !tune_ir_is_constant_index(mlirOperationGetOperand(loop, 1), &upper) ||
      !tune_ir_is_constant_index(mlirOperationGetOperand(loop, 2), &step) || step < 1 ||
      find_end(loop, lower, upper, step) == 0)
    return;
  tune_ir_builder before = tune_ir_builder_before(loop);
  MlirValue start = tune_ir_build_index(&before, upper - step);
  MlirOperation last = mlirOperationClone(loop);
  mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(loop), loop, last);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(loop, i), mlirOperationGetResult(last, i));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i)
    mlirOperationSetOperand(last, 3 + i, mlirOperationGetResult(loop, i));
  mlirOperationSetOperand(loop, 1, start);
  mlirOperationSetOperand(last, 0, start);
  trust_reads(loop);
}

//===--------------------------------------------------------------------------===//
// What is written nowhere
//===--------------------------------------------------------------------------===//

// An edge of the result of a product: dimension `d` of its vector from `index` on, to `size`.
typedef struct edge {
  intptr_t d;
  MlirValue index;
  int64_t size;
} edge;

// Whether `a` and `b`, two indices, are the same, or arithmetic alike of the same: nobody may have
// merged it yet.
static bool are_same(MlirValue a, MlirValue b, int depth) {
  if (mlirValueEqual(a, b))
    return true;
  if (depth > 8 || !mlirValueIsAOpResult(a) || !mlirValueIsAOpResult(b))
    return false;
  MlirOperation one = mlirOpResultGetOwner(a), other = mlirOpResultGetOwner(b);
  intptr_t count = mlirOperationGetNumOperands(one);
  bool computes = tune_ir_string_starts(tune_ir_name(one), "affine.apply") ||
                  tune_ir_string_starts(tune_ir_name(one), "arith.");
  if (!computes || !mlirIdentifierEqual(mlirOperationGetName(one), mlirOperationGetName(other)) ||
      count != mlirOperationGetNumOperands(other) || !tune_ir_has_same_attributes(one, other))
    return false;
  for (intptr_t i = 0; i < count; ++i)
    if (!are_same(mlirOperationGetOperand(one, i), mlirOperationGetOperand(other, i), depth + 1))
      return false;
  return true;
}

static bool ends_alike(MlirOperation write, const edge *at) {
  intptr_t m = along(write, at->d);
  return m >= 0 && !is_in_bounds(write, at->d) && are_same(index_along(write, m), at->index, 0) &&
         mlirShapedTypeGetDimSize(memory_type(write), m) == at->size;
}

static MlirValue carried_by(MlirOperation loop, intptr_t number) {
  return mlirBlockGetArgument(tune_ir_body(loop), 1 + number);
}

// Whether elements of `value` beyond the edge go nowhere: into sums of the same place, which loops
// carry, and into writes that end there.
static bool goes_nowhere(MlirValue value, const edge *at, int depth) {
  if (depth > 8)
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use), parent = mlirOperationGetParentOperation(op);
    intptr_t number = mlirOpOperandGetOperandNumber(use);
    bool goes = false;
    if (tune_ir_is(op, "vector.contract") && number == 2)
      goes = goes_nowhere(mlirOperationGetResult(op, 0), at, depth + 1);
    else if (tune_ir_is(op, "scf.yield") && tune_ir_is(parent, "scf.for"))
      goes = goes_nowhere(mlirOperationGetResult(parent, number), at, depth + 1);
    else if (tune_ir_is(op, "scf.for") && number >= 3)
      goes = goes_nowhere(carried_by(op, number - 3), at, depth + 1) &&
             goes_nowhere(mlirOperationGetResult(op, number - 3), at, depth + 1);
    else if (tune_ir_is(op, "vector.transfer_write") && number == 0)
      goes = ends_alike(op, at);
    if (!goes)
      return false;
  }
  return true;
}

// The dimension of the result of the product `contract` that dimension `d` of its operand `number`
// becomes; -1 where that is summed up.
static intptr_t result_dimension(MlirOperation contract, intptr_t number, intptr_t d) {
  MlirAttribute maps = tune_ir_attribute(contract, "indexing_maps");
  MlirAffineMap from = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, number)),
                to = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, 2));
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(to); ++i)
    if (mlirAffineExprEqual(mlirAffineMapGetResult(to, i), mlirAffineMapGetResult(from, d)))
      return i;
  return -1;
}

// Whether what `read` has beyond its edge along dimension `d` may be anything.
static bool may_be_anything(MlirOperation read, intptr_t d) {
  intptr_t m = along(read, d);
  if (m < 0 || is_in_bounds(read, d))
    return false;
  MlirValue value = mlirOperationGetResult(read, 0);
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation product = mlirOpOperandGetOwner(use);
    intptr_t number = mlirOpOperandGetOperandNumber(use);
    if (!tune_ir_is(product, "vector.contract") || number > 1)
      return false;
    edge at = {.d = result_dimension(product, number, d),
               .index = index_along(read, m),
               .size = mlirShapedTypeGetDimSize(memory_type(read), m)};
    if (at.d < 0 || !goes_nowhere(mlirOperationGetResult(product, 0), &at, 0))
      return false;
  }
  return true;
}

//===--------------------------------------------------------------------------===//
// All of them
//===--------------------------------------------------------------------------===//

typedef struct edge_walk {
  tune_op_list loops, reads;
} edge_walk;

static MlirWalkResult list_op(MlirOperation op, void *user_data) {
  edge_walk *walk = user_data;
  if (tune_ir_is(op, "scf.for"))
    tune_op_list_add(&walk->loops, op);
  else if (is_checked_read(op))
    tune_op_list_add(&walk->reads, op);
  return MlirWalkResultAdvance;
}

static tune_status list_ops(MlirOperation function, edge_walk *out_walk) {
  *out_walk = (edge_walk){0};
  mlirOperationWalk(function, list_op, out_walk, MlirWalkPreOrder);
  return out_walk->loops.failed || out_walk->reads.failed
             ? tune_status_out_of_memory("listing edges")
             : TUNE_OK;
}

static void deinit(edge_walk *walk) {
  tune_op_list_deinit(&walk->loops);
  tune_op_list_deinit(&walk->reads);
}

tune_status tune_edge_peeling_lower(MlirOperation function) {
  edge_walk walk;
  tune_status status = list_ops(function, &walk);
  // The innermost first: what is copied has been split.
  for (size_t i = walk.loops.count; i-- > 0 && tune_status_is_ok(status);)
    split_last_step(walk.loops.ops[i]);
  deinit(&walk);
  if (!tune_status_is_ok(status))
    return status;
  status = list_ops(function, &walk);
  for (size_t i = 0; i < walk.reads.count && tune_status_is_ok(status); ++i)
    for (intptr_t d = 0; d < vector_rank(walk.reads.ops[i]); ++d)
      if (may_be_anything(walk.reads.ops[i], d))
        set_flag(walk.reads.ops[i], TUNE_OUTSIDE_ANY_ATTRIBUTE, d);
  deinit(&walk);
  return status;
}
