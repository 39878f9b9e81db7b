//===- vector_rows.c - Arithmetic on tiles, a row at a time ------------------===//

#include "transforms/lower/cpu/vectors/vector_rows.h"

#include "transforms/ir/ir.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/cpu/vectors/math_avx512.h"

#include <stdlib.h>

#define MAX_RANK 16

static bool is_elementwise(MlirOperation op) {
  MlirStringRef name = tune_ir_name(op);
  return (tune_ir_string_starts(name, "arith.") || tune_ir_string_starts(name, "math.")) &&
         !tune_ir_string_equal(name, "arith.constant");
}

static bool is_fixed_vector(MlirType type) {
  return mlirTypeIsAVector(type) && !mlirVectorTypeIsScalable(type);
}

//===--------------------------------------------------------------------------===//
// Splitting
//===--------------------------------------------------------------------------===//

// `type` with the elements of `shape`'s last dimension; of rank 0 its element type.
static MlirType row_type(MlirType type) {
  MlirType element = mlirShapedTypeGetElementType(type);
  intptr_t rank = mlirShapedTypeGetRank(type);
  if (rank == 0)
    return element;
  int64_t length = mlirShapedTypeGetDimSize(type, rank - 1);
  return mlirVectorTypeGet(1, &length, element);
}

static bool is_split(MlirOperation op) {
  if (!is_elementwise(op) || mlirOperationGetNumResults(op) == 0)
    return false;
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (!is_fixed_vector(type))
    return false;
  intptr_t rank = mlirShapedTypeGetRank(type);
  return rank != 1 && rank <= MAX_RANK;
}

static MlirNamedAttribute position_attribute(MlirContext context, const int64_t *position,
                                             intptr_t count) {
  return tune_ir_named(context, "static_position", mlirDenseI64ArrayGet(context, count, position));
}

static MlirValue insert_before(MlirOperation place, MlirOperationState *state) {
  MlirOperation op = mlirOperationCreate(state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(place), place, op);
  return mlirOperationGetResult(op, 0);
}

// The number of which `vector` is a broadcast, or null. Upstream folds a row of a broadcast row,
// but not of a broadcast number.
static MlirValue broadcast_number(MlirValue vector) {
  MlirValue none = {NULL};
  if (!mlirValueIsAOpResult(vector))
    return none;
  MlirOperation op = mlirOpResultGetOwner(vector);
  if (!tune_ir_is(op, "vector.broadcast"))
    return none;
  MlirValue source = mlirOperationGetOperand(op, 0);
  return mlirTypeIsAVector(mlirValueGetType(source)) ? none : source;
}

static MlirValue make_extract(MlirOperation place, MlirValue vector, const int64_t *position,
                              intptr_t count) {
  MlirType type = row_type(mlirValueGetType(vector));
  MlirValue number = broadcast_number(vector);
  if (!mlirValueIsNull(number) && mlirTypeIsAVector(type)) {
    MlirOperationState state =
        mlirOperationStateGet(tune_ir_string("vector.broadcast"), mlirOperationGetLocation(place));
    mlirOperationStateAddOperands(&state, 1, &number);
    mlirOperationStateAddResults(&state, 1, &type);
    return insert_before(place, &state);
  }
  MlirOperationState state =
      mlirOperationStateGet(tune_ir_string("vector.extract"), mlirOperationGetLocation(place));
  MlirNamedAttribute attribute =
      position_attribute(mlirOperationGetContext(place), position, count);
  mlirOperationStateAddOperands(&state, 1, &vector);
  mlirOperationStateAddResults(&state, 1, &type);
  mlirOperationStateAddAttributes(&state, 1, &attribute);
  return insert_before(place, &state);
}

static MlirValue make_insert(MlirOperation place, MlirValue row, MlirValue vector,
                             const int64_t *position, intptr_t count) {
  MlirType type = mlirValueGetType(vector);
  MlirOperationState state =
      mlirOperationStateGet(tune_ir_string("vector.insert"), mlirOperationGetLocation(place));
  MlirNamedAttribute attribute =
      position_attribute(mlirOperationGetContext(place), position, count);
  MlirValue operands[] = {row, vector};
  mlirOperationStateAddOperands(&state, 2, operands);
  mlirOperationStateAddResults(&state, 1, &type);
  mlirOperationStateAddAttributes(&state, 1, &attribute);
  return insert_before(place, &state);
}

static MlirValue make_poison(MlirOperation place, MlirType type) {
  mlirContextGetOrLoadDialect(mlirOperationGetContext(place), tune_ir_string("ub"));
  MlirOperationState state =
      mlirOperationStateGet(tune_ir_string("ub.poison"), mlirOperationGetLocation(place));
  mlirOperationStateAddResults(&state, 1, &type);
  return insert_before(place, &state);
}

