//===- launch_grid.h - The grid of a launch: iterations to workgroups and invocations -===//
//
// Which dimension of an scf.forall runs along which axis of a launch, in groups of which size, and
// how many of them: see launches.h.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_LAUNCH_GRID_H
#define TUNE_TRANSFORMS_LOWER_GPU_LAUNCH_GRID_H

#include "formats/device_facts.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_LAUNCH_MOST_DIMENSIONS 32
#define TUNE_LAUNCH_AXES 3

typedef struct tune_launch_grid {
  MlirOperation forall;
  size_t rank;
  int64_t lower[TUNE_LAUNCH_MOST_DIMENSIONS], step[TUNE_LAUNCH_MOST_DIMENSIONS];
  int64_t extent[TUNE_LAUNCH_MOST_DIMENSIONS];
  size_t order[TUNE_LAUNCH_MOST_DIMENSIONS]; // dimensions, the one along x first
  size_t axis_count;                         // axes with a dimension of their own
  int64_t invocations[TUNE_LAUNCH_AXES];     // along each axis
  int64_t group[TUNE_LAUNCH_AXES], count[TUNE_LAUNCH_AXES];
  int64_t cluster[TUNE_LAUNCH_AXES]; // of groups
  bool is_line;                      // all counted in one, cut into pieces
} tune_launch_grid;

// Reads all but the groups. INVALID_ARGUMENT (located) for bounds that are not constants, and for
// more than 2^31-1 iterations.
tune_status tune_launch_grid_read(MlirOperation forall, tune_launch_grid *out_grid);
int64_t tune_launch_grid_invocations(const tune_launch_grid *grid);

// Chooses the groups and clusters of a grid that is not empty; what the forall says of them is
// taken off it. INVALID_ARGUMENT (located) for such that the device does not take.
tune_status tune_launch_grid_plan(tune_launch_grid *grid, const tune_device *device);

// INVALID_ARGUMENT (at `op`) where the device does not take groups of three sizes `group`.
tune_status tune_launch_grid_check_group(MlirOperation op, const int64_t *group,
                                         const tune_device *device);
// The three sizes of the groups of `kernel`, a gpu.func, into `out_group`. INVALID_ARGUMENT
// (located) where they are not known, or the device does not take them.
tune_status tune_launch_grid_read_group(MlirOperation kernel, const tune_device *device,
                                        int64_t *out_group);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_LAUNCH_GRID_H
