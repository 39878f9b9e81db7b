//===- gpu_tiles_clusters.h - Groups of sm_90 that share their tiles ---------===//
//
// Part of gpu_tiles: how many rows and columns of tiles are those of a cluster, whose groups copy
// parts of A and B for each other (lower/gpu/matmul/workgroup_matmul_cluster.h).
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_GPU_GPU_TILES_CLUSTERS_H
#define TUNE_TRANSFORMS_RULES_GPU_GPU_TILES_CLUSTERS_H

#include "transforms/rules/gpu/gpu_tiles_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

// Sets plan->clusters_y and _x, of a plan that has all else: none where there are no bulk copies,
// or only clusters of one.
void tune_gpu_tiles_choose_clusters(tune_gpu_tiles_plan *plan, const tune_machine *machine);

// The knobs cluster_y and cluster_x, with their constraints, where the plan has them.
void tune_gpu_tiles_write_clusters(const tune_gpu_tiles_plan *plan, tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_GPU_GPU_TILES_CLUSTERS_H
