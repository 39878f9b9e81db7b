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
// Multiples
//===--------------------------------------------------------------------------===//

#define DEEPEST 16

static bool is_multiple(MlirValue value, int64_t divisor, int depth);

static bool expression_is_multiple(MlirAffineExpr expression, MlirOperation apply,
                                   intptr_t dim_count, int64_t divisor, int depth) {
  if (depth > DEEPEST)
    return false;
  if (mlirAffineExprIsAConstant(expression))
    return mlirAffineConstantExprGetValue(expression) % divisor == 0;
  if (mlirAffineExprIsADim(expression))
    return is_multiple(mlirOperationGetOperand(apply, mlirAffineDimExprGetPosition(expression)),
                       divisor, depth);
  if (mlirAffineExprIsASymbol(expression))
    return is_multiple(
        mlirOperationGetOperand(apply, dim_count + mlirAffineSymbolExprGetPosition(expression)),
        divisor, depth);
  MlirAffineExpr left = mlirAffineBinaryOpExprGetLHS(expression),
                 right = mlirAffineBinaryOpExprGetRHS(expression);
  bool a = expression_is_multiple(left, apply, dim_count, divisor, depth + 1);
  bool b = expression_is_multiple(right, apply, dim_count, divisor, depth + 1);
  if (mlirAffineExprIsAAdd(expression))
    return a && b;
  return mlirAffineExprIsAMul(expression) && (a || b);
}

static bool map_is_multiple(MlirOperation op, int64_t divisor, int depth) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(tune_ir_attribute(op, "map"));
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i)
    if (!expression_is_multiple(mlirAffineMapGetResult(map, i), op, mlirAffineMapGetNumDims(map),
                                divisor, depth))
      return false;
  return true;
}

// The loop whose index `value` is, or a null op.
static MlirOperation loop_of(MlirValue value) {
  if (mlirValueIsABlockArgument(value)) {
    MlirOperation owner = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
    if (tune_ir_is(owner, "scf.for") && mlirBlockArgumentGetArgNumber(value) == 0)
      return owner;
  }
  return (MlirOperation){NULL};
}

// Of an index of a scf.forall of constant bounds.
static bool is_multiple_in_forall(MlirValue index, int64_t divisor) {
  MlirOperation forall = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(index));
  intptr_t number = mlirBlockArgumentGetArgNumber(index);
  if (!tune_ir_is(forall, "scf.forall") || mlirOperationGetNumOperands(forall))
    return false;
  return mlirDenseI64ArrayGetElement(tune_ir_attribute(forall, "staticLowerBound"), number) %
                 divisor ==
             0 &&
         mlirDenseI64ArrayGetElement(tune_ir_attribute(forall, "staticStep"), number) % divisor ==
             0;
}

static bool is_multiple(MlirValue value, int64_t divisor, int depth) {
  if (depth > DEEPEST)
    return false;
  if (mlirValueIsABlockArgument(value)) {
    MlirOperation loop = loop_of(value);
    if (mlirOperationIsNull(loop))
      return is_multiple_in_forall(value, divisor);
    return is_multiple(mlirOperationGetOperand(loop, 0), divisor, depth + 1) &&
           is_multiple(mlirOperationGetOperand(loop, 2), divisor, depth + 1);
  }
  int64_t constant;
  if (tune_ir_is_constant_index(value, &constant))
    return constant % divisor == 0;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (tune_ir_is(op, "affine.apply") || tune_ir_is(op, "affine.min") ||
      tune_ir_is(op, "affine.max"))
    return map_is_multiple(op, divisor, depth + 1);
  bool adds = tune_ir_is(op, "arith.addi") || tune_ir_is(op, "arith.subi");
  if (!adds && !tune_ir_is(op, "arith.muli"))
    return false;
  bool a = is_multiple(mlirOperationGetOperand(op, 0), divisor, depth + 1);
  bool b = is_multiple(mlirOperationGetOperand(op, 1), divisor, depth + 1);
  return adds ? a && b : a || b;
}

bool tune_access_is_multiple(MlirValue value, int64_t divisor) {
  return divisor == 1 || is_multiple(value, divisor, 0);
}

#define TEXEL 4

static int residue_of(MlirValue value, int depth);

