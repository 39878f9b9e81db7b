//===- copies.c -----------------------------------------------------------------===//

#include "transforms/lower/copies.h"

#include "transforms/ir.h"
#include "transforms/op_list.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#define MOST_DIMENSIONS 16
#define VECTOR_BYTES 64

//===--------------------------------------------------------------------------===//
// Ops
//===--------------------------------------------------------------------------===//

// Before the end of `block`.
static MlirOperation insert(MlirOperationState *state, MlirBlock block) {
  MlirOperation op = mlirOperationCreate(state);
  mlirBlockInsertOwnedOperationBefore(block, mlirBlockGetTerminator(block), op);
  return op;
}

static MlirValue make_index(MlirLocation location, MlirBlock block, int64_t value) {
  MlirContext context = mlirLocationGetContext(location);
  MlirType type = mlirIndexTypeGet(context);
  MlirNamedAttribute attribute = tune_ir_named(context, "value", mlirIntegerAttrGet(type, value));
  MlirOperationState state = mlirOperationStateGet(tune_ir_string("arith.constant"), location);
  mlirOperationStateAddAttributes(&state, 1, &attribute);
  mlirOperationStateAddResults(&state, 1, &type);
  return mlirOperationGetResult(insert(&state, block), 0);
}

// In full, LLVM unrolls hundreds of iterations of so few instructions.
#define NOT_UNROLLED "#llvm.loop_annotation<unroll = <disable = true>>"
#define UNROLLED_BY_4 "#llvm.loop_annotation<unroll = <count = 4 : i32>>"

// The body of a loop from 0 to `end`, made before the end of `block`; its index is the argument.
static MlirBlock make_loop(MlirLocation location, MlirBlock block, int64_t end, int64_t step,
                           const char *annotation) {
  MlirContext context = mlirLocationGetContext(location);
  MlirNamedAttribute attribute = tune_ir_named(
      context, "loop_annotation", mlirAttributeParseGet(context, tune_ir_string(annotation)));
  MlirType index = mlirIndexTypeGet(context);
  MlirValue bounds[] = {make_index(location, block, 0), make_index(location, block, end),
                        make_index(location, block, step)};
  MlirBlock body = mlirBlockCreate(1, &index, &location);
  MlirOperationState yield = mlirOperationStateGet(tune_ir_string("scf.yield"), location);
  mlirBlockAppendOwnedOperation(body, mlirOperationCreate(&yield));
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  MlirOperationState state = mlirOperationStateGet(tune_ir_string("scf.for"), location);
  mlirOperationStateAddOperands(&state, 3, bounds);
  mlirOperationStateAddAttributes(&state, 1, &attribute);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  insert(&state, block);
  return body;
}

// One vector of `length` elements at `indices`, from operand 0 of `copy` to operand 1.
static void move_vector(MlirOperation copy, MlirBlock block, const MlirValue *indices,
                        intptr_t rank, int64_t length) {
  MlirLocation location = mlirOperationGetLocation(copy);
  MlirValue source = mlirOperationGetOperand(copy, 0), target = mlirOperationGetOperand(copy, 1);
  MlirType vector =
      mlirVectorTypeGet(1, &length, mlirShapedTypeGetElementType(mlirValueGetType(source)));
  MlirOperationState load = mlirOperationStateGet(tune_ir_string("vector.load"), location);
  mlirOperationStateAddOperands(&load, 1, &source);
  mlirOperationStateAddOperands(&load, rank, indices);
  mlirOperationStateAddResults(&load, 1, &vector);
  MlirValue to[] = {mlirOperationGetResult(insert(&load, block), 0), target};
  MlirOperationState store = mlirOperationStateGet(tune_ir_string("vector.store"), location);
  mlirOperationStateAddOperands(&store, 2, to);
  mlirOperationStateAddOperands(&store, rank, indices);
  insert(&store, block);
}

//===--------------------------------------------------------------------------===//
// Copies
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

static MlirWalkResult find_copy(MlirOperation op, void *user_data) {
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

static void make_vectors(MlirOperation copy) {
  MlirLocation location = mlirOperationGetLocation(copy);
  MlirType type = mlirValueGetType(mlirOperationGetOperand(copy, 1));
  intptr_t rank = mlirShapedTypeGetRank(type);
  int64_t run = mlirShapedTypeGetDimSize(type, rank - 1);
  int64_t lanes = VECTOR_BYTES / bytes_of(mlirShapedTypeGetElementType(type));
  int64_t vectors = run / lanes, rest = run % lanes;
  MlirValue indices[MOST_DIMENSIONS];
  // The outermost loop goes where the copy is, which is no end of a block.
  MlirBlock around = mlirBlockCreate(0, NULL, NULL), block = around;
  MlirOperationState end = mlirOperationStateGet(tune_ir_string("scf.yield"), location);
  mlirBlockAppendOwnedOperation(around, mlirOperationCreate(&end));
  for (intptr_t i = 0; i + 1 < rank; ++i) {
    block = make_loop(location, block, mlirShapedTypeGetDimSize(type, i), 1, NOT_UNROLLED);
    indices[i] = mlirBlockGetArgument(block, 0);
  }
  if (vectors > 1) {
    MlirBlock body = make_loop(location, block, vectors * lanes, lanes, UNROLLED_BY_4);
    indices[rank - 1] = mlirBlockGetArgument(body, 0);
    move_vector(copy, body, indices, rank, lanes);
  } else if (vectors == 1) {
    indices[rank - 1] = make_index(location, block, 0);
    move_vector(copy, block, indices, rank, lanes);
  }
  if (rest) {
    indices[rank - 1] = make_index(location, block, vectors * lanes);
    move_vector(copy, block, indices, rank, rest);
  }
  for (MlirOperation op = mlirBlockGetFirstOperation(around);
       !mlirOperationEqual(op, mlirBlockGetTerminator(around));
       op = mlirBlockGetFirstOperation(around))
    mlirOperationMoveBefore(op, copy);
  mlirBlockDestroy(around);
  mlirOperationDestroy(copy);
}

tune_status tune_copies_make_vectors(MlirOperation module) {
  tune_op_list copies = {0};
  mlirOperationWalk(module, find_copy, &copies, MlirWalkPreOrder);
  static const char *const made_of[] = {"arith", "scf", "vector", "llvm"};
  for (size_t i = 0; i < sizeof made_of / sizeof *made_of && copies.count; ++i)
    mlirContextGetOrLoadDialect(mlirOperationGetContext(module), tune_ir_string(made_of[i]));
  for (size_t i = 0; i < copies.count && !copies.failed; ++i)
    make_vectors(copies.ops[i]);
  bool failed = copies.failed;
  tune_op_list_deinit(&copies);
  return failed ? tune_status_make(TUNE_OUT_OF_MEMORY, "listing copies") : TUNE_OK;
}
