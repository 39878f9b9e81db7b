//===- pad_folding.c - Folding of padding into masked reads ------------------===//

#include "transforms/lower/gpu/pad_folding.h"

#include "transforms/ir/ir.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/attributes.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

#define MOST_RANK 8

// A buffer that is larger than what is in it.
typedef struct padded_buffer {
  MlirValue buffer;
  MlirOperation fill, corner, copy; // null: there is none
  bool is_filled_from;              // the copy goes into the buffer
  MlirValue other;                  // where it comes from, or goes
  tune_op_list transfers;
} padded_buffer;

static bool is_null(MlirOperation op) { return mlirOperationIsNull(op); }

static MlirOperation only_user(MlirOperation op) {
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
  if (mlirOpOperandIsNull(use) || !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
    return (MlirOperation){NULL};
  return mlirOpOperandGetOwner(use);
}

// Whether the memref.subview `op` begins where its buffer does, without gaps between elements.
static bool is_corner(MlirOperation op) {
  MlirAttribute offsets = tune_ir_attribute(op, "static_offsets"),
                strides = tune_ir_attribute(op, "static_strides");
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (mlirShapedTypeGetRank(type) !=
          mlirShapedTypeGetRank(mlirValueGetType(mlirOperationGetOperand(op, 0))) ||
      !mlirShapedTypeHasStaticShape(type))
    return false;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(offsets); ++i)
    if (mlirDenseI64ArrayGetElement(offsets, i) != 0 ||
        mlirDenseI64ArrayGetElement(strides, i) != 1)
      return false;
  return true;
}

// Whether `op` reads or writes `buffer` as vectors, all of them there and none of them masked.
static bool is_plain_transfer(MlirOperation op, MlirValue buffer) {
  bool reads = tune_ir_is(op, "vector.transfer_read");
  if (!reads && !tune_ir_is(op, "vector.transfer_write"))
    return false;
  MlirAttribute segments = tune_ir_attribute(op, "operandSegmentSizes");
  intptr_t last = mlirDenseArrayGetNumElements(segments) - 1;
  return mlirValueEqual(mlirOperationGetOperand(op, reads ? 0 : 1), buffer) &&
         mlirDenseI32ArrayGetElement(segments, last) == 0 &&
         !tune_ir_is(mlirOperationGetParentOperation(op), "vector.mask");
}

static bool has_one_shape(MlirType a, MlirType b) {
  intptr_t rank = mlirShapedTypeGetRank(a);
  if (rank != mlirShapedTypeGetRank(b) || rank > MOST_RANK)
    return false;
  for (intptr_t i = 0; i < rank; ++i)
    if (mlirShapedTypeGetDimSize(a, i) != mlirShapedTypeGetDimSize(b, i))
      return false;
  return true;
}

// Reads a corner, which is the copy's only business.
static bool read_corner(padded_buffer *self, MlirOperation corner) {
  MlirOperation copy = only_user(corner);
  if (!is_null(self->corner) || !is_corner(corner) || is_null(copy) ||
      !(tune_ir_is(copy, "linalg.copy") || tune_ir_is(copy, "memref.copy")) ||
      mlirOperationGetNumOperands(copy) != 2)
    return false;
  MlirValue part = mlirOperationGetResult(corner, 0);
  self->corner = corner;
  self->copy = copy;
  self->is_filled_from = mlirValueEqual(mlirOperationGetOperand(copy, 1), part);
  self->other = mlirOperationGetOperand(copy, self->is_filled_from ? 0 : 1);
  MlirType type = mlirValueGetType(self->other);
  return mlirTypeIsAMemRef(type) && has_one_shape(type, mlirValueGetType(part)) &&
         mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type));
}

