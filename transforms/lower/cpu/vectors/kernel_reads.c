//===- kernel_reads.c -------------------------------------------------------------------===//

#include "transforms/lower/cpu/vectors/kernel_reads.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_facts.h"
#include "transforms/ir/op_list.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdbool.h>

#define MOST_ELEMENTS 16
#define LEAST_BYTES 4 // of an element: narrower ones are multiplied by pairs, or widened as vectors

typedef struct reads {
  tune_op_list loads, prefetches;
  bool failed; // memory ran out
} reads;

//===--- Elements ------------------------------------------------------------------------===//

// Whether `op` takes one element out of a vector of one dimension; which.
static bool takes_element(MlirOperation op, int64_t *out_element) {
  if (!tune_ir_is(op, "vector.extract") || mlirOperationGetNumOperands(op) != 1)
    return false;
  MlirAttribute position = tune_ir_attribute(op, "static_position");
  if (mlirDenseArrayGetNumElements(position) != 1)
    return false;
  *out_element = mlirDenseI64ArrayGetElement(position, 0);
  return *out_element >= 0;
}

static bool is_read_by_element(MlirOperation op) {
  if (!tune_ir_is(op, "vector.load") || mlirOperationGetNumOperands(op) > TUNE_IR_MAX_RANK + 1)
    return false;
  MlirValue vector = mlirOperationGetResult(op, 0);
  MlirType type = mlirValueGetType(vector);
  MlirType memory = mlirValueGetType(mlirOperationGetOperand(op, 0));
  if (mlirShapedTypeGetRank(type) != 1 || mlirShapedTypeGetDimSize(type, 0) > MOST_ELEMENTS ||
      mlirVectorTypeIsScalable(type) ||
      tune_op_element_bytes(mlirShapedTypeGetElementType(type)) < LEAST_BYTES ||
      !mlirTypeEqual(mlirShapedTypeGetElementType(memory), mlirShapedTypeGetElementType(type)))
    return false;
  MlirOpOperand use = mlirValueGetFirstUse(vector);
  bool is_used = !mlirOpOperandIsNull(use);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    int64_t element;
    if (!takes_element(mlirOpOperandGetOwner(use), &element))
      return false;
  }
  return is_used;
}

// memref.load of `element` of what `load` reads, there.
static MlirValue build_element(MlirOperation load, int64_t element) {
  tune_ir_builder b = tune_ir_builder_before(load);
  MlirValue operands[TUNE_IR_MAX_RANK + 1];
  intptr_t count = mlirOperationGetNumOperands(load);
  for (intptr_t i = 0; i < count; ++i)
    operands[i] = mlirOperationGetOperand(load, i);
  if (element)
    operands[count - 1] = tune_ir_build_binary(&b, "arith.addi", operands[count - 1],
                                               tune_ir_build_index(&b, element));
  MlirType type = mlirShapedTypeGetElementType(mlirValueGetType(mlirOperationGetResult(load, 0)));
  return tune_ir_build_value(&b, "memref.load", type, count, operands);
}

static void read_by_element(MlirOperation load) {
  MlirValue vector = mlirOperationGetResult(load, 0);
  MlirValue elements[MOST_ELEMENTS] = {{NULL}};
  MlirOpOperand use;
  while (!mlirOpOperandIsNull(use = mlirValueGetFirstUse(vector))) {
    MlirOperation extract = mlirOpOperandGetOwner(use);
    int64_t element = 0;
    takes_element(extract, &element);
    if (mlirValueIsNull(elements[element]))
      elements[element] = build_element(load, element);
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(extract, 0), elements[element]);
    mlirOperationDestroy(extract);
  }
  mlirOperationDestroy(load);
}

//===--- Prefetches ----------------------------------------------------------------------===//

static bool touches_memory(MlirOperation op) {
  return !tune_ir_string_starts(tune_ir_name(op), "arith.") && !tune_ir_is(op, "affine.apply") &&
         !tune_ir_is(op, "memref.prefetch");
}

// The first op of the block of `prefetch` that it has to come before.
static MlirOperation find_first(MlirOperation prefetch) {
  MlirOperation op = mlirBlockGetFirstOperation(mlirOperationGetBlock(prefetch));
  while (!mlirOperationEqual(op, prefetch) && !touches_memory(op))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

// Whether `op`, in the block of `first` and behind it, and all that it is computed of there, may go
// before that.
static bool may_go_before(MlirOperation op, MlirOperation first) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirOperation of = tune_ir_definition(mlirOperationGetOperand(op, i));
    if (mlirOperationIsNull(of) ||
        !mlirBlockEqual(mlirOperationGetBlock(of), mlirOperationGetBlock(first)) ||
        mlirOperationIsBeforeInBlock(of, first))
      continue;
    if (touches_memory(of) || !may_go_before(of, first))
      return false;
  }
  return true;
}

static void go_before(MlirOperation op, MlirOperation first) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirOperation of = tune_ir_definition(mlirOperationGetOperand(op, i));
    if (!mlirOperationIsNull(of) &&
        mlirBlockEqual(mlirOperationGetBlock(of), mlirOperationGetBlock(first)) &&
        !mlirOperationIsBeforeInBlock(of, first))
      go_before(of, first);
  }
  mlirOperationMoveBefore(op, first);
}

//===--- The whole -----------------------------------------------------------------------===//

static MlirWalkResult list(MlirOperation op, void *user_data) {
  reads *found = user_data;
  if (is_read_by_element(op))
    found->failed |= !tune_op_list_add(&found->loads, op);
  if (tune_ir_is(op, "memref.prefetch"))
    found->failed |= !tune_op_list_add(&found->prefetches, op);
  return found->failed ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

tune_status tune_kernel_reads_run(MlirOperation module) {
  reads found = {.failed = false};
  mlirOperationWalk(module, list, &found, MlirWalkPreOrder);
  for (size_t i = 0; i < found.loads.count && !found.failed; ++i)
    read_by_element(found.loads.ops[i]);
  for (size_t i = 0; i < found.prefetches.count && !found.failed; ++i) {
    MlirOperation prefetch = found.prefetches.ops[i], first = find_first(prefetch);
    if (!mlirOperationEqual(first, prefetch) && may_go_before(prefetch, first))
      go_before(prefetch, first);
  }
  tune_op_list_deinit(&found.loads);
  tune_op_list_deinit(&found.prefetches);
  return found.failed ? tune_status_out_of_memory("reading what kernels broadcast") : TUNE_OK;
}
