//===- workgroup_matmul_writes.c - Writes of a group's tile ------------------===//
//
// Each thread writes its pieces: runs of neighbours as vectors where they lie so in memory.
//
//===--------------------------------------------------------------------------===//

#include "dialects/diagnostic.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/memory_access.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_tile.h"
#include "transforms/lower/gpu/vectors/vector_legalization_access.h"

#define MOST_RANK 8 // of memory
#define MOST_WRITES 8

static tune_status refuse_write(MlirOperation write) {
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, write,
                             "a group's tile is written otherwise than whole, row by row");
}

// The place in memory of what is at `place` of the tile.
static void find_place(const tune_ir_builder *builder, MlirOperation write, const MlirValue *place,
                       const intptr_t *dims, intptr_t rank, MlirValue *out_indices) {
  for (intptr_t i = 0; i < rank; ++i)
    out_indices[i] = mlirOperationGetOperand(write, 2 + i);
  for (intptr_t i = 0; i < 2; ++i)
    out_indices[dims[i]] = tune_tile_add(builder, out_indices[dims[i]], place[i]);
}

// Writes one element, where that is within the memory.
static void write_guarded(const tune_ir_builder *builder, MlirOperation write,
                          const MlirValue *place, const intptr_t *dims, MlirValue element) {
  MlirValue memory = mlirOperationGetOperand(write, 1), operands[2 + MOST_RANK] = {element, memory};
  MlirType type = mlirValueGetType(memory);
  intptr_t rank = mlirShapedTypeGetRank(type);
  find_place(builder, write, place, dims, rank, operands + 2);
  MlirValue is_there[2];
  for (intptr_t i = 0; i < 2; ++i)
    is_there[i] = tune_ir_build_compare(
        builder, "ult", operands[2 + dims[i]],
        tune_ir_build_index(builder, mlirShapedTypeGetDimSize(type, dims[i])));
  tune_ir_builder inside = tune_ir_build_if(
      builder, tune_ir_build_binary(builder, "arith.andi", is_there[0], is_there[1]));
  tune_ir_build(
      &inside,
      &(tune_ir_parts){.name = "memref.store", .operand_count = 2 + rank, .operands = operands});
}

// Writes `count` neighbours of a row, which begin at `place` of the tile.
static void write_run(const tune_ir_builder *builder, MlirOperation write, const MlirValue *place,
                      const intptr_t *dims, size_t count, const MlirValue *elements) {
  MlirValue memory = mlirOperationGetOperand(write, 1), indices[MOST_RANK];
  MlirType type = mlirValueGetType(memory), element = mlirShapedTypeGetElementType(type);
  intptr_t rank = mlirShapedTypeGetRank(type);
  find_place(builder, write, place, dims, rank, indices);
  int64_t length = (int64_t)count, row = mlirShapedTypeGetDimSize(type, rank - 1);
  int64_t bytes = tune_tile_bytes(element);
  bool is_aligned = row % length == 0 &&
                    mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)) &&
                    tune_access_is_multiple(mlirOperationGetOperand(write, 1 + rank), length);
  MlirValue vector =
      tune_tile_from_elements(builder, mlirVectorTypeGet(1, &length, element), length, elements);
  tune_tile_store(builder, vector, memory, rank, indices, is_aligned ? length * bytes : bytes);
}

static bool is_in_bounds(MlirOperation write) {
  MlirAttribute in_bounds = tune_ir_attribute(write, "in_bounds");
  return !mlirAttributeIsNull(in_bounds) &&
         mlirBoolAttrGetValue(mlirArrayAttrGetElement(in_bounds, 0)) &&
         mlirBoolAttrGetValue(mlirArrayAttrGetElement(in_bounds, 1));
}

// Bits, and what has no size of its own, do not lie in vectors as they lie in memory.
static bool has_runs(MlirOperation write) {
  MlirType element =
      mlirShapedTypeGetElementType(mlirValueGetType(mlirOperationGetOperand(write, 1)));
  return mlirTypeIsAFloat(element) ||
         (mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) % 8 == 0);
}

// Writes one element, which is within the memory.
static void write_one(const tune_ir_builder *builder, MlirOperation write, const MlirValue *place,
                      const intptr_t *dims, MlirValue element) {
  MlirValue memory = mlirOperationGetOperand(write, 1), operands[2 + MOST_RANK] = {element, memory};
  intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(memory));
  find_place(builder, write, place, dims, rank, operands + 2);
  tune_ir_build(
      builder,
      &(tune_ir_parts){.name = "memref.store", .operand_count = 2 + rank, .operands = operands});
}

