//===- tile_temporaries.c -----------------------------------------------------===//

#include "transforms/lower/gpu/matmul/tile_temporaries.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/memory_access.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

enum { MEMORY = 1, FIRST_INDEX = 2, MOST_RANK = TUNE_IR_MAX_RANK };

// A buffer that one vector is written to, all of it, and that is copied once.
typedef struct temporary {
  MlirOperation allocation, write, copy;
} temporary;

static bool is_copy(MlirOperation op) {
  return (tune_ir_is(op, "linalg.copy") && mlirOperationGetNumResults(op) == 0) ||
         tune_ir_is(op, "memref.copy");
}

// Goes through all users of `value` and of views of it; false where one is neither the write nor
// the copy from it.
static bool find_users(MlirValue value, temporary *self) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    unsigned number = mlirOpOperandGetOperandNumber(use);
    if (tune_memory_access_is_view(user)) {
      if (!find_users(mlirOperationGetResult(user, 0), self))
        return false;
    } else if (tune_ir_is(user, "vector.transfer_write") && number == MEMORY &&
               mlirOperationIsNull(self->write)) {
      self->write = user;
    } else if (is_copy(user) && number == 0 && mlirOperationIsNull(self->copy)) {
      self->copy = user;
    } else if (!tune_ir_is(user, "memref.dealloc")) {
      return false;
    }
  }
  return true;
}

static bool is_all_true(MlirAttribute flags) {
  bool is_true = !mlirAttributeIsNull(flags);
  for (intptr_t i = 0; is_true && i < mlirArrayAttrGetNumElements(flags); ++i)
    is_true = mlirBoolAttrGetValue(mlirArrayAttrGetElement(flags, i));
  return is_true;
}

// Whether there are both, and the vector lies in the buffer in its own order, all of it.
static bool is_whole(const temporary *self) {
  if (mlirOperationIsNull(self->write) || mlirOperationIsNull(self->copy))
    return false;
  MlirValue memory = mlirOperationGetOperand(self->write, MEMORY);
  MlirType vector = mlirValueGetType(mlirOperationGetOperand(self->write, 0));
  intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(memory));
  MlirAffineMap map = mlirAffineMapAttrGetValue(tune_ir_attribute(self->write, "permutation_map"));
  return mlirValueEqual(memory, mlirOperationGetResult(self->allocation, 0)) &&
         mlirOperationGetNumOperands(self->write) == FIRST_INDEX + rank &&
         mlirAffineMapIsMinorIdentity(map) &&
         is_all_true(tune_ir_attribute(self->write, "in_bounds")) &&
         tune_ir_element_count(vector) == tune_ir_element_count(mlirValueGetType(memory)) &&
         tune_ir_element_count(vector) ==
             tune_ir_element_count(mlirValueGetType(mlirOperationGetOperand(self->copy, 0)));
}

// Whether `type` has the sizes of `vector`, in that order, and else dimensions of one element;
// their positions to `dims`. Of dimensions of one element in both, which is which does not matter.
static bool match_sizes(MlirType type, MlirType vector, intptr_t *dims) {
  intptr_t rank = mlirShapedTypeGetRank(type), wanted = mlirShapedTypeGetRank(vector), found = 0;
  for (intptr_t i = 0; i < rank; ++i) {
    if (mlirShapedTypeIsDynamicDim(type, i))
      return false;
    int64_t size = mlirShapedTypeGetDimSize(type, i);
    if (found < wanted && size == mlirShapedTypeGetDimSize(vector, found))
      dims[found++] = i;
    else if (size != 1)
      return false;
  }
  return found == wanted && rank <= MOST_RANK;
}

// Where in the memory that `view` is cut out of it begins, to `indices`; and the dimensions that
// the vector lies along. False where it is cut out with steps, or is no such view.
static bool find_place(const tune_ir_builder *builder, MlirOperation view, MlirType vector,
                       MlirValue *indices, intptr_t *dims) {
  MlirAttribute offsets = tune_ir_attribute(view, "static_offsets"),
                sizes = tune_ir_attribute(view, "static_sizes"),
                strides = tune_ir_attribute(view, "static_strides");
  intptr_t rank = mlirDenseArrayGetNumElements(offsets), wanted = mlirShapedTypeGetRank(vector),
           found = 0, dynamic = 1;
  if (rank > MOST_RANK)
    return false;
  for (intptr_t i = 0; i < rank; ++i) {
    int64_t size = mlirDenseI64ArrayGetElement(sizes, i);
    if (mlirDenseI64ArrayGetElement(strides, i) != 1)
      return false;
    if (found < wanted && size == mlirShapedTypeGetDimSize(vector, found))
      dims[found++] = i;
    else if (size != 1)
      return false;
  }
  if (found != wanted)
    return false;
  for (intptr_t i = 0; i < rank; ++i) {
    int64_t offset = mlirDenseI64ArrayGetElement(offsets, i);
    indices[i] = mlirShapedTypeIsDynamicStrideOrOffset(offset)
                     ? mlirOperationGetOperand(view, dynamic++)
                     : tune_ir_build_index(builder, offset);
  }
  return true;
}