static int residue_of_sum(bool adds, int a, int b) {
  return a < 0 || b < 0 ? -1 : (adds ? a + b : a - b + TEXEL) % TEXEL;
}

static int residue_of_product(int a, int b) {
  return a == 0 || b == 0 ? 0 : a < 0 || b < 0 ? -1 : a * b % TEXEL;
}

static int residue_of_expression(MlirAffineExpr expression, MlirOperation apply, int depth) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(tune_ir_attribute(apply, "map"));
  if (depth > DEEPEST)
    return -1;
  if (mlirAffineExprIsAConstant(expression))
    return (int)(mlirAffineConstantExprGetValue(expression) & (TEXEL - 1));
  if (mlirAffineExprIsADim(expression))
    return residue_of(mlirOperationGetOperand(apply, mlirAffineDimExprGetPosition(expression)),
                      depth + 1);
  if (mlirAffineExprIsASymbol(expression))
    return residue_of(
        mlirOperationGetOperand(apply, mlirAffineMapGetNumDims(map) +
                                           mlirAffineSymbolExprGetPosition(expression)),
        depth + 1);
  int a = residue_of_expression(mlirAffineBinaryOpExprGetLHS(expression), apply, depth + 1),
      b = residue_of_expression(mlirAffineBinaryOpExprGetRHS(expression), apply, depth + 1);
  if (mlirAffineExprIsAAdd(expression))
    return residue_of_sum(true, a, b);
  return mlirAffineExprIsAMul(expression) ? residue_of_product(a, b) : -1;
}

// What is left of `value`, an index, divided by TEXEL; -1 where that is not known.
static int residue_of(MlirValue value, int depth) {
  int64_t constant;
  if (depth > DEEPEST)
    return -1;
  if (tune_ir_is_constant_index(value, &constant))
    return (int)(constant & (TEXEL - 1));
  if (mlirValueIsABlockArgument(value)) {
    MlirOperation loop = loop_of(value);
    return !mlirOperationIsNull(loop) &&
                   is_multiple(mlirOperationGetOperand(loop, 2), TEXEL, depth + 1)
               ? residue_of(mlirOperationGetOperand(loop, 0), depth + 1)
               : -1;
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  if (tune_ir_is(op, "affine.apply"))
    return residue_of_expression(
        mlirAffineMapGetResult(mlirAffineMapAttrGetValue(tune_ir_attribute(op, "map")), 0), op,
        depth);
  bool adds = tune_ir_is(op, "arith.addi");
  if (!adds && !tune_ir_is(op, "arith.subi") && !tune_ir_is(op, "arith.muli"))
    return -1;
  int a = residue_of(mlirOperationGetOperand(op, 0), depth + 1),
      b = residue_of(mlirOperationGetOperand(op, 1), depth + 1);
  return tune_ir_is(op, "arith.muli") ? residue_of_product(a, b) : residue_of_sum(adds, a, b);
}

int tune_access_residue(const tune_access *access, const MlirValue *indices) {
  int residue = 0;
  int64_t stride = 1;
  for (intptr_t m = access->memref_rank; m-- > 0; stride *= access->memref_sizes[m])
    residue = residue_of_sum(true, residue,
                             residue_of_product((int)(stride % TEXEL), residue_of(indices[m], 0)));
  return residue;
}

// What stands for a part of an affine expression, divided.
static MlirValue divide_expression(const tune_ir_builder *builder, MlirAffineExpr expression,
                                   MlirOperation apply, int64_t divisor);

static MlirValue evaluate(const tune_ir_builder *builder, MlirAffineExpr expression,
                          MlirOperation apply) {
  MlirAffineMap old = mlirAffineMapAttrGetValue(tune_ir_attribute(apply, "map"));
  intptr_t count = mlirOperationGetNumOperands(apply);
  MlirValue operands[32];
  for (intptr_t i = 0; i < count && i < 32; ++i)
    operands[i] = mlirOperationGetOperand(apply, i);
  MlirAffineMap map = mlirAffineMapGet(builder->context, mlirAffineMapGetNumDims(old),
                                       mlirAffineMapGetNumSymbols(old), 1, &expression);
  MlirType index = mlirIndexTypeGet(builder->context);
  MlirNamedAttribute attribute = tune_ir_named(builder->context, "map", mlirAffineMapAttrGet(map));
  tune_ir_parts parts = {.name = "affine.apply",
                         .operand_count = count,
                         .operands = operands,
                         .type_count = 1,
                         .types = &index,
                         .attribute_count = 1,
                         .attributes = &attribute};
  return tune_ir_build_result(builder, &parts);
}

static MlirValue operand_of(MlirAffineExpr expression, MlirOperation apply) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(tune_ir_attribute(apply, "map"));
  intptr_t place = mlirAffineExprIsADim(expression)
                       ? mlirAffineDimExprGetPosition(expression)
                       : mlirAffineMapGetNumDims(map) + mlirAffineSymbolExprGetPosition(expression);
  return mlirOperationGetOperand(apply, place);
}

