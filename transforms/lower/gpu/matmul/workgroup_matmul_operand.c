//===- workgroup_matmul_operand.c ---------------------------------------------===//

#include "transforms/lower/gpu/matmul/workgroup_matmul_operand.h"

#include "dialects/diagnostic.h"
#include "transforms/lower/gpu/vectors/vector_legalization_access.h"

// A pattern of swizzles repeats after so many bytes, and begins where that divides.
enum { COPY_BYTES = 16, LEAST_ASYNC_BYTES = 4, SWIZZLE_ALIGNMENT = 1024 };

//===--------------------------------------------------------------------------===//
// What is read
//===--------------------------------------------------------------------------===//

static tune_status refuse(MlirOperation read) {
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, read,
                             "a group's tile is read otherwise than whole, row by row, from a "
                             "buffer of floats of 16 or 32 bits, or integers of 8");
}

static bool is_copied(MlirType element) {
  if (!mlirTypeIsAFloat(element))
    return mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 8;
  return tune_tile_bytes(element) == 2 || tune_tile_bytes(element) == 4;
}

// Whether what is read beyond the end of memory is zero.
static bool is_padded_by_zero(MlirOperation read) {
  MlirValue padding = mlirOperationGetOperand(read, mlirOperationGetNumOperands(read) - 1);
  if (!mlirValueIsAOpResult(padding) ||
      !tune_ir_is(mlirOpResultGetOwner(padding), "arith.constant"))
    return false;
  MlirAttribute value = tune_ir_attribute(mlirOpResultGetOwner(padding), "value");
  return mlirAttributeIsAFloat(value) && mlirFloatAttrGetValueDouble(value) == 0;
}

tune_status tune_tile_operand_read(const tune_tile *tile, tune_tile_operand *operand) {
  MlirOperation read = operand->read;
  MlirValue memory = mlirOperationGetOperand(read, 0);
  MlirType type = mlirValueGetType(mlirOperationGetResult(read, 0)),
           memory_type = mlirValueGetType(memory);
  MlirAttribute in_bounds = tune_ir_attribute(read, "in_bounds");
  intptr_t rank = mlirShapedTypeGetRank(memory_type);
  bool is_whole =
      mlirShapedTypeGetRank(type) == 2 && rank <= TUNE_TILE_MOST_RANK && rank >= 2 &&
      mlirTypeIsAMemRef(memory_type) && mlirShapedTypeHasStaticShape(memory_type) &&
      tune_tile_find_dims(read, operand->dims) && mlirOperationGetNumOperands(read) == rank + 2 &&
      mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(memory_type)) &&
      is_copied(mlirShapedTypeGetElementType(type)) && !tune_ir_is_made_inside(memory, tile->loop);
  // Boxes may reach beyond the end, where they are filled with zeroes.
  bool may_reach_out = tile->is_bulk && is_whole && is_padded_by_zero(read);
  for (intptr_t i = 0; i < 2 && is_whole && !may_reach_out; ++i)
    is_whole = !mlirAttributeIsNull(in_bounds) &&
               mlirBoolAttrGetValue(mlirArrayAttrGetElement(in_bounds, i));
  if (!is_whole)
    return refuse(read);
  operand->element = mlirShapedTypeGetElementType(type);
  operand->rows = mlirShapedTypeGetDimSize(type, 0);
  operand->cols = mlirShapedTypeGetDimSize(type, 1);
  // Rows that begin at such places of 16 bytes that 8 of them, one after the other, meet each bank
  // of shared memory once.
  int64_t chunk = COPY_BYTES / tune_tile_bytes(operand->element);
  operand->pitch = operand->cols + chunk;
  operand->chunk = chunk;
  // Elements that are no neighbours are copied one by one.
  int64_t row = operand->dims[1] == rank - 1 ? mlirShapedTypeGetDimSize(memory_type, rank - 1) : 1;
  MlirValue first = mlirOperationGetOperand(read, rank);
  while (operand->chunk > 1 && (operand->cols % operand->chunk || row % operand->chunk ||
                                !tune_access_is_multiple(first, operand->chunk)))
    operand->chunk /= 2;
  if (operand->cols % chunk)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, read,
                               "rows of a group's tile are multiples of 16 bytes");
  if (tile->is_async && operand->chunk * tune_tile_bytes(operand->element) < LEAST_ASYNC_BYTES)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, read,
                               "rows whose bytes are no multiple of 4, or that begin at no such "
                               "place, cannot be copied asynchronously; pad them");
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Its memory
//===--------------------------------------------------------------------------===//

static MlirType shared_type(const tune_ir_builder *builder, MlirType element, intptr_t rank,
                            const int64_t *shape) {
  MlirAttribute space =
      mlirAttributeParseGet(builder->context, tune_ir_string("#gpu.address_space<workgroup>"));
  return mlirMemRefTypeContiguousGet(element, rank, shape, space);
}

static MlirValue allocate(const tune_ir_builder *builder, MlirType type) {
  int32_t segments[] = {0, 0};
  MlirNamedAttribute attribute = tune_ir_named(builder->context, "operandSegmentSizes",
                                               mlirDenseI32ArrayGet(builder->context, 2, segments));
  return tune_ir_build_result(builder, &(tune_ir_parts){.name = "memref.alloc",
                                                        .type_count = 1,
                                                        .types = &type,
                                                        .attribute_count = 1,
                                                        .attributes = &attribute});
}

MlirValue tune_tile_allocate(const tune_ir_builder *builder, MlirType element, intptr_t rank,
                             const int64_t *shape) {
  return allocate(builder, shared_type(builder, element, rank, shape));
}