// Writes the vector of `self` at `indices` of `memory`, along `dims`, where it was copied to.
static void write_there(const temporary *self, const tune_ir_builder *builder, MlirValue memory,
                        const MlirValue *indices, const intptr_t *dims) {
  MlirContext context = builder->context;
  MlirValue vector = mlirOperationGetOperand(self->write, 0),
            operands[FIRST_INDEX + MOST_RANK] = {vector, memory};
  intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(memory)),
           length = mlirShapedTypeGetRank(mlirValueGetType(vector));
  MlirAffineExpr results[MOST_RANK];
  MlirAttribute in_bounds[MOST_RANK];
  for (intptr_t i = 0; i < rank; ++i)
    operands[FIRST_INDEX + i] = indices[i];
  for (intptr_t i = 0; i < length; ++i) {
    results[i] = mlirAffineDimExprGet(context, dims[i]);
    in_bounds[i] = mlirBoolAttrGet(context, 1);
  }
  int32_t segments[] = {1, 1, (int32_t)rank, 0};
  MlirNamedAttribute attributes[] = {
      tune_ir_named(context, "permutation_map",
                    mlirAffineMapAttrGet(mlirAffineMapGet(context, rank, 0, length, results))),
      tune_ir_named(context, "in_bounds", mlirArrayAttrGet(context, length, in_bounds)),
      tune_ir_named(context, "operandSegmentSizes", mlirDenseI32ArrayGet(context, 4, segments))};
  tune_ir_build(builder, &(tune_ir_parts){.name = "vector.transfer_write",
                                          .operand_count = FIRST_INDEX + rank,
                                          .operands = operands,
                                          .attribute_count = 3,
                                          .attributes = attributes});
}

static bool forward(const temporary *self) {
  MlirValue to = mlirOperationGetOperand(self->copy, 1), indices[MOST_RANK];
  MlirType vector = mlirValueGetType(mlirOperationGetOperand(self->write, 0));
  MlirOperation view = tune_ir_definition(to);
  tune_ir_builder builder = tune_ir_builder_before(self->copy);
  intptr_t dims[MOST_RANK];
  if (tune_ir_is(view, "memref.subview") && find_place(&builder, view, vector, indices, dims)) {
    write_there(self, &builder, mlirOperationGetOperand(view, 0), indices, dims);
    return true;
  }
  if (!match_sizes(mlirValueGetType(to), vector, dims))
    return false;
  intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(to));
  for (intptr_t i = 0; i < rank; ++i)
    indices[i] = tune_ir_build_index(&builder, 0);
  write_there(self, &builder, to, indices, dims);
  return true;
}

static void destroy_with_users(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, i));
         !mlirOpOperandIsNull(use); use = mlirValueGetFirstUse(mlirOperationGetResult(op, i)))
      destroy_with_users(mlirOpOperandGetOwner(use));
  mlirOperationDestroy(op);
}

static MlirWalkResult find_allocation(MlirOperation op, void *user_data) {
  if ((!tune_ir_is(op, "memref.alloc") && !tune_ir_is(op, "memref.alloca")) ||
      !tune_ir_is(mlirOperationGetParentOperation(op), "scf.forall"))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

tune_status tune_tile_temporaries_remove(MlirOperation function) {
  tune_op_list allocations = {0};
  mlirOperationWalk(function, find_allocation, &allocations, MlirWalkPreOrder);
  for (size_t i = 0; i < allocations.count && !allocations.failed; ++i) {
    temporary self = {.allocation = allocations.ops[i]};
    MlirBlock block = mlirOperationGetBlock(self.allocation);
    if (find_users(mlirOperationGetResult(self.allocation, 0), &self) && is_whole(&self) &&
        mlirBlockEqual(mlirOperationGetBlock(self.write), block) &&
        mlirBlockEqual(mlirOperationGetBlock(self.copy), block) && forward(&self))
      destroy_with_users(self.allocation);
  }
  bool failed = allocations.failed;
  tune_op_list_deinit(&allocations);
  return failed ? tune_status_out_of_memory("listing buffers of tiles") : TUNE_OK;
}
