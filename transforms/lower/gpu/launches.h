//===- launches.h - Parallel loops as launches of kernels --------------------===//
//
// A function on buffers becomes what a host does: take buffers, launch kernels, copy. Each
// scf.forall directly in its body becomes a gpu.launch with one invocation for each iteration. The
// last dimension runs along x, the one before along y, all others along z, those of one iteration
// not counted, unless the mapping says otherwise ([#gpu.thread<y>, #gpu.thread<x>], in any order).
// What the schedule has to say about a launch are integers on the forall:
//
//   tune.group_x, tune.group_y, tune.group_z    the size of a group; where one of them is
//                                               there, the others are 1. With none: 64 invocations,
//                                               in a line for one dimension, else in a square along
//                                               x and y
//
// Where the extent is no multiple of the group, the body is guarded; or, where lanes read together
// (tune.gpu.share, vector_legalization.h), what it writes, and the rest computes what the last one
// does. Where a dimension has more groups than the device takes, all are counted in one line that
// is cut into pieces.
//
// Launches that the schedule made itself (transform.gpu.map_forall_to_blocks) stay as they are.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_LAUNCHES_H
#define TUNE_TRANSFORMS_LOWER_GPU_LAUNCHES_H

#include "formats/device_facts.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Opens every scf.forall directly in the body of `function`, which keep their discardable
// attributes but for those above. INVALID_ARGUMENT (located) for other loops there, as kernels
// cannot be in one; for bounds that are not constants; for groups that the device does not take;
// for more than 2^31-1 iterations, as indices have 32 bits on a device.
tune_status tune_launches_lower(MlirOperation function, const tune_device *device);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_LAUNCHES_H
