//===- vector_legalization_access.c - Addresses and alignment of vector accesses -===//

#include "transforms/lower/gpu/vectors/vector_legalization_access.h"

#include "dialects/diagnostic.h"
#include "transforms/lower/common/attributes.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

//===--------------------------------------------------------------------------===//
// Reading
//===--------------------------------------------------------------------------===//

static tune_status read_memref(MlirOperation op, intptr_t operand, intptr_t first_index,
                               tune_access *access) {
  access->memref = mlirOperationGetOperand(op, operand);
  MlirType type = mlirValueGetType(access->memref);
  if (!mlirTypeIsAMemRef(type))
    return tune_pieces_refuse(op);
  access->memref_rank = mlirShapedTypeGetRank(type);
  access->element = mlirShapedTypeGetElementType(type);
  if (access->memref_rank > TUNE_PIECES_RANK || !mlirShapedTypeHasStaticShape(type))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                               "a buffer of a size that is not known, or of more than %d "
                               "dimensions, cannot be accessed on this device",
                               TUNE_PIECES_RANK);
  for (intptr_t i = 0; i < access->memref_rank; ++i) {
    access->memref_sizes[i] = mlirShapedTypeGetDimSize(type, i);
    access->indices[i] = mlirOperationGetOperand(op, first_index + i);
  }
  return TUNE_OK;
}

// The dimension of the memref that each of the vector runs along.
static tune_status read_dimensions(MlirOperation op, tune_access *access) {
  intptr_t rank = access->shape.rank;
  MlirAttribute attribute = tune_ir_attribute(op, "permutation_map");
  if (mlirAttributeIsNull(attribute)) {
    for (intptr_t d = 0; d < rank; ++d)
      access->dimension[d] = access->memref_rank - rank + d;
    return rank <= access->memref_rank ? TUNE_OK : tune_pieces_refuse(op);
  }
  MlirAffineMap map = mlirAffineMapAttrGetValue(attribute);
  for (intptr_t d = 0; d < rank; ++d) {
    MlirAffineExpr expression = mlirAffineMapGetResult(map, d);
    access->dimension[d] =
        mlirAffineExprIsADim(expression) ? mlirAffineDimExprGetPosition(expression) : -1;
  }
  return TUNE_OK;
}

static void read_in_bounds(MlirOperation op, tune_access *access) {
  MlirAttribute attribute = tune_ir_attribute(op, "in_bounds"),
                any = tune_ir_attribute(op, TUNE_OUTSIDE_ANY_ATTRIBUTE);
  bool is_transfer =
      tune_ir_is(op, "vector.transfer_read") || tune_ir_is(op, "vector.transfer_write");
  for (intptr_t d = 0; d < access->shape.rank && !mlirAttributeIsNull(any); ++d)
    access->is_any[d] = mlirBoolAttrGetValue(mlirArrayAttrGetElement(any, d));
  for (intptr_t d = 0; d < access->shape.rank; ++d)
    access->in_bounds[d] =
        !is_transfer || (!mlirAttributeIsNull(attribute) &&
                         mlirBoolAttrGetValue(mlirArrayAttrGetElement(attribute, d)));
}

// The dimension of a mask that is about dimension `d` of the vector: a mask has those of the memref
// that the vector runs along, in the memref's order; -1 where the vector repeats one element.
static intptr_t mask_dimension(const tune_access *access, intptr_t d) {
  if (access->dimension[d] < 0)
    return -1;
  intptr_t before = 0;
  for (intptr_t other = 0; other < access->shape.rank; ++other)
    before += access->dimension[other] >= 0 && access->dimension[other] < access->dimension[d];
  return before;
}

