//===- strided_copies.c -----------------------------------------------------------------===//

#include "transforms/lower/cpu/strided_copies.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#define MOST_DIMENSIONS 16
#define VECTOR_BYTES 64
#define MOST_ROWS_IN_REGISTERS 16

//===--------------------------------------------------------------------------===//
// Ops
//===--------------------------------------------------------------------------===//

static MlirOperation insert(MlirOperationState *state, MlirOperation place) {
  MlirOperation op = mlirOperationCreate(state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(place), place, op);
  return op;
}

// In full, LLVM unrolls hundreds of iterations of so few instructions.
#define NOT_UNROLLED "#llvm.loop_annotation<unroll = <disable = true>>"
#define UNROLLED_BY_4 "#llvm.loop_annotation<unroll = <count = 4 : i32>>"

// A loop from 0 to `end` before `place`: the end of its body, and its index.
static MlirOperation make_loop(MlirOperation place, int64_t end, int64_t step,
                               const char *annotation, MlirValue *out_index) {
  MlirLocation location = mlirOperationGetLocation(place);
  MlirContext context = mlirLocationGetContext(location);
  MlirNamedAttribute attribute = tune_ir_named(
      context, "loop_annotation", mlirAttributeParseGet(context, tune_ir_string(annotation)));
  MlirType index = mlirIndexTypeGet(context);
  MlirValue bounds[] = {tune_ir_make_index(place, 0), tune_ir_make_index(place, end),
                        tune_ir_make_index(place, step)};
  MlirBlock body = mlirBlockCreate(1, &index, &location);
  MlirOperationState yield = mlirOperationStateGet(tune_ir_string("scf.yield"), location);
  mlirBlockAppendOwnedOperation(body, mlirOperationCreate(&yield));
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  MlirOperationState state = mlirOperationStateGet(tune_ir_string("scf.for"), location);
  mlirOperationStateAddOperands(&state, 3, bounds);
  mlirOperationStateAddAttributes(&state, 1, &attribute);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  insert(&state, place);
  *out_index = mlirBlockGetArgument(body, 0);
  return mlirBlockGetTerminator(body);
}

// From memory, or an element, to memory, and what widens a vector on the way, or NULL.
typedef struct run_copy {
  MlirLocation location;
  MlirValue source, target;
  const char *extension;
} run_copy;

static MlirType vector_of(MlirType element, int64_t length) {
  return mlirVectorTypeGet(1, &length, element);
}

// One vector of `length` elements at `indices`, before `place`.
static void move_vector(const run_copy *copy, MlirOperation place, const MlirValue *indices,
                        intptr_t rank, int64_t length) {
  bool is_fill = !mlirTypeIsAMemRef(mlirValueGetType(copy->source));
  MlirType type = vector_of(
      is_fill ? mlirValueGetType(copy->source) : tune_ir_element_of(copy->source), length);
  MlirOperationState load = mlirOperationStateGet(
      tune_ir_string(is_fill ? "vector.broadcast" : "vector.load"), copy->location);
  mlirOperationStateAddOperands(&load, 1, &copy->source);
  mlirOperationStateAddOperands(&load, is_fill ? 0 : rank, indices);
  mlirOperationStateAddResults(&load, 1, &type);
  MlirValue vector = mlirOperationGetResult(insert(&load, place), 0);
  if (copy->extension) {
    MlirType wide = vector_of(tune_ir_element_of(copy->target), length);
    MlirOperationState extend =
        mlirOperationStateGet(tune_ir_string(copy->extension), copy->location);
    mlirOperationStateAddOperands(&extend, 1, &vector);
    mlirOperationStateAddResults(&extend, 1, &wide);
    vector = mlirOperationGetResult(insert(&extend, place), 0);
  }
  MlirValue to[] = {vector, copy->target};
  MlirOperationState store = mlirOperationStateGet(tune_ir_string("vector.store"), copy->location);
  mlirOperationStateAddOperands(&store, 2, to);
  mlirOperationStateAddOperands(&store, rank, indices);
  insert(&store, place);
}

//===--------------------------------------------------------------------------===//
// Copies and fills
//===--------------------------------------------------------------------------===//

// 0 for what has another size in vectors than in memory.
static int64_t bytes_of(MlirType element) {
  int64_t bits = mlirTypeIsAFloat(element)     ? (int64_t)mlirFloatTypeGetWidth(element)
                 : mlirTypeIsAInteger(element) ? (int64_t)mlirIntegerTypeGetWidth(element)
                                               : 0;
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits / 8 : 0;
}

static bool has_runs(MlirType type) {
  int64_t strides[MOST_DIMENSIONS], offset;
  if (!mlirTypeIsAMemRef(type) || !mlirShapedTypeHasStaticShape(type))
    return false;
  intptr_t rank = mlirShapedTypeGetRank(type);
  return rank > 0 && rank <= MOST_DIMENSIONS &&
         mlirLogicalResultIsSuccess(mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)) &&
         strides[rank - 1] == 1 && mlirShapedTypeGetDimSize(type, rank - 1) > 1;
}

