//===- bf16_moves.c - Vectors of bf16 are moved as integers ------------------------===//

#include "transforms/lower/cpu/bf16_moves.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"

#include "mlir-c/BuiltinTypes.h"

#define CAST "llvm.bitcast"
// A vector of so many more than one times these is what falls apart.
#define WHOLE 8

typedef struct bf16_moves {
  bool all;           // and not odd vectors alone
  tune_op_list ops;   // that move such vectors
  tune_op_list heads; // first ops of blocks that take such
  tune_op_list casts; // back to bf16, of which some are of no use
} bf16_moves;

static bool is_vector_of_bf16(MlirType type) {
  return mlirTypeIsAVector(type) && mlirShapedTypeGetRank(type) == 1 &&
         !mlirVectorTypeIsScalable(type) && mlirTypeIsABF16(mlirShapedTypeGetElementType(type));
}

// Whether vectors of `type` are to move as integers.
static bool is_meant(const bf16_moves *self, MlirType type) {
  if (!is_vector_of_bf16(type))
    return false;
  int64_t size = mlirShapedTypeGetDimSize(type, 0);
  return self->all || (size > WHOLE && size % WHOLE == 1);
}

// The type of integers for one of bf16; a null type for others.
static MlirType integers_for(MlirType type) {
  MlirType integer = mlirIntegerTypeGet(mlirTypeGetContext(type), 16);
  if (mlirTypeIsABF16(type))
    return integer;
  if (!is_vector_of_bf16(type))
    return (MlirType){NULL};
  int64_t size = mlirShapedTypeGetDimSize(type, 0);
  return mlirVectorTypeGet(1, &size, integer);
}

// Whether `op` gives of what it is given, and nothing else.
static bool moves(MlirOperation op) {
  static const char *const NAMES[] = {"llvm.load",
                                      "llvm.store",
                                      "llvm.shufflevector",
                                      "llvm.insertelement",
                                      "llvm.extractelement",
                                      "llvm.select",
                                      "llvm.freeze",
                                      "llvm.mlir.poison",
                                      "llvm.mlir.undef",
                                      "llvm.mlir.zero",
                                      "llvm.intr.masked.load",
                                      "llvm.intr.masked.store",
                                      NULL};
  return tune_ir_is_one_of(op, NAMES);
}

// Whether what is given to `op` goes to arguments of blocks.
static bool branches(MlirOperation op) {
  static const char *const NAMES[] = {"llvm.br", "llvm.cond_br", "llvm.switch", NULL};
  return tune_ir_is_one_of(op, NAMES);
}

static bool touches_meant(const bf16_moves *self, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (is_meant(self, mlirValueGetType(mlirOperationGetOperand(op, i))))
      return true;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (is_meant(self, mlirValueGetType(mlirOperationGetResult(op, i))))
      return true;
  return false;
}

// Whether `op` is the first one of a block behind a function's first, whose arguments come from
// branches.
static bool begins_inner_block(MlirOperation op) {
  MlirBlock block = mlirOperationGetBlock(op);
  if (mlirBlockIsNull(block) || !mlirOperationEqual(mlirBlockGetFirstOperation(block), op))
    return false;
  MlirRegion region = mlirBlockGetParentRegion(block);
  return !mlirRegionIsNull(region) && !mlirBlockEqual(mlirRegionGetFirstBlock(region), block);
}

static MlirWalkResult list_op(MlirOperation op, void *user_data) {
  bf16_moves *self = user_data;
  if ((moves(op) || branches(op)) && touches_meant(self, op))
    tune_op_list_add(&self->ops, op);
  if (begins_inner_block(op))
    tune_op_list_add(&self->heads, op);
  return MlirWalkResultAdvance;
}

// `value` as integers, for `user`.
static MlirValue as_integers(MlirValue value, MlirOperation user) {
  MlirType type = integers_for(mlirValueGetType(value));
  MlirOperation made = tune_ir_definition(value);
  if (tune_ir_is(made, CAST) &&
      mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(made, 0)), type))
    return mlirOperationGetOperand(made, 0);
  tune_ir_builder builder = tune_ir_builder_before(user);
  return tune_ir_build_value(&builder, CAST, type, 1, &value);
}

// Makes `value` integers, and casts them back ahead of `place` for who uses them.
static void become_integers(bf16_moves *self, MlirValue value, MlirOperation place) {
  MlirType narrow = mlirValueGetType(value);
  mlirValueSetType(value, integers_for(narrow));
  tune_ir_builder builder = tune_ir_builder_before(place);
  MlirValue back = tune_ir_build_value(&builder, CAST, narrow, 1, &value);
  MlirOperation cast = mlirOpResultGetOwner(back);
  mlirValueReplaceAllUsesExcept(value, back, 1, &cast);
  tune_op_list_add(&self->casts, cast);
}

static void rewrite(bf16_moves *self, MlirOperation op) {
  bool only_meant = branches(op); // other arguments of blocks stay as they are
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    MlirType type = mlirValueGetType(operand);
    if (only_meant ? is_meant(self, type) : !mlirTypeIsNull(integers_for(type)))
      mlirOperationSetOperand(op, i, as_integers(operand, op));
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    MlirValue result = mlirOperationGetResult(op, i);
    if (!mlirTypeIsNull(integers_for(mlirValueGetType(result))))
      become_integers(self, result, mlirOperationGetNextInBlock(op));
  }
}

static void rewrite_arguments(bf16_moves *self, MlirOperation head) {
  MlirBlock block = mlirOperationGetBlock(head);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
    if (is_meant(self, mlirValueGetType(mlirBlockGetArgument(block, i))))
      become_integers(self, mlirBlockGetArgument(block, i), head);
}

tune_status tune_bf16_moves_run(MlirOperation module, bool all) {
  bf16_moves self = {.all = all};
  mlirOperationWalk(module, list_op, &self, MlirWalkPreOrder);
  bool failed = self.ops.failed || self.heads.failed;
  for (size_t i = 0; !failed && i < self.heads.count; i++)
    rewrite_arguments(&self, self.heads.ops[i]);
  for (size_t i = 0; !failed && i < self.ops.count; i++)
    rewrite(&self, self.ops.ops[i]);
  for (size_t i = 0; i < self.casts.count; i++)
    if (!tune_ir_is_used(self.casts.ops[i]))
      mlirOperationDestroy(self.casts.ops[i]);
  failed = failed || self.casts.failed;
  tune_op_list_deinit(&self.ops);
  tune_op_list_deinit(&self.heads);
  tune_op_list_deinit(&self.casts);
  return failed ? tune_status_out_of_memory("moving vectors of bf16") : TUNE_OK;
}
