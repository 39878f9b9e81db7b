//===- odd_tiles.h - Which vectors are in pieces, and in which --------------------------===//
//
// Vectors and tiles whose rows are a multiple of four elements and no power of two (odd_vectors.h)
// have pieces that are powers of two, the longest first: 24 elements are 16 and 8. This keeps them
// by the value that they are of.
//
// Threads: as the context of the IR.
//
//===----------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_VECTORS_ODD_TILES_H
#define TUNE_TRANSFORMS_LOWER_CPU_VECTORS_ODD_TILES_H

#include "transforms/ir/op_map.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_ODD_MOST_PIECES 8 // of a row
#define TUNE_ODD_MOST_ROWS 64

// A vector of one row, or a tile of several: all dimensions but the last count rows.
typedef struct tune_odd_tile {
  int64_t rows, length;
  size_t first; // of its pieces, those of a row one after the other
} tune_odd_tile;

// Zeroes, and tune_op_map_init of `tile_of`, begin it.
typedef struct tune_odd_tiles {
  tune_op_map tile_of; // by value
  tune_odd_tile *tiles;
  size_t tile_count, tile_capacity;
  MlirValue *pieces; // of all; moves when others are noted
  size_t piece_count, piece_capacity;
  bool failed; // memory ran out
} tune_odd_tiles;

void tune_odd_tiles_deinit(tune_odd_tiles *tiles);

// Reads the shape of `type`, if it is one that is computed in pieces.
bool tune_odd_tile_read(MlirType type, tune_odd_tile *out);
// The pieces of a row of `length` elements: where each begins, and how long it is. Returns how many
// there are; `at` and `sizes` have place for TUNE_ODD_MOST_PIECES.
size_t tune_odd_tile_list_pieces(int64_t length, int64_t *at, int64_t *sizes);
// Those of all rows.
size_t tune_odd_tile_count_pieces(const tune_odd_tile *tile);
// A vector of `length` elements of those of `like`.
MlirType tune_odd_tile_piece_type(MlirType like, int64_t length);

// Place for the pieces of `value`, which the caller sets; NULL where memory ran out.
MlirValue *tune_odd_tiles_note(tune_odd_tiles *tiles, MlirValue value, tune_odd_tile tile);
// Whether `value` has pieces.
bool tune_odd_tiles_find(const tune_odd_tiles *tiles, MlirValue value, tune_odd_tile *out);
// The pieces of `value`, which is odd: those it has, or by taking it apart where it is made. They
// are to be read before others are noted; NULL where memory ran out.
const MlirValue *tune_odd_tiles_pieces_of(tune_odd_tiles *tiles, MlirValue value);
// `value` of its pieces, before `place`.
MlirValue tune_odd_tiles_put_together(const tune_odd_tiles *tiles, MlirOperation place,
                                      MlirValue value, const tune_odd_tile *tile);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_VECTORS_ODD_TILES_H
