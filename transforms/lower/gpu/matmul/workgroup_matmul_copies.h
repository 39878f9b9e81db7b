//===- workgroup_matmul_copies.h - Copies of tiles to shared memory ----------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_COPIES_H
#define TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_COPIES_H

#include "transforms/lower/gpu/matmul/workgroup_matmul_operand.h"

#ifdef __cplusplus
extern "C" {
#endif

// Copies the tile of step `step` (an index, from 0) to shared memory at `stage`.
void tune_tile_operand_copy(const tune_tile *tile, const tune_tile_operand *operand,
                            const tune_ir_builder *builder, MlirValue stage, MlirValue step);

// The same by way of registers, where no copy is asynchronous: first each thread reads its chunks,
// of which there are tune_tile_operand_chunks, then, when what was at `stage` is read, puts them
// there.
size_t tune_tile_operand_chunks(const tune_tile *tile, const tune_tile_operand *operand);
void tune_tile_operand_fetch(const tune_tile *tile, const tune_tile_operand *operand,
                             const tune_ir_builder *builder, MlirValue step, MlirValue *out_chunks);
void tune_tile_operand_put(const tune_tile *tile, const tune_tile_operand *operand,
                           const tune_ir_builder *builder, MlirValue stage,
                           const MlirValue *chunks);

// Ends a group of copies; waits until no more than `pending` groups are on their way.
void tune_tile_commit(const tune_tile *tile, const tune_ir_builder *builder);
void tune_tile_wait(const tune_tile *tile, const tune_ir_builder *builder, int64_t pending);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_COPIES_H
