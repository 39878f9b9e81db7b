//===- odd_tiles.c ----------------------------------------------------------------------===//

#include "transforms/lower/cpu/vectors/odd_tiles.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/lower/common/vector_ops.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

#define LEAST_PIECE 4 // elements
#define MOST_LENGTH 512
#define MOST_RANK 8

//===--- Shapes --------------------------------------------------------------------------===//

static bool read_shape(MlirType type, tune_odd_tile *out) {
  *out = (tune_odd_tile){.rows = 1};
  if (!mlirTypeIsAVector(type) || mlirVectorTypeIsScalable(type))
    return false;
  intptr_t rank = mlirShapedTypeGetRank(type);
  if (rank < 1 || rank > MOST_RANK)
    return false;
  out->length = mlirShapedTypeGetDimSize(type, rank - 1);
  for (intptr_t d = 0; d + 1 < rank && out->rows <= TUNE_ODD_MOST_ROWS; ++d)
    out->rows *= mlirShapedTypeGetDimSize(type, d);
  return out->rows <= TUNE_ODD_MOST_ROWS;
}

bool tune_odd_tile_read(MlirType type, tune_odd_tile *out) {
  return read_shape(type, out) && out->length % LEAST_PIECE == 0 && out->length <= MOST_LENGTH &&
         (out->length & (out->length - 1)) != 0;
}

// The largest power of two that is not above `length`.
static int64_t first_piece(int64_t length) {
  int64_t piece = 1;
  while (2 * piece <= length)
    piece *= 2;
  return piece;
}

size_t tune_odd_tile_list_pieces(int64_t length, int64_t *at, int64_t *sizes) {
  size_t count = 0;
  for (int64_t begin = 0; begin < length && count < TUNE_ODD_MOST_PIECES; begin += sizes[count++]) {
    at[count] = begin;
    sizes[count] = first_piece(length - begin);
  }
  return count;
}

size_t tune_odd_tile_count_pieces(const tune_odd_tile *t) {
  int64_t at[TUNE_ODD_MOST_PIECES], sizes[TUNE_ODD_MOST_PIECES];
  return (size_t)t->rows * tune_odd_tile_list_pieces(t->length, at, sizes);
}

MlirType tune_odd_tile_piece_type(MlirType like, int64_t length) {
  return mlirVectorTypeGet(1, &length, mlirShapedTypeGetElementType(like));
}

// Where row `row` of `type` is.
static intptr_t find_position(MlirType type, int64_t row, int64_t *position) {
  intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t d = rank - 1; d-- > 0;) {
    position[d] = row % mlirShapedTypeGetDimSize(type, d);
    row /= mlirShapedTypeGetDimSize(type, d);
  }
  return rank - 1;
}

//===--- Tiles in pieces -------------------------------------------------------------------===//

static bool grow(void **items, size_t *capacity, size_t wanted, size_t size) {
  if (wanted <= *capacity)
    return true;
  size_t more = *capacity ? 2 * *capacity : 64;
  while (more < wanted)
    more *= 2;
  void *grown = realloc(*items, more * size);
  if (!grown)
    return false;
  *items = grown;
  *capacity = more;
  return true;
}

MlirValue *tune_odd_tiles_note(tune_odd_tiles *tiles, MlirValue value, tune_odd_tile t) {
  size_t count = tune_odd_tile_count_pieces(&t);
  t.first = tiles->piece_count;
  if (tiles->failed ||
      !grow((void **)&tiles->pieces, &tiles->piece_capacity, tiles->piece_count + count,
            sizeof *tiles->pieces) ||
      !grow((void **)&tiles->tiles, &tiles->tile_capacity, tiles->tile_count + 1,
            sizeof *tiles->tiles)) {
    tiles->failed = true;
    return NULL;
  }
  tune_status status = tune_op_map_set(&tiles->tile_of, value.ptr, tiles->tile_count);
  tiles->failed |= !tune_status_is_ok(status);
  tune_status_free(status);
  tiles->tiles[tiles->tile_count++] = t;
  tiles->piece_count += count;
  return tiles->failed ? NULL : tiles->pieces + t.first;
}

bool tune_odd_tiles_find(const tune_odd_tiles *tiles, MlirValue value, tune_odd_tile *out) {
  size_t at = tune_op_map_get(&tiles->tile_of, value.ptr);
  if (at == TUNE_OP_MAP_NONE)
    return false;
  *out = tiles->tiles[at];
  return true;
}

