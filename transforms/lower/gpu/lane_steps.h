//===- lane_steps.h - Distribution of a loop's steps over the lanes of a subgroup -===//
//
// Part of lanes: one step of a loop that lanes share is a vector for each of them. Where a lane has
// V neighbours, an access of four of them by all lanes at once touches as many lines of the cache
// as there are lanes; where it has every lanes-th four, they touch what lies together. For what is
// computed of each element by itself, and for sums, it is all the same whose an element is.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_LANE_STEPS_H
#define TUNE_TRANSFORMS_LOWER_GPU_LANE_STEPS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// How many neighbours a lane has then.
#define TUNE_LANE_STEP_WIDTH 4

// Divides the vectors that `loop`, an scf.for that goes in whole steps of all `lanes`, reads and
// writes into accesses of TUNE_LANE_STEP_WIDTH elements each, as far apart as all lanes have of
// them: a lane is to begin at its number times that. `*out_spread`: false where the loop does
// anything with its index, or with vectors, but this; it is as it was then.
tune_status tune_lane_steps_spread(MlirOperation loop, int64_t lanes, bool *out_spread);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_LANE_STEPS_H
