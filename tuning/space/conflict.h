//===- conflict.h - Constraints that leave nothing ---------------------------===//
//
// Where no config of a space is valid, its author wants to know why: the constraints that
// exclude each other, and no more of them than that takes.
//
// Threads: any.
//
//===--------------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SPACE_CONFLICT_H
#define TUNE_TUNING_SPACE_CONFLICT_H

#include "tuning/space/space.h"

#ifdef __cplusplus
extern "C" {
#endif

// Fills `constraints`, which has room for all, with indices of those of `space` that none of its
// configs satisfies together, in their order. Without any one of them some config would be valid,
// unless that took too long to find out; how long is counted in steps, so that the answer is the
// same on each machine.
tune_status tune_conflict_find(const tune_space *space, size_t *constraints, size_t *out_count);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_SPACE_CONFLICT_H