static tune_status check_write(const tune_tile *tile, MlirOperation write) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(write, 1));
  intptr_t rank = mlirShapedTypeGetRank(type);
  intptr_t dims[2];
  if (rank < 2 || rank > MOST_RANK || !tune_tile_find_dims(write, dims) ||
      mlirOperationGetNumOperands(write) != rank + 2 || !mlirShapedTypeHasStaticShape(type) ||
      !mlirTypeIsAMemRef(type))
    return refuse_write(write);
  MlirType vector = mlirValueGetType(mlirOperationGetOperand(write, 0));
  if (mlirShapedTypeGetDimSize(vector, 0) != tile->rows ||
      mlirShapedTypeGetDimSize(vector, 1) != tile->cols)
    return refuse_write(write);
  // What is read where another write has been would be read too early.
  MlirOperation op = mlirOperationGetNextInBlock(write);
  MlirValue root = tune_memory_access_root(mlirOperationGetOperand(write, 1));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (mlirOperationEqual(op, tile->loop) ||
        ((tune_ir_is(op, "vector.transfer_read") || tune_ir_is(op, "memref.load")) &&
         mlirValueEqual(tune_memory_access_root(mlirOperationGetOperand(op, 0)), root)))
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                 "a group's tile is written before all of it is computed");
  return TUNE_OK;
}

// A thread's elements of a piece for one of the writes.
typedef struct piece_elements {
  MlirValue value[8], place[8][2];
} piece_elements;

static tune_status compute_piece(const tune_tile *tile, const tune_ir_builder *builder,
                                 MlirOperation write, const MlirValue *pieces, size_t piece,
                                 piece_elements *out) {
  for (size_t e = 0; e < tile->core->elements; ++e) {
    MlirValue *indices = out->place[e];
    int64_t position[2];
    intptr_t count;
    tile->core->place(tile, builder, piece, e, &indices[0], &indices[1]);
    tile->core->position(e, position, &count);
    tune_tile_elements context = {
        .tile = tile,
        .sum = tune_ir_build_extract(builder, pieces[piece], position, count, tile->sum),
        .row = indices[0],
        .col = indices[1]};
    TUNE_RETURN_IF_ERROR(tune_tile_element(&context, builder, mlirOperationGetOperand(write, 0),
                                           indices, 2, &out->value[e]));
  }
  return TUNE_OK;
}

static void write_piece(const tune_tile *tile, const tune_ir_builder *builder, MlirOperation write,
                        const piece_elements *elements) {
  intptr_t dims[2];
  bool is_whole = is_in_bounds(write), is_by_row = tune_tile_find_dims(write, dims);
  intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(mlirOperationGetOperand(write, 1)));
  size_t run = is_by_row && dims[1] == rank - 1 && has_runs(write) ? tile->core->run(tile) : 1;
  for (size_t e = 0; e < tile->core->elements; ++e)
    if (!is_whole)
      write_guarded(builder, write, elements->place[e], dims, elements->value[e]);
    else if (run == 1)
      write_one(builder, write, elements->place[e], dims, elements->value[e]);
    else if (e % run == 0)
      write_run(builder, write, elements->place[e], dims, run, elements->value + e);
}

static bool is_unused(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(op, i))))
      return false;
  return mlirOperationGetNumResults(op) > 0;
}

// Takes away what is left of vectors of the whole tile: all of it only made values.
static void remove_tiles(const tune_tile *tile) {
  tune_op_list all = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(tile->forall));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    tune_op_list_add(&all, op);
  for (size_t i = all.count; i-- > 0;) {
    MlirStringRef name = tune_ir_name(all.ops[i]);
    bool makes_values =
        tune_ir_string_starts(name, "vector.") || tune_ir_string_starts(name, "arith.") ||
        tune_ir_string_starts(name, "math.") || mlirOperationEqual(all.ops[i], tile->loop);
    if (makes_values && is_unused(all.ops[i]))
      mlirOperationDestroy(all.ops[i]);
  }
  tune_op_list_deinit(&all);
}

// Fills in up to MOST_WRITES of them.
static tune_status list_writes(const tune_tile *tile, MlirOperation *out_writes,
                               size_t *out_count) {
  *out_count = 0;
  MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(tile->forall));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!tune_ir_is(op, "vector.transfer_write"))
      continue;
    if (*out_count == MOST_WRITES)
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                 "a group's tile is written to more than %d buffers", MOST_WRITES);
    out_writes[(*out_count)++] = op;
  }
  return TUNE_OK;
}

// Of each piece all is computed before any of it is written: that may be where it is read.
tune_status tune_tile_make_writes(const tune_tile *tile, const MlirValue *pieces) {
  MlirOperation writes[MOST_WRITES];
  size_t count;
  TUNE_RETURN_IF_ERROR(list_writes(tile, writes, &count));
  for (size_t w = 0; w < count; ++w)
    TUNE_RETURN_IF_ERROR(check_write(tile, writes[w]));
  tune_ir_builder builder =
      tune_ir_builder_before(mlirBlockGetTerminator(tune_ir_body(tile->forall)));
  for (size_t p = 0; p < tile->core->count(tile); ++p) {
    piece_elements elements[MOST_WRITES];
    for (size_t w = 0; w < count; ++w)
      TUNE_RETURN_IF_ERROR(compute_piece(tile, &builder, writes[w], pieces, p, &elements[w]));
    for (size_t w = 0; w < count; ++w)
      write_piece(tile, &builder, writes[w], &elements[w]);
  }
  for (size_t w = 0; w < count; ++w)
    mlirOperationDestroy(writes[w]);
  remove_tiles(tile);
  return TUNE_OK;
}
