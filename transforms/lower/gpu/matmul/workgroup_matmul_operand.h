//===- workgroup_matmul_operand.h - An operand of a tile: its read, memory, places -===//
//
// What a step reads of A or B, where that lies in memory, and where in the group's shared memory,
// which the copies (workgroup_matmul_copies.h, _bulk.h) fill and the cores read.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_OPERAND_H
#define TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_OPERAND_H

#include "transforms/lower/gpu/matmul/workgroup_matmul_tile.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reads what `operand->read` reads into the rest of `operand`, but for its memory.
// INVALID_ARGUMENT (located) for a read that is not whole, or of elements that no copy can take.
tune_status tune_tile_operand_read(const tune_tile *tile, tune_tile_operand *operand);
// Memory of the group.
MlirValue tune_tile_allocate(const tune_ir_builder *builder, MlirType element, intptr_t rank,
                             const int64_t *shape);
// Makes its shared memory.
void tune_tile_operand_allocate(const tune_tile *tile, const tune_ir_builder *builder,
                                tune_tile_operand *operand);

// Where `row` and `col` of the tile, in elements of `bytes`, are in shared memory at `stage`:
// indices into operand->shared, or ->pairs; returns how many. Swizzled, the 16 bytes that a place
// is in are others of its row: their number is changed by that of the row, so that the same column
// of rows of 128 bytes is in other banks each time, eight times in turn (the PTX ISA: "Swizzling
// modes"; rows of 64 and 32 bytes change each two, each four).
intptr_t tune_tile_operand_find_shared(const tune_tile_operand *operand,
                                       const tune_ir_builder *builder, int64_t bytes,
                                       MlirValue stage, MlirValue row, MlirValue col,
                                       MlirValue out[4]);

// The place in memory of the tile of step `step`: an index for each dimension.
void tune_tile_operand_find_origin(const tune_tile *tile, const tune_tile_operand *operand,
                                   const tune_ir_builder *builder, MlirValue step,
                                   MlirValue *out_origin);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_OPERAND_H
