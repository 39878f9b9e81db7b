//===- workgroup_matmul_cluster.h - Tiles shared by the workgroups of a cluster (sm_90) -===//
//
// sm_90 runs groups of a cluster at the same time, and a bulk copy may go to the same place in the
// shared memory of several of them (.multicast::cluster). Tiles in a row of the cluster are of the
// same rows of A, those in a column of the same columns of B: each group has a part of either
// copied for all that need it, so that A is read from memory once for a row, B once for a column.
//
// What is copied over has to be read by all groups it goes to: each tells all that copy to it, at
// an mbarrier of theirs, and they wait there (as the pipelines of NVIDIA's CUTLASS do,
// include/cutlass/pipeline/sm90_pipeline.hpp). So no group leaves before what others do to its
// memory is done: it has waited for each copy, and for each arrival.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_CLUSTER_H
#define TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_CLUSTER_H

#include "transforms/lower/gpu/matmul/workgroup_matmul_tile.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reads tune.tile.cluster_y and _x; 1 without them. INVALID_ARGUMENT (located) for other numbers
// than a cluster may have.
tune_status tune_tile_cluster_read(tune_tile *tile);
// INVALID_ARGUMENT (located) where clusters do not divide the tiles, or the tiles have no such
// parts; operands are known.
tune_status tune_tile_cluster_check(const tune_tile *tile);
// Sets which of its cluster the group is, and has the launch make clusters (launch_grid.h). Before
// the forall gets its dimension of threads, and behind what changes the order of tiles.
void tune_tile_cluster_place(tune_tile *tile);

static inline bool tune_tile_has_cluster(const tune_tile *tile) {
  return tile->cluster_y * tile->cluster_x > 1;
}
// In how many parts the groups of the cluster copy an operand; which of them is the group's, an
// index, or null for the only one.
int64_t tune_tile_cluster_parts(const tune_tile *tile, const tune_tile_operand *operand,
                                MlirValue *out_part);
// The groups that need the operand's tile, as a mask of 16 bits.
MlirValue tune_tile_cluster_mask(const tune_tile *tile, const tune_tile_operand *operand,
                                 const tune_ir_builder *builder);
// How many groups tell this one that they have read what it copied.
int64_t tune_tile_cluster_readers(const tune_tile *tile);
// Waits for all threads of all groups of the cluster.
void tune_tile_cluster_meet(const tune_ir_builder *builder);
// Tells all groups that copy to this one that what is at a stage has been read: arrives in each at
// the mbarrier that is at `address` (32 bits) in its own memory. Once for the group, whose threads
// all come here, or (producer_warps) once for each warp. Without a cluster the group is all there
// is.
void tune_tile_cluster_tell(const tune_tile *tile, const tune_ir_builder *builder,
                            MlirValue address);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_CLUSTER_H
