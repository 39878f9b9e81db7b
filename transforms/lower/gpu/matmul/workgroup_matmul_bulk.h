//===- workgroup_matmul_bulk.h - Bulk tensor copies to shared memory (sm_90) -===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_BULK_H
#define TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_BULK_H

#include "transforms/lower/gpu/matmul/workgroup_matmul_tile.h"

#ifdef __cplusplus
extern "C" {
#endif

// INVALID_ARGUMENT (located) where no box of what `operand` reads can be copied.
tune_status tune_tile_bulk_check(const tune_tile *tile, const tune_tile_operand *operand);
// Makes tile->barriers: one for each stage.
void tune_tile_bulk_allocate(tune_tile *tile, const tune_ir_builder *builder);
// Makes the barriers ready, before all else; all threads are behind it together.
void tune_tile_bulk_begin(const tune_tile *tile, const tune_ir_builder *builder);
// Has one thread ask for both tiles of step `step`, into the stage of that step: the first one of
// the group, where no other may still read what is there, or who is here, of a warp that only
// copies. Of whom else the tiles there go to, it waits until they say that they have read them.
void tune_tile_bulk_copy(const tune_tile *tile, const tune_ir_builder *builder, MlirValue step);
// Tells who copied the tiles of step `step` that they have been read: by all threads of the group,
// which are behind a barrier, or where a warp only copies by those of this warp. For each step that
// others of its stage follow, and nothing where nobody waits for it.
void tune_tile_bulk_tell(const tune_tile *tile, const tune_ir_builder *builder, MlirValue step);
// Waits until the tiles of step `step` are there.
void tune_tile_bulk_wait(const tune_tile *tile, const tune_ir_builder *builder, MlirValue step);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_BULK_H