// The operand's memory as elements of `bytes` each; the rank.
static intptr_t shape_of(const tune_tile *tile, const tune_tile_operand *operand, int64_t bytes,
                         int64_t out_shape[4]) {
  int64_t wide = operand->swizzle / bytes, own = tune_tile_bytes(operand->element);
  int64_t rows = operand->is_turned ? operand->cols : operand->rows,
          cols = operand->is_turned ? operand->rows : operand->cols;
  out_shape[0] = tile->stages;
  out_shape[1] = wide ? cols * own / operand->swizzle : rows;
  out_shape[2] = wide ? rows : operand->pitch * own / bytes;
  out_shape[3] = wide;
  return wide ? 4 : 3;
}

void tune_tile_operand_allocate(const tune_tile *tile, const tune_ir_builder *builder,
                                tune_tile_operand *operand) {
  enum { PAIR = 2 };
  int64_t own = tune_tile_bytes(operand->element), shape[4], pairs_shape[4], bytes = own;
  intptr_t rank = shape_of(tile, operand, own, shape);
  MlirType type = shared_type(builder, operand->element, rank, shape);
  if (!tile->core->has_pairs) {
    operand->shared = allocate(builder, type);
    if (tile->core->takes_descriptors)
      mlirOperationSetAttributeByName(
          mlirOpResultGetOwner(operand->shared), tune_ir_string("alignment"),
          mlirIntegerAttrGet(mlirIntegerTypeGet(builder->context, 64), SWIZZLE_ALIGNMENT));
    return;
  }
  for (intptr_t i = 0; i < rank; ++i)
    bytes *= shape[i];
  MlirValue all = allocate(builder, shared_type(builder, operand->element, 1, &bytes)),
            operands[] = {all, tune_ir_build_index(builder, 0)};
  operand->shared = tune_ir_build_value(builder, "memref.view", type, 2, operands);
  shape_of(tile, operand, PAIR, pairs_shape);
  MlirType pairs =
      shared_type(builder, mlirIntegerTypeGet(builder->context, 8 * PAIR), rank, pairs_shape);
  operand->pairs = tune_ir_build_value(builder, "memref.view", pairs, 2, operands);
}

//===--------------------------------------------------------------------------===//
// Places
//===--------------------------------------------------------------------------===//

intptr_t tune_tile_operand_find_shared(const tune_tile_operand *operand,
                                       const tune_ir_builder *builder, int64_t bytes,
                                       MlirValue stage, MlirValue row, MlirValue col,
                                       MlirValue out[4]) {
  out[0] = stage;
  if (!operand->swizzle) {
    out[1] = row;
    out[2] = col;
    return 3;
  }
  enum { MOST_BYTES = 128 };
  int64_t wide = operand->swizzle / bytes;
  MlirValue pattern =
      tune_tile_remainder(builder, tune_tile_divide(builder, row, MOST_BYTES / operand->swizzle),
                          operand->swizzle / COPY_BYTES);
  MlirValue changed = tune_tile_scale(builder, pattern, COPY_BYTES / bytes);
  out[1] = tune_tile_divide(builder, col, wide);
  out[2] = row;
  out[3] =
      tune_ir_build_binary(builder, "arith.xori", tune_tile_remainder(builder, col, wide), changed);
  return 4;
}

// What the loop of `level` counts in step `step` of all.
static MlirValue make_index(const tune_tile *tile, const tune_ir_builder *builder, size_t level,
                            MlirValue step) {
  const tune_tile_level *of = &tile->levels[level];
  int64_t inside = 1;
  for (size_t i = level + 1; i < tile->level_count; ++i)
    inside *= tile->levels[i].count;
  MlirValue number = tune_tile_divide(builder, step, inside);
  if (level > 0)
    number = tune_tile_remainder(builder, number, of->count);
  return tune_tile_add_number(builder, tune_tile_scale(builder, number, of->step), of->first);
}

// `value`, made in the loops, for step `index` of all.
static MlirValue remake(const tune_tile *tile, const tune_ir_builder *builder, MlirValue value,
                        MlirValue index) {
  for (size_t i = 0; i < tile->level_count; ++i) {
    MlirRegion region = mlirOperationGetRegion(tile->levels[i].loop, 0);
    if (mlirValueEqual(value, mlirBlockGetArgument(mlirRegionGetFirstBlock(region), 0)))
      return make_index(tile, builder, i, index);
  }
  if (mlirValueIsABlockArgument(value) || !tune_ir_is_made_inside(value, tile->loop))
    return value;
  MlirOperation copy = mlirOperationClone(mlirOpResultGetOwner(value));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(copy); ++i)
    mlirOperationSetOperand(copy, i,
                            remake(tile, builder, mlirOperationGetOperand(copy, i), index));
  mlirBlockInsertOwnedOperationBefore(builder->block, builder->before, copy);
  return mlirOperationGetResult(copy, mlirOpResultGetResultNumber(value));
}

void tune_tile_operand_find_origin(const tune_tile *tile, const tune_tile_operand *operand,
                                   const tune_ir_builder *builder, MlirValue step,
                                   MlirValue *out_origin) {
  intptr_t rank =
      mlirShapedTypeGetRank(mlirValueGetType(mlirOperationGetOperand(operand->read, 0)));
  for (intptr_t i = 0; i < rank; ++i)
    out_origin[i] = remake(tile, builder, mlirOperationGetOperand(operand->read, 1 + i), step);
}
