//===- lanes.h - Distribution of rows over the lanes of a subgroup -----------===//
//
// A schedule gives each invocation a row: an iteration of an scf.forall, with loops along the row
// in it. With the attribute tune.lanes = S on the forall the lanes of a subgroup of S, or of
// several subgroups that are S together, have a row together: every loop in it that is marked
// tune.shared is divided among them, step by step, so that neighbours read neighbours; what each
// adds up for itself meets in a gpu.subgroup_reduce after the loop, and of several subgroups in the
// memory of the group, which has that row alone (lanes_group.h); what is written outside of such
// loops is written by the first lane.
//
// The forall gets one dimension more, the last, which runs along x and is a group's width; the
// group_x it had (launches.h) becomes its group_y.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_LANES_H
#define TUNE_TRANSFORMS_LOWER_GPU_LANES_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// In each scf.forall directly in the body of `function`, which is on buffers. A number of 1 changes
// nothing. `subgroup` is the device's size of subgroups that can combine values, or 0.
// INVALID_ARGUMENT (located) for other numbers than multiples of that; for a marked loop that
// carries something other than what it combines by a #vector.kind, or reads it for anything else;
// and for one that writes at the same place in each step.
tune_status tune_lanes_lower(MlirOperation function, int64_t subgroup);

// Makes `forall`, which is on buffers with constant bounds, anew with a dimension of `lanes` more,
// the last; `*out_lane` is its index. Its other attributes stay, but group_x, as above.
MlirOperation tune_lanes_add(MlirOperation forall, int64_t lanes, MlirValue *out_lane);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_LANES_H
