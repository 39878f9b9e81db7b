//===- group_tiles_bulk.h - Boxes of memory that come to a group by themselves ---------===//

#ifndef TUNE_TRANSFORMS_LOWER_GROUP_TILES_BULK_H
#define TUNE_TRANSFORMS_LOWER_GROUP_TILES_BULK_H

#include "transforms/lower/group_tiles_parts.h"

#ifdef __cplusplus
extern "C" {
#endif

// INVALID_ARGUMENT (located) where no box of what `operand` reads can be copied.
tune_status tune_tile_bulk_check(const tune_tile *tile, const tune_tile_operand *operand);
// Makes tile->barriers: one for each stage.
void tune_tile_bulk_allocate(tune_tile *tile, const tune_ir_builder *builder);
// Makes the barriers ready, before all else; all threads are behind it together.
void tune_tile_bulk_begin(const tune_tile *tile, const tune_ir_builder *builder);
// Has one thread ask for both tiles of step `step`, into the stage of that step. No thread of the
// group may still read what is there; of the cluster's other groups it waits until they say so.
void tune_tile_bulk_copy(const tune_tile *tile, const tune_ir_builder *builder, MlirValue step);
// The threads of the group have read the tiles of step `step`, and are behind a barrier: tells
// those groups of its cluster that copied parts of them. For each step that others of its stage
// follow.
void tune_tile_bulk_tell(const tune_tile *tile, const tune_ir_builder *builder, MlirValue step);
// Waits until the tiles of step `step` are there.
void tune_tile_bulk_wait(const tune_tile *tile, const tune_ir_builder *builder, MlirValue step);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GROUP_TILES_BULK_H