// The op on the row at `position`: `op` with rows for vectors. A scalar operand (the condition of a
// select) holds for all rows.
static MlirOperation make_row_op(MlirOperation op, const int64_t *position, intptr_t count) {
  MlirOperationState state = mlirOperationStateGet(mlirIdentifierStr(mlirOperationGetName(op)),
                                                   mlirOperationGetLocation(op));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (mlirTypeIsAVector(mlirValueGetType(operand)))
      operand = make_extract(op, operand, position, count);
    mlirOperationStateAddOperands(&state, 1, &operand);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirType type = row_type(mlirValueGetType(mlirOperationGetResult(op, i)));
    mlirOperationStateAddResults(&state, 1, &type);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
    mlirOperationStateAddAttributes(&state, 1, &attribute);
  }
  MlirOperation row = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, row);
  return row;
}

// Counts `position` up within `shape`'s dimensions but the last; false after the last one.
static bool next_position(int64_t *position, MlirType shape, intptr_t count) {
  for (intptr_t i = count; i-- > 0;) {
    if (++position[i] < mlirShapedTypeGetDimSize(shape, i))
      return true;
    position[i] = 0;
  }
  return false;
}

static tune_status split(MlirOperation op) {
  MlirType shape = mlirValueGetType(mlirOperationGetResult(op, 0));
  intptr_t rank = mlirShapedTypeGetRank(shape);
  intptr_t count = rank > 0 ? rank - 1 : 0;
  intptr_t result_count = mlirOperationGetNumResults(op);
  MlirValue *whole = calloc((size_t)result_count, sizeof *whole);
  if (!whole)
    return tune_status_out_of_memory("splitting vectors into rows");
  for (intptr_t i = 0; i < result_count; ++i)
    whole[i] = make_poison(op, mlirValueGetType(mlirOperationGetResult(op, i)));
  int64_t position[MAX_RANK] = {0};
  do {
    MlirOperation row = make_row_op(op, position, count);
    for (intptr_t i = 0; i < result_count; ++i)
      whole[i] = make_insert(op, mlirOperationGetResult(row, i), whole[i], position, count);
  } while (next_position(position, shape, count));
  for (intptr_t i = 0; i < result_count; ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, i), whole[i]);
  mlirOperationDestroy(op);
  free(whole);
  return TUNE_OK;
}

typedef struct splitting {
  size_t count;
  tune_status status;
} splitting;

// Post-order: the walk has taken the next op before this one goes.
static MlirWalkResult split_if_tile(MlirOperation op, void *user_data) {
  splitting *all = user_data;
  if (!is_split(op))
    return MlirWalkResultAdvance;
  all->status = split(op);
  all->count++;
  return tune_status_is_ok(all->status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

tune_status tune_vector_rows_split(MlirOperation module, size_t *out_count) {
  splitting all = {0};
  mlirOperationWalk(module, split_if_tile, &all, MlirWalkPostOrder);
  *out_count = all.count;
  return all.status;
}

//===--------------------------------------------------------------------------===//
// Sinking
//===--------------------------------------------------------------------------===//

// The op of `block` that is or holds `op`; null where there is none.
static MlirOperation ancestor_in(MlirBlock block, MlirOperation op) {
  while (!mlirOperationIsNull(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

// The first op of `block` that uses a result of `op`; null where there is none, or a use is in
// another block of the region.
static MlirOperation first_user(MlirBlock block, MlirOperation op) {
  MlirOperation first = {NULL};
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, i));
         !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = ancestor_in(block, mlirOpOperandGetOwner(use));
      if (mlirOperationIsNull(user))
        return user;
      if (mlirOperationIsNull(first) || mlirOperationIsBeforeInBlock(user, first))
        first = user;
    }
  return first;
}

// What functions become besides elementwise ops.
static bool is_of_function(MlirOperation op) {
  return tune_math_avx512_is_call(op) || tune_ir_is(op, "vector.extract_strided_slice") ||
         tune_ir_is(op, "vector.insert_strided_slice");
}

static bool is_sunk(MlirOperation op) {
  return (is_elementwise(op) || is_of_function(op)) && mlirOperationGetNumResults(op) > 0 &&
         mlirTypeIsAVector(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

// The list is grown to the largest block seen.
static void list_ops(MlirBlock block, tune_op_list *list) {
  list->count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (is_sunk(op))
      tune_op_list_add(list, op);
}

// From the end of the block: the users of an op have their places when its turn comes.
static MlirWalkResult sink_in_op(MlirOperation op, void *user_data) {
  tune_op_list *list = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block)) {
      list_ops(block, list);
      for (size_t n = list->count; n-- > 0;) {
        MlirOperation user = first_user(block, list->ops[n]);
        if (!mlirOperationIsNull(user))
          mlirOperationMoveBefore(list->ops[n], user);
      }
    }
  return list->failed ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

tune_status tune_vector_rows_sink(MlirOperation module) {
  tune_op_list list = {0};
  mlirOperationWalk(module, sink_in_op, &list, MlirWalkPreOrder);
  tune_op_list_deinit(&list);
  return list.failed ? tune_status_out_of_memory("ordering the ops of rows") : TUNE_OK;
}