// Reads what is done with the buffer; false where that is something else.
static bool read_uses(padded_buffer *self) {
  for (MlirOpOperand use = mlirValueGetFirstUse(self->buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (tune_ir_is(op, "linalg.fill") && is_null(self->fill))
      self->fill = op;
    else if (tune_ir_is(op, "memref.subview")) {
      if (!read_corner(self, op))
        return false;
    } else if (!is_plain_transfer(op, self->buffer) || !tune_op_list_add(&self->transfers, op)) {
      return false;
    }
  }
  return !is_null(self->copy) && self->transfers.count > 0;
}

// The op of the function's body that `op` is in.
static MlirOperation top_of(MlirOperation op, MlirOperation function) {
  while (!mlirOperationEqual(mlirOperationGetParentOperation(op), function))
    op = mlirOperationGetParentOperation(op);
  return op;
}

static bool is_before(MlirOperation a, MlirOperation b) {
  for (MlirOperation op = mlirOperationGetNextInBlock(a); !is_null(op);
       op = mlirOperationGetNextInBlock(op))
    if (mlirOperationEqual(op, b))
      return true;
  return false;
}

// Whether nothing of the function writes `value`, or gives it to who may.
static bool is_only_read(MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    bool is_copied = (tune_ir_is(op, "linalg.copy") || tune_ir_is(op, "memref.copy")) &&
                     mlirOpOperandGetOperandNumber(use) == 0;
    if (!is_copied && !tune_ir_is(op, "vector.transfer_read") && !tune_ir_is(op, "memref.load"))
      return false;
  }
  return true;
}

// Whether the kernels may read what the buffer is a copy of.
static bool is_operand(const padded_buffer *self, MlirOperation function) {
  if (!self->is_filled_from || is_null(self->fill) || !is_before(self->fill, self->copy) ||
      !is_only_read(self->other))
    return false;
  for (size_t i = 0; i < self->transfers.count; ++i)
    if (!tune_ir_is(self->transfers.ops[i], "vector.transfer_read") ||
        !is_before(self->copy, top_of(self->transfers.ops[i], function)))
      return false;
  return true;
}

// Whether they may write where the corner goes, which nobody else looks at before.
static bool is_result(const padded_buffer *self, MlirOperation function) {
  if (self->is_filled_from || !is_null(self->fill))
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(self->other); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = top_of(mlirOpOperandGetOwner(use), function);
    if (!mlirOperationEqual(op, self->copy) && !is_before(self->copy, op))
      return false;
  }
  for (size_t i = 0; i < self->transfers.count; ++i) {
    MlirOperation kernel = top_of(self->transfers.ops[i], function);
    if (!tune_ir_is(self->transfers.ops[i], "vector.transfer_write") ||
        !is_before(kernel, self->copy) ||
        (mlirValueIsAOpResult(self->other) &&
         !is_before(mlirOpResultGetOwner(self->other), kernel)))
      return false;
  }
  return true;
}

// Has `transfer` access `self->other`; what may be outside of that is said.
static void redirect(const padded_buffer *self, MlirOperation transfer) {
  bool reads = tune_ir_is(transfer, "vector.transfer_read");
  MlirContext context = mlirOperationGetContext(transfer);
  MlirType large = mlirValueGetType(self->buffer), small = mlirValueGetType(self->other);
  MlirAffineMap map = mlirAffineMapAttrGetValue(tune_ir_attribute(transfer, "permutation_map"));
  MlirAttribute old = tune_ir_attribute(transfer, "in_bounds"), in_bounds[MOST_RANK];
  intptr_t rank = mlirAffineMapGetNumResults(map);
  for (intptr_t i = 0; i < rank; ++i) {
    MlirAffineExpr place = mlirAffineMapGetResult(map, i);
    intptr_t m = mlirAffineExprIsADim(place) ? mlirAffineDimExprGetPosition(place) : -1;
    bool is_whole =
        m < 0 || mlirShapedTypeGetDimSize(large, m) == mlirShapedTypeGetDimSize(small, m);
    in_bounds[i] =
        mlirBoolAttrGet(context, is_whole && mlirBoolAttrGetValue(mlirArrayAttrGetElement(old, i)));
  }
  mlirOperationSetAttributeByName(transfer, tune_ir_string("in_bounds"),
                                  mlirArrayAttrGet(context, rank, in_bounds));
  mlirOperationSetOperand(transfer, reads ? 0 : 1, self->other);
  if (reads)
    mlirOperationSetOperand(transfer, 1 + mlirShapedTypeGetRank(large),
                            mlirOperationGetOperand(self->fill, 0));
}

// A dimension that the transfer stands still in has to be there too: none is checked.
static bool covers_edges(const padded_buffer *self, MlirOperation transfer) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(tune_ir_attribute(transfer, "permutation_map"));
  MlirType large = mlirValueGetType(self->buffer), small = mlirValueGetType(self->other);
  if (mlirAffineMapGetNumResults(map) > MOST_RANK)
    return false;
  for (intptr_t m = 0; m < mlirShapedTypeGetRank(large); ++m) {
    bool is_along = mlirShapedTypeGetDimSize(large, m) == mlirShapedTypeGetDimSize(small, m);
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map) && !is_along; ++i) {
      MlirAffineExpr place = mlirAffineMapGetResult(map, i);
      is_along = mlirAffineExprIsADim(place) && mlirAffineDimExprGetPosition(place) == m;
    }
    if (!is_along)
      return false;
  }
  return true;
}