// Runs along the last dimension of `type`, which has such.
static int64_t count_runs(MlirType type) {
  int64_t count = 1;
  for (intptr_t i = 0; i + 1 < mlirShapedTypeGetRank(type); ++i)
    count *= mlirShapedTypeGetDimSize(type, i);
  return count;
}

// Fills of register tiles are left to LLVM: sums start from them that never see memory.
static bool is_large_fill(MlirOperation op) {
  if (!tune_ir_is(op, "linalg.fill") || mlirOperationGetNumOperands(op) != 2)
    return false;
  MlirType source = mlirValueGetType(mlirOperationGetOperand(op, 0));
  MlirType target = mlirValueGetType(mlirOperationGetOperand(op, 1));
  return has_runs(target) && count_runs(target) > MOST_ROWS_IN_REGISTERS &&
         mlirTypeEqual(source, mlirShapedTypeGetElementType(target)) && bytes_of(source) != 0;
}

static MlirWalkResult find_copy(MlirOperation op, void *user_data) {
  if (is_large_fill(op))
    return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
  if (!tune_ir_is(op, "linalg.copy") || mlirOperationGetNumOperands(op) != 2)
    return MlirWalkResultAdvance;
  MlirType source = mlirValueGetType(mlirOperationGetOperand(op, 0));
  MlirType target = mlirValueGetType(mlirOperationGetOperand(op, 1));
  if (!has_runs(source) || !has_runs(target))
    return MlirWalkResultAdvance;
  MlirType element = mlirShapedTypeGetElementType(source);
  if (!mlirTypeEqual(element, mlirShapedTypeGetElementType(target)) || bytes_of(element) == 0)
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static void load_dialects(MlirContext context) {
  static const char *const made_of[] = {"arith", "scf", "vector", "llvm"};
  for (size_t i = 0; i < sizeof made_of / sizeof *made_of; ++i)
    mlirContextGetOrLoadDialect(context, tune_ir_string(made_of[i]));
}

// The outermost loop of what is made before `place`, or a null op.
static MlirOperation make_vectors(MlirOperation place, const run_copy *copy) {
  MlirType type = mlirValueGetType(copy->target);
  intptr_t rank = mlirShapedTypeGetRank(type), last = rank - 1;
  int64_t run = mlirShapedTypeGetDimSize(type, last);
  int64_t lanes = VECTOR_BYTES / bytes_of(mlirShapedTypeGetElementType(type));
  int64_t vectors = run / lanes, rest = run % lanes;
  MlirValue indices[MOST_DIMENSIONS];
  MlirOperation outermost = {NULL};
  for (intptr_t i = 0; i < last; ++i) {
    place = make_loop(place, mlirShapedTypeGetDimSize(type, i), 1, NOT_UNROLLED, &indices[i]);
    outermost = i == 0 ? mlirOperationGetParentOperation(place) : outermost;
  }
  if (vectors > 1) {
    MlirOperation end = make_loop(place, vectors * lanes, lanes, UNROLLED_BY_4, &indices[last]);
    outermost = last == 0 ? mlirOperationGetParentOperation(end) : outermost;
    move_vector(copy, end, indices, rank, lanes);
  } else if (vectors == 1) {
    indices[last] = tune_ir_make_index(place, 0);
    move_vector(copy, place, indices, rank, lanes);
  }
  if (rest) {
    indices[last] = tune_ir_make_index(place, vectors * lanes);
    move_vector(copy, place, indices, rank, rest);
  }
  return outermost;
}

static run_copy run_copy_of(MlirOperation op) {
  return (run_copy){.location = mlirOperationGetLocation(op),
                    .source = mlirOperationGetOperand(op, 0),
                    .target = mlirOperationGetOperand(op, 1)};
}

tune_status tune_strided_copies_vectorize(MlirOperation module) {
  tune_op_list copies = {0};
  mlirOperationWalk(module, find_copy, &copies, MlirWalkPreOrder);
  if (copies.count)
    load_dialects(mlirOperationGetContext(module));
  for (size_t i = 0; i < copies.count && !copies.failed; ++i) {
    run_copy copy = run_copy_of(copies.ops[i]);
    make_vectors(copies.ops[i], &copy);
    mlirOperationDestroy(copies.ops[i]);
  }
  bool failed = copies.failed;
  tune_op_list_deinit(&copies);
  return failed ? tune_status_out_of_memory("listing copies") : TUNE_OK;
}

bool tune_strided_copies_has_runs(MlirType type) {
  return has_runs(type) && bytes_of(mlirShapedTypeGetElementType(type)) != 0;
}

MlirOperation tune_strided_copies_widen(MlirOperation place, MlirValue source, MlirValue target,
                                        const char *extension) {
  load_dialects(mlirOperationGetContext(place));
  run_copy copy = {mlirOperationGetLocation(place), source, target, extension};
  return make_vectors(place, &copy);
}