// Takes the bounds of `mask`.
static tune_status read_mask(MlirOperation op, MlirValue mask, tune_access *access) {
  MlirOperation maker = tune_ir_definition(mask);
  if (tune_ir_is(maker, "vector.create_mask")) {
    for (intptr_t d = 0; d < access->shape.rank; ++d)
      if (mask_dimension(access, d) >= 0)
        access->bounds[d] = mlirOperationGetOperand(maker, mask_dimension(access, d));
    return TUNE_OK;
  }
  if (!tune_ir_is(maker, "vector.constant_mask"))
    return tune_pieces_refuse(op);
  MlirAttribute sizes = tune_ir_attribute(maker, "mask_dim_sizes");
  tune_ir_builder builder = tune_ir_builder_before(maker);
  for (intptr_t d = 0; d < access->shape.rank; ++d) {
    if (mask_dimension(access, d) < 0)
      continue;
    int64_t size = mlirDenseI64ArrayGetElement(sizes, mask_dimension(access, d));
    if (size < access->shape.sizes[d])
      access->bounds[d] = tune_ir_build_index(&builder, size);
  }
  return TUNE_OK;
}

// The mask that is an operand of a transfer, or that of the vector.mask around it.
static tune_status read_masks(MlirOperation op, tune_access *access) {
  MlirAttribute segments = tune_ir_attribute(op, "operandSegmentSizes");
  intptr_t last = mlirOperationGetNumOperands(op) - 1;
  if (!mlirAttributeIsNull(segments) &&
      mlirDenseI32ArrayGetElement(segments, mlirDenseArrayGetNumElements(segments) - 1) > 0)
    TUNE_RETURN_IF_ERROR(read_mask(op, mlirOperationGetOperand(op, last), access));
  MlirOperation parent = mlirOperationGetParentOperation(op);
  if (!tune_ir_is(parent, "vector.mask"))
    return TUNE_OK;
  access->outer = parent;
  return read_mask(op, mlirOperationGetOperand(parent, 0), access);
}

tune_status tune_access_read(MlirOperation op, tune_access *out_access, bool *out_is_access) {
  bool reads = tune_ir_is(op, "vector.transfer_read"), loads = tune_ir_is(op, "vector.load"),
       writes = tune_ir_is(op, "vector.transfer_write"), stores = tune_ir_is(op, "vector.store");
  *out_access = (tune_access){.op = op, .outer = op, .writes = writes || stores};
  *out_is_access = reads || loads || writes || stores;
  if (!*out_is_access)
    return TUNE_OK;
  intptr_t memref = out_access->writes ? 1 : 0;
  TUNE_RETURN_IF_ERROR(read_memref(op, memref, memref + 1, out_access));
  MlirType type;
  if (out_access->writes) {
    out_access->value = mlirOperationGetOperand(op, 0);
    type = mlirValueGetType(out_access->value);
  } else {
    type = mlirValueGetType(mlirOperationGetResult(op, 0));
  }
  TUNE_RETURN_IF_ERROR(tune_pieces_read_shape(type, op, &out_access->shape));
  if (reads)
    out_access->padding = mlirOperationGetOperand(op, 1 + out_access->memref_rank);
  TUNE_RETURN_IF_ERROR(read_dimensions(op, out_access));
  read_in_bounds(op, out_access);
  return read_masks(op, out_access);
}

tune_status tune_access_read_scalar(MlirOperation op, tune_access *out_access,
                                    bool *out_is_access) {
  *out_access = (tune_access){.op = op, .outer = op};
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  *out_is_access = mlirTypeIsAMemRef(type) && mlirShapedTypeHasStaticShape(type) &&
                   !mlirTypeIsAVector(mlirShapedTypeGetElementType(type));
  if (!*out_is_access)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(read_memref(op, 0, 1, out_access));
  return tune_pieces_read_shape(out_access->element, op, &out_access->shape);
}

//===--------------------------------------------------------------------------===//
// Questions
//===--------------------------------------------------------------------------===//

