//===- workgroup_matmul_copies.c - Copies of tiles to shared memory ----------===//

#include "transforms/lower/gpu/matmul/workgroup_matmul_copies.h"

enum { COPY_BYTES = 16, MOST_RANK = TUNE_TILE_MOST_RANK };

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
