//===- workgroup_matmul_copies.c - Copies of tiles to shared memory ----------===//

#include "transforms/lower/gpu/matmul/workgroup_matmul_copies.h"

#include "dialects/diagnostic.h"
#include "transforms/lower/gpu/vectors/vector_legalization_access.h"

#include <stdio.h>

// A pattern of swizzles repeats after so many bytes, and begins where that divides.
enum { COPY_BYTES = 16, LEAST_ASYNC_BYTES = 4, MOST_RANK = 8, SWIZZLE_ALIGNMENT = 1024 };

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
      mlirShapedTypeGetRank(type) == 2 && rank <= MOST_RANK && rank >= 2 &&
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
  if (tile->core != &tune_tile_int8) {
    operand->shared = allocate(builder, type);
    if (tile->core == &tune_tile_wgmma)
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
// Copies
//===--------------------------------------------------------------------------===//

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

// One asynchronous copy of operand->chunk elements.
static void copy_async(const tune_ir_builder *builder, const tune_tile_operand *operand,
                       const MlirValue *to, intptr_t to_rank, MlirValue memory, intptr_t rank,
                       const MlirValue *from) {
  MlirValue operands[6 + MOST_RANK] = {operand->shared};
  for (intptr_t i = 0; i < to_rank; ++i)
    operands[1 + i] = to[i];
  operands[1 + to_rank] = memory;
  for (intptr_t i = 0; i < rank; ++i)
    operands[2 + to_rank + i] = from[i];
  int32_t segments[] = {1, (int32_t)to_rank, 1, (int32_t)rank, 0};
  MlirContext context = builder->context;
  bool is_widest = operand->chunk * tune_tile_bytes(operand->element) == COPY_BYTES;
  MlirNamedAttribute attributes[] = {
      tune_ir_named(context, "dstElements",
                    mlirIntegerAttrGet(mlirIndexTypeGet(context), operand->chunk)),
      tune_ir_named(context, "operandSegmentSizes", mlirDenseI32ArrayGet(context, 5, segments)),
      tune_ir_named(context, "bypassL1", mlirUnitAttrGet(context))};
  MlirType token = mlirTypeParseGet(context, tune_ir_string("!nvgpu.device.async.token"));
  tune_ir_build(builder, &(tune_ir_parts){.name = "nvgpu.device_async_copy",
                                          .operand_count = 2 + to_rank + rank,
                                          .operands = operands,
                                          .type_count = 1,
                                          .types = &token,
                                          .attribute_count = is_widest ? 3 : 2,
                                          .attributes = attributes});
}

// A thread's chunk of a tile: where it begins.
typedef struct chunk_place {
  MlirValue row, col;
  tune_ir_builder inside; // where the chunk is there
} chunk_place;

static int64_t count_across(const tune_tile_operand *operand) {
  return operand->cols / operand->chunk;
}

// The thread's chunk of those from number `done` on. Where some threads have none the place is in a
// branch that these do not take, or with `clamps` that of the last chunk.
static chunk_place find_chunk(const tune_tile *tile, const tune_tile_operand *operand,
                              const tune_ir_builder *builder, int64_t done, bool clamps) {
  int64_t across = count_across(operand), all = operand->rows * across;
  chunk_place place = {.inside = *builder};
  MlirValue number = tune_tile_add_number(builder, tile->thread, done);
  bool is_whole = done + tile->threads <= all;
  if (!is_whole && clamps)
    number =
        tune_ir_build_binary(builder, "arith.minui", number, tune_ir_build_index(builder, all - 1));
  else if (!is_whole)
    place.inside = tune_ir_build_if(
        builder, tune_ir_build_compare(builder, "ult", number, tune_ir_build_index(builder, all)));
  const tune_ir_builder *inside = &place.inside;
  MlirValue col;
  if (done % across == 0 && (is_whole || !clamps)) { // the same column each time: hoisted
    place.row =
        tune_tile_add_number(inside, tune_tile_divide(inside, tile->thread, across), done / across);
    col = tune_tile_remainder(inside, tile->thread, across);
  } else {
    place.row = tune_tile_divide(inside, number, across);
    col = tune_tile_remainder(inside, number, across);
  }
  place.col = tune_tile_scale(inside, col, operand->chunk);
  return place;
}

static intptr_t find_memory(const tune_tile_operand *operand, const chunk_place *place,
                            const MlirValue *origin, MlirValue *out_from) {
  intptr_t rank =
      mlirShapedTypeGetRank(mlirValueGetType(mlirOperationGetOperand(operand->read, 0)));
  for (intptr_t i = 0; i < rank; ++i)
    out_from[i] = origin[i];
  MlirValue *row = &out_from[operand->dims[0]], *col = &out_from[operand->dims[1]];
  *row = tune_tile_add(&place->inside, *row, place->row);
  *col = tune_tile_add(&place->inside, *col, place->col);
  return rank;
}

static MlirValue load_chunk(const tune_tile_operand *operand, const chunk_place *place,
                            const MlirValue *origin) {
  MlirValue from[MOST_RANK];
  intptr_t rank = find_memory(operand, place, origin, from);
  return tune_tile_load(&place->inside, mlirOperationGetOperand(operand->read, 0), rank, from,
                        operand->chunk);
}

static intptr_t find_shared(const tune_tile_operand *operand, const chunk_place *place,
                            MlirValue stage, MlirValue out_to[4]) {
  bool is_turned = operand->is_turned;
  return tune_tile_operand_find_shared(operand, &place->inside, tune_tile_bytes(operand->element),
                                       stage, is_turned ? place->col : place->row,
                                       is_turned ? place->row : place->col, out_to);
}

static void store_chunk(const tune_tile_operand *operand, const chunk_place *place, MlirValue stage,
                        MlirValue chunk) {
  MlirValue to[4];
  intptr_t rank = find_shared(operand, place, stage, to);
  tune_tile_store(&place->inside, chunk, operand->shared, rank, to,
                  operand->chunk * tune_tile_bytes(operand->element));
}

static void copy_chunk_async(const tune_tile_operand *operand, const chunk_place *place,
                             MlirValue stage, const MlirValue *origin) {
  MlirValue from[MOST_RANK], to[4];
  intptr_t rank = find_memory(operand, place, origin, from),
           to_rank = find_shared(operand, place, stage, to);
  copy_async(&place->inside, operand, to, to_rank, mlirOperationGetOperand(operand->read, 0), rank,
             from);
}

static void copy_chunk(const tune_tile *tile, const tune_tile_operand *operand,
                       const chunk_place *place, MlirValue stage, const MlirValue *origin) {
  if (tile->is_async)
    copy_chunk_async(operand, place, stage, origin);
  else
    store_chunk(operand, place, stage, load_chunk(operand, place, origin));
}

void tune_tile_operand_find_origin(const tune_tile *tile, const tune_tile_operand *operand,
                                   const tune_ir_builder *builder, MlirValue step,
                                   MlirValue *out_origin) {
  intptr_t rank =
      mlirShapedTypeGetRank(mlirValueGetType(mlirOperationGetOperand(operand->read, 0)));
  for (intptr_t i = 0; i < rank; ++i)
    out_origin[i] = remake(tile, builder, mlirOperationGetOperand(operand->read, 1 + i), step);
}

// Element by element. A warp has eight columns of four rows, so that it reads whole sectors of 32
// bytes from memory, and writes to each bank once where rows in shared memory are of 128 bytes.
static void copy_turned(const tune_tile *tile, const tune_tile_operand *operand,
                        const tune_ir_builder *builder, MlirValue stage, const MlirValue *origin) {
  enum { COLS = 8, ROWS = 4 };
  int64_t across = operand->cols / COLS, all = operand->rows * operand->cols;
  for (int64_t done = 0; done < all; done += tile->threads) {
    chunk_place place = {.inside = *builder};
    const tune_ir_builder *inside = &place.inside;
    MlirValue number = tune_tile_add_number(builder, tile->thread, done);
    if (done + tile->threads > all)
      place.inside =
          tune_ir_build_if(builder, tune_ir_build_compare(builder, "ult", number,
                                                          tune_ir_build_index(builder, all)));
    MlirValue piece = tune_tile_divide(inside, number, TUNE_TILE_WARP),
              lane = tune_tile_remainder(inside, number, TUNE_TILE_WARP);
    place.row = tune_tile_add(
        inside, tune_tile_scale(inside, tune_tile_divide(inside, piece, across), ROWS),
        tune_tile_divide(inside, lane, COLS));
    place.col = tune_tile_add(
        inside, tune_tile_scale(inside, tune_tile_remainder(inside, piece, across), COLS),
        tune_tile_remainder(inside, lane, COLS));
    copy_chunk(tile, operand, &place, stage, origin);
  }
}

void tune_tile_operand_copy(const tune_tile *tile, const tune_tile_operand *operand,
                            const tune_ir_builder *builder, MlirValue stage, MlirValue step) {
  MlirValue origin[MOST_RANK];
  tune_tile_operand_find_origin(tile, operand, builder, step, origin);
  if (operand->is_turned) {
    copy_turned(tile, operand, builder, stage, origin);
    return;
  }
  int64_t all = operand->rows * count_across(operand);
  for (int64_t done = 0; done < all; done += tile->threads) {
    chunk_place place = find_chunk(tile, operand, builder, done, false);
    copy_chunk(tile, operand, &place, stage, origin);
  }
}

size_t tune_tile_operand_chunks(const tune_tile *tile, const tune_tile_operand *operand) {
  return (size_t)((operand->rows * count_across(operand) + tile->threads - 1) / tile->threads);
}

void tune_tile_operand_fetch(const tune_tile *tile, const tune_tile_operand *operand,
                             const tune_ir_builder *builder, MlirValue step,
                             MlirValue *out_chunks) {
  MlirValue origin[MOST_RANK];
  tune_tile_operand_find_origin(tile, operand, builder, step, origin);
  for (size_t i = 0; i < tune_tile_operand_chunks(tile, operand); ++i) {
    chunk_place place = find_chunk(tile, operand, builder, (int64_t)i * tile->threads, true);
    out_chunks[i] = load_chunk(operand, &place, origin);
  }
}

void tune_tile_operand_put(const tune_tile *tile, const tune_tile_operand *operand,
                           const tune_ir_builder *builder, MlirValue stage,
                           const MlirValue *chunks) {
  for (size_t i = 0; i < tune_tile_operand_chunks(tile, operand); ++i) {
    chunk_place place = find_chunk(tile, operand, builder, (int64_t)i * tile->threads, false);
    store_chunk(operand, &place, stage, chunks[i]);
  }
}

void tune_tile_commit(const tune_tile *tile, const tune_ir_builder *builder) {
  if (tile->is_async)
    tune_ir_build(builder, &(tune_ir_parts){.name = "nvvm.cp.async.commit.group"});
}

void tune_tile_wait(const tune_tile *tile, const tune_ir_builder *builder, int64_t pending) {
  if (!tile->is_async)
    return;
  MlirNamedAttribute count = tune_ir_named(
      builder->context, "n", mlirIntegerAttrGet(mlirIntegerTypeGet(builder->context, 32), pending));
  tune_ir_build(builder, &(tune_ir_parts){.name = "nvvm.cp.async.wait.group",
                                          .attribute_count = 1,
                                          .attributes = &count});
}