static tune_status open_buffer(MlirOperation alloc, MlirOperation function, bool opens_operands) {
  padded_buffer self = {.buffer = mlirOperationGetResult(alloc, 0)};
  bool opens = read_uses(&self) &&
               ((opens_operands && is_operand(&self, function)) || is_result(&self, function));
  for (size_t i = 0; i < self.transfers.count && opens; ++i)
    opens = covers_edges(&self, self.transfers.ops[i]);
  if (opens) {
    for (size_t i = 0; i < self.transfers.count; ++i)
      redirect(&self, self.transfers.ops[i]);
    mlirOperationDestroy(self.copy);
    mlirOperationDestroy(self.corner);
    if (!is_null(self.fill))
      mlirOperationDestroy(self.fill);
    mlirOperationDestroy(alloc);
  }
  bool failed = self.transfers.failed;
  tune_op_list_deinit(&self.transfers);
  return failed ? tune_status_out_of_memory("listing transfers") : TUNE_OK;
}

// The linalg.fill that is all that is done with `value` before `copy`; null: there is none.
static MlirOperation find_fill(MlirValue value, MlirOperation copy, MlirOperation function) {
  MlirOperation fill = {NULL};
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = top_of(mlirOpOperandGetOwner(use), function);
    if (mlirOperationEqual(op, copy) || is_before(copy, op))
      continue;
    if (!is_null(fill) || !tune_ir_is(op, "linalg.fill"))
      return (MlirOperation){NULL};
    fill = op;
  }
  return fill;
}

// Two buffers of one shape are filled once, where that had to be done twice: the second as a copy
// of the first. Fills it itself.
static tune_status fill_copies(MlirOperation function) {
  tune_op_list copies = {0};
  MlirBlock body = tune_ir_body(function);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !is_null(op);
       op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "linalg.copy") && mlirOperationGetNumOperands(op) == 2)
      tune_op_list_add(&copies, op);
  for (size_t i = 0; i < copies.count && !copies.failed; ++i) {
    MlirOperation copy = copies.ops[i];
    MlirValue from = mlirOperationGetOperand(copy, 0);
    bool is_own =
        mlirValueIsAOpResult(from) && tune_ir_is(mlirOpResultGetOwner(from), "memref.alloc") &&
        mlirTypeEqual(mlirValueGetType(from), mlirValueGetType(mlirOperationGetOperand(copy, 1)));
    MlirOperation fill = is_own ? find_fill(from, copy, function) : (MlirOperation){NULL};
    if (is_null(fill))
      continue;
    MlirOperation own = mlirOperationClone(fill);
    mlirOperationSetOperand(own, 1, mlirOperationGetOperand(copy, 1));
    mlirBlockInsertOwnedOperationBefore(body, copy, own);
    mlirOperationDestroy(copy);
  }
  bool failed = copies.failed;
  tune_op_list_deinit(&copies);
  return failed ? tune_status_out_of_memory("listing copies") : TUNE_OK;
}

tune_status tune_pad_folding_lower(MlirOperation function) {
  MlirAttribute edges = tune_ir_attribute(function, TUNE_GPU_EDGES_ATTRIBUTE);
  bool opens_operands = !mlirAttributeIsNull(edges) && mlirAttributeIsAInteger(edges) &&
                        mlirIntegerAttrGetValueInt(edges) == 1;
  if (opens_operands)
    TUNE_RETURN_IF_ERROR(fill_copies(function));
  tune_op_list allocs = {0};
  MlirBlock body = tune_ir_body(function);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !is_null(op);
       op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "memref.alloc"))
      tune_op_list_add(&allocs, op);
  tune_status status = allocs.failed ? tune_status_out_of_memory("listing buffers") : TUNE_OK;
  for (size_t i = 0; i < allocs.count && tune_status_is_ok(status); ++i)
    status = open_buffer(allocs.ops[i], function, opens_operands);
  tune_op_list_deinit(&allocs);
  return status;
}
