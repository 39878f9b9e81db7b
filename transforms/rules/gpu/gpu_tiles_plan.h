//===- gpu_tiles_plan.h - The plan of a product in tiles of workgroups -------===//
//
// Part of gpu_tiles: which products it takes, the values of its knobs and their defaults. On Vulkan
// the same, as far as multiply-adds go, is a part of gpu_contraction.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_GPU_GPU_TILES_PLAN_H
#define TUNE_TRANSFORMS_RULES_GPU_GPU_TILES_PLAN_H

#include "transforms/rules/contraction/contraction_plan.h"
#include "transforms/rules/gpu/gpu_split.h"

#ifdef __cplusplus
extern "C" {
#endif

// Values of tune.tile.tensor_cores.
typedef enum tune_gpu_tiles_core {
  TUNE_TILES_FMA,
  TUNE_TILES_MMA, // on Vulkan cooperative matrices
  TUNE_TILES_WGMMA
} tune_gpu_tiles_core;

enum {
  TUNE_TILES_WARP = 32,
  TUNE_TILES_MMA_BYTES = 32, // of a line of A or B, along the depth, in an mma.sync
};

typedef struct tune_gpu_tiles_plan {
  tune_contraction_plan loops;
  bool uses_tensor_cores, has_wgmma;
  bool has_swizzle; // of mma.sync, by ldmatrix
  bool is_tf32;     // products of f32 that may be: by tensor cores, or multiply-adds as they are
  bool has_bulk_copies, pads_on_the_way; // by bulk copies of what is not padded in memory
  int64_t bytes;                         // of an element of A and B
  bool a_depth_is_row, b_depth_is_row;   // neighbours in memory are neighbours along the depth
  tune_value_set rows, cols, depths, warps_y, warps_x, stages, tensor_cores;
  tune_value_set bands; // rows of tiles that go together; none: not decided
  int64_t bands_default;
  tune_value_set clusters_y, clusters_x; // rows and columns of tiles; none: not decided
  tune_value_set parts;                  // of the depth, beside the whole
  int64_t parts_default;
  int64_t rows_default, cols_default, depths_default, warps_y_default, warps_x_default;
  int64_t stages_default;
  bool reads_ahead;                 // two stages are by way of registers
  const tune_device_matrix *matrix; // cooperative matrices of Vulkan, the machine's; NULL: none
  bool only_matrices;               // threads do not multiply such
  int64_t tensor_cores_default;     // of tune.tile.tensor_cores
  bool pads;
  const tune_nest *fused; // what follows elementwise, where tiles go through it; or NULL
} tune_gpu_tiles_plan;

// False where the task is for another rule.
bool tune_gpu_tiles_plan_make(const tune_structure *structure, const tune_machine *machine,
                              tune_gpu_tiles_plan *out_plan);

// Writes the knobs, and what becomes of the task up to vectors (gpu_tiles.c).
void tune_gpu_tiles_write_steps(const tune_gpu_tiles_plan *plan, const tune_machine *machine,
                                tune_writer *writer);

// The threads, and the bytes of shared memory, that a group may have.
int64_t tune_gpu_tiles_threads_most(const tune_machine *machine);
int64_t tune_gpu_tiles_shared_most(const tune_machine *machine);

// Bytes between rows of shared memory; at the most, where that depends on the core.
int64_t tune_gpu_tiles_gap(const tune_gpu_tiles_plan *plan, bool depth_is_row);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_GPU_GPU_TILES_PLAN_H