static MlirValue divide_expression(const tune_ir_builder *builder, MlirAffineExpr expression,
                                   MlirOperation apply, int64_t divisor) {
  if (mlirAffineExprIsAConstant(expression))
    return tune_ir_build_index(builder, mlirAffineConstantExprGetValue(expression) / divisor);
  if (mlirAffineExprIsADim(expression) || mlirAffineExprIsASymbol(expression))
    return tune_access_divide(builder, operand_of(expression, apply), divisor);
  MlirAffineMap map = mlirAffineMapAttrGetValue(tune_ir_attribute(apply, "map"));
  MlirAffineExpr left = mlirAffineBinaryOpExprGetLHS(expression),
                 right = mlirAffineBinaryOpExprGetRHS(expression);
  if (mlirAffineExprIsAAdd(expression))
    return tune_ir_build_binary(builder, "arith.addi",
                                divide_expression(builder, left, apply, divisor),
                                divide_expression(builder, right, apply, divisor));
  // A product, of which one factor is a multiple.
  bool divides_left = expression_is_multiple(left, apply, mlirAffineMapGetNumDims(map), divisor, 0);
  MlirAffineExpr divided = divides_left ? left : right, other = divides_left ? right : left;
  return tune_ir_build_binary(builder, "arith.muli",
                              divide_expression(builder, divided, apply, divisor),
                              evaluate(builder, other, apply));
}

MlirValue tune_access_divide(const tune_ir_builder *builder, MlirValue value, int64_t divisor) {
  int64_t constant;
  if (tune_ir_is_constant_index(value, &constant))
    return tune_ir_build_index(builder, constant / divisor);
  MlirOperation op = tune_ir_definition(value);
  if (tune_ir_is(op, "affine.apply") && is_multiple(value, divisor, 0) &&
      mlirOperationGetNumOperands(op) <= 32) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(tune_ir_attribute(op, "map"));
    return divide_expression(builder, mlirAffineMapGetResult(map, 0), op, divisor);
  }
  bool adds = tune_ir_is(op, "arith.addi") || tune_ir_is(op, "arith.subi");
  if (adds || tune_ir_is(op, "arith.muli")) {
    MlirValue a = mlirOperationGetOperand(op, 0), b = mlirOperationGetOperand(op, 1);
    bool divides_a = is_multiple(a, divisor, 0), divides_b = is_multiple(b, divisor, 0);
    const char *name =
        adds ? (tune_ir_is(op, "arith.addi") ? "arith.addi" : "arith.subi") : "arith.muli";
    if (adds ? divides_a && divides_b : divides_a || divides_b) {
      if (adds || divides_a)
        a = tune_access_divide(builder, a, divisor);
      if (adds || !divides_a)
        b = tune_access_divide(builder, b, divisor);
      return tune_ir_build_binary(builder, name, a, b);
    }
  }
  return tune_ir_build_binary(builder, "arith.divui", value, tune_ir_build_index(builder, divisor));
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
      !is_multiple(access->indices[memref_last], 4, 0))
    return false;
  return mlirValueIsNull(access->bounds[last]) || is_multiple(access->bounds[last], 4, 0);
}

// Whether all lanes of a subgroup, which lie along x, have the same in `value`.
static bool is_uniform(const tune_pieces *pieces, MlirValue value, int depth) {
  if (depth > DEEPEST)
    return false;
  if (!tune_ir_is_made_inside(value, pieces->launch))
    return true;
  if (mlirValueIsABlockArgument(value)) {
    MlirOperation loop = loop_of(value);
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
