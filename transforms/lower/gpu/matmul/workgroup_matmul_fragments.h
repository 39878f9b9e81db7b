//===- workgroup_matmul_fragments.h - Layouts of the fragments of mma.sync ---===//
//
// Fragments of mma.sync.m16n8k* as PTX's manual has them. With g = lane / 4 and t = lane % 4 a
// thread has of a 16 x 8 piece of the output the elements 2 t and 2 t + 1 of rows g and g + 8. Of A
// (16 x K) and B (K x 8) it has words of 32 bits, of neighbours along the depth: word r of A is
// word t + 4 (r / 2) of row g + 8 (r % 2), word r of B is word t + 4 r of column g. ldmatrix brings
// such words: four 8 x 8 matrices of 16 bits from shared memory, lane l saying where row l % 8 of
// matrix l / 8 begins; it gets word l % 4 of row l / 4 of each.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_FRAGMENTS_H
#define TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_FRAGMENTS_H

#include "transforms/lower/gpu/matmul/workgroup_matmul_tile.h"

#ifdef __cplusplus
extern "C" {
#endif

// Rows and columns of a piece.
enum { TUNE_FRAGMENT_ROWS = 16, TUNE_FRAGMENT_COLS = 8 };

// A warp's part of the tile.
int64_t tune_fragment_warp_rows(const tune_tile *tile);
int64_t tune_fragment_warp_cols(const tune_tile *tile);

// Where that begins, and the thread's number in the warp.
typedef struct tune_fragment_origin {
  MlirValue row, col, lane;
} tune_fragment_origin;

tune_fragment_origin tune_fragment_find_origin(const tune_tile *tile,
                                               const tune_ir_builder *builder);

// INVALID_ARGUMENT (located) where warps do not divide the tile into pieces, two beside each other,
// whose depth is a multiple of `depth`, or where `device` has no such tensor cores.
tune_status tune_fragment_check(const tune_tile *tile, const tune_device *device, int64_t depth);

// Of tune_tile_core: a piece is two rows of two neighbours.
size_t tune_fragment_count(const tune_tile *tile);
MlirType tune_fragment_type(const tune_tile *tile);
size_t tune_fragment_run(const tune_tile *tile);
void tune_fragment_position(size_t element, int64_t out_position[2], intptr_t *out_count);
void tune_fragment_place(const tune_tile *tile, const tune_ir_builder *builder, size_t piece,
                         size_t element, MlirValue *out_row, MlirValue *out_col);

// tune_tile_core.lay_out of what ldmatrix reads: swizzled where the tile is.
void tune_fragment_lay_out(const tune_tile *tile, tune_tile_operand *operand);

// nvgpu.ldmatrix of four matrices of `operand` at `stage`, of pairs of bytes where it is of such;
// the lane's row begins at `row` and `col`, in elements of what is loaded.
MlirValue tune_fragment_load(const tune_ir_builder *builder, const tune_tile_operand *operand,
                             MlirValue stage, MlirValue row, MlirValue col, bool turns);

// The registers of what ldmatrix brought, as i32.
void tune_fragment_take_words(const tune_ir_builder *builder, MlirValue fragment, int64_t count,
                              MlirValue *out_words);

// What an mma.sync of four words of A and two of B is.
typedef struct tune_fragment_product {
  const char *a, *b; // types as in PTX: "bf16", "s8"
  const char *shape; // as MLIR has it: "m = 16, n = 8, k = 16"
  MlirType sum;      // f32 or i32, which wraps around
} tune_fragment_product;

// Adds a product to `sums`, the four of a piece.
void tune_fragment_multiply(const tune_ir_builder *builder, const tune_fragment_product *product,
                            const MlirValue a[4], const MlirValue b[2], MlirValue sums[4]);

// The four elements of a piece, and a piece of four.
void tune_fragment_split(const tune_ir_builder *builder, MlirValue piece, MlirValue out_sums[4]);
MlirValue tune_fragment_join(const tune_ir_builder *builder, MlirType type,
                             const MlirValue sums[4]);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_FRAGMENTS_H