bool tune_access_is_plain(const tune_pieces *pieces, const tune_access *access) {
  int64_t strides[TUNE_PIECES_RANK], offset, dense = 1;
  MlirType type = mlirValueGetType(access->memref);
  if (access->memref_rank == 0 || tune_ir_is_made_inside(access->memref, pieces->launch) ||
      mlirLogicalResultIsFailure(mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)) ||
      offset != 0)
    return false;
  for (intptr_t m = access->memref_rank; m-- > 0; dense *= access->memref_sizes[m])
    if (strides[m] != dense)
      return false;
  return true;
}

bool tune_access_can_be_wide(const tune_pieces *pieces, const tune_access *access) {
  intptr_t last = access->shape.rank - 1, memref_last = access->memref_rank - 1;
  if (access->shape.width != 4 ||
      (!tune_access_is_plain(pieces, access) && !tune_access_is_of_group(pieces, access->memref)) ||
      access->dimension[last] != memref_last || access->memref_sizes[memref_last] % 4 ||
      !tune_access_is_multiple(access->indices[memref_last], 4))
    return false;
  return mlirValueIsNull(access->bounds[last]) || tune_access_is_multiple(access->bounds[last], 4);
}

#define DEEPEST 16

// Whether all lanes of a subgroup, which lie along x, have the same in `value`.
static bool is_uniform(const tune_pieces *pieces, MlirValue value, int depth) {
  if (depth > DEEPEST)
    return false;
  if (!tune_ir_is_made_inside(value, pieces->launch))
    return true;
  if (mlirValueIsABlockArgument(value)) {
    MlirOperation loop = tune_access_loop_of(value);
    if (mlirOperationIsNull(loop)) {
      // Of the launch: the blocks' ids and the threads', then the sizes of both, x before y and z.
      MlirOperation owner = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
      return mlirOperationEqual(owner, pieces->launch) && mlirBlockArgumentGetArgNumber(value) != 3;
    }
    for (intptr_t i = 0; i < 3; ++i)
      if (!is_uniform(pieces, mlirOperationGetOperand(loop, i), depth + 1))
        return false;
    return true;
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  MlirStringRef name = tune_ir_name(op);
  bool is_id = tune_ir_string_starts(name, "gpu.");
  if (is_id && !tune_ir_is(op, "gpu.block_id") && !tune_ir_is(op, "gpu.block_dim") &&
      !tune_ir_is(op, "gpu.grid_dim"))
    return false;
  if (!is_id && !tune_ir_string_starts(name, "arith.") && !tune_ir_string_starts(name, "affine."))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!is_uniform(pieces, mlirOperationGetOperand(op, i), depth + 1))
      return false;
  return true;
}

// Whether no branch or loop around `op` leaves lanes of a subgroup out.
static bool is_whole_subgroup(const tune_pieces *pieces, MlirOperation op) {
  int64_t along_x;
  if (!tune_ir_is_constant_index(mlirOperationGetOperand(pieces->launch, 3), &along_x) ||
      along_x % pieces->share)
    return false;
  for (op = mlirOperationGetParentOperation(op); !mlirOperationEqual(op, pieces->launch);
       op = mlirOperationGetParentOperation(op)) {
    intptr_t controls = tune_ir_is(op, "scf.for") ? 3 : mlirOperationGetNumOperands(op);
    for (intptr_t i = 0; i < controls; ++i)
      if (!tune_ir_is(op, "vector.mask") && !is_uniform(pieces, mlirOperationGetOperand(op, i), 0))
        return false;
  }
  return true;
}

bool tune_access_is_uniform(const tune_pieces *pieces, const tune_access *access) {
  for (intptr_t m = 0; m < access->memref_rank; ++m)
    if (!is_uniform(pieces, access->indices[m], 0))
      return false;
  for (intptr_t d = 0; d < access->shape.rank; ++d)
    if (!mlirValueIsNull(access->bounds[d]) && !is_uniform(pieces, access->bounds[d], 0))
      return false;
  return is_whole_subgroup(pieces, access->op);
}