// A constant of one number is one of pieces, others are taken apart. `place`: behind `value`.
static MlirValue take_piece(MlirOperation place, MlirValue value, int64_t row, int64_t at,
                            int64_t size) {
  MlirType type = mlirValueGetType(value);
  MlirOperation definition = tune_ir_definition(value);
  tune_ir_builder b = tune_ir_builder_before(place);
  if (!mlirOperationIsNull(definition) && tune_ir_is(definition, "ub.poison"))
    return tune_ir_build_value(&b, "ub.poison", tune_odd_tile_piece_type(type, size), 0, NULL);
  if (!mlirOperationIsNull(definition) && tune_ir_is(definition, "arith.constant")) {
    MlirAttribute all = tune_ir_attribute(definition, "value");
    if (mlirAttributeIsADenseElements(all) && mlirDenseElementsAttrIsSplat(all))
      return tune_ir_build_constant(
          &b, tune_odd_tile_piece_type(type, size),
          mlirDenseElementsAttrSplatGet(tune_odd_tile_piece_type(type, size),
                                        mlirDenseElementsAttrGetSplatValue(all)));
  }
  int64_t position[MOST_RANK];
  intptr_t outer = find_position(type, row, position);
  if (outer > 0)
    value = tune_ir_build_extract(
        &b, value, position, outer,
        tune_odd_tile_piece_type(type, mlirShapedTypeGetDimSize(type, outer)));
  return tune_vector_op_take_lanes(place, value, at, size);
}

const MlirValue *tune_odd_tiles_pieces_of(tune_odd_tiles *tiles, MlirValue value) {
  tune_odd_tile t;
  if (tune_odd_tiles_find(tiles, value, &t))
    return tiles->pieces + t.first;
  tune_odd_tile_read(mlirValueGetType(value), &t);
  MlirValue *pieces = tune_odd_tiles_note(tiles, value, t);
  if (!pieces)
    return NULL;
  MlirOperation place = mlirValueIsAOpResult(value)
                            ? mlirOperationGetNextInBlock(mlirOpResultGetOwner(value))
                            : mlirBlockGetFirstOperation(mlirBlockArgumentGetOwner(value));
  int64_t at[TUNE_ODD_MOST_PIECES], sizes[TUNE_ODD_MOST_PIECES];
  size_t count = tune_odd_tile_list_pieces(t.length, at, sizes);
  for (int64_t row = 0; row < t.rows; ++row)
    for (size_t p = 0; p < count; ++p)
      *pieces++ = take_piece(place, value, row, at[p], sizes[p]);
  tune_odd_tiles_find(tiles, value, &t);
  return tiles->pieces + t.first;
}

MlirValue tune_odd_tiles_put_together(const tune_odd_tiles *tiles, MlirOperation place,
                                      MlirValue value, const tune_odd_tile *t) {
  MlirType type = mlirValueGetType(value);
  tune_ir_builder b = tune_ir_builder_before(place);
  int64_t at[TUNE_ODD_MOST_PIECES], sizes[TUNE_ODD_MOST_PIECES], position[MOST_RANK];
  size_t count = tune_odd_tile_list_pieces(t->length, at, sizes);
  MlirValue whole = tune_ir_build_value(&b, "ub.poison", type, 0, NULL);
  for (int64_t r = 0; r < t->rows; ++r) {
    MlirValue row =
        tune_ir_build_value(&b, "ub.poison", tune_odd_tile_piece_type(type, t->length), 0, NULL);
    for (size_t p = 0; p < count; ++p)
      row = tune_vector_op_put_lanes(place, tiles->pieces[t->first + (size_t)r * count + p], row,
                                     at[p], sizes[p]);
    intptr_t outer = find_position(type, r, position);
    MlirNamedAttribute attribute = tune_ir_named(b.context, "static_position",
                                                 mlirDenseI64ArrayGet(b.context, outer, position));
    MlirValue operands[] = {row, whole};
    whole =
        outer ? tune_vector_op_make(place, "vector.insert", 2, operands, type, 1, &attribute) : row;
  }
  return whole;
}

void tune_odd_tiles_deinit(tune_odd_tiles *tiles) {
  tune_op_map_deinit(&tiles->tile_of);
  free(tiles->tiles);
  free(tiles->pieces);
}
