//===- depthwise_planes.h - Depthwise convolutions that read the image where it lies -===//
//
// The second form of the rule 'depthwise': a register tile of several lines, so that what is read
// serves all windows it is in, and no copy of the image with its borders. Where a tile meets a
// border is known when its script is written: the first and the last tile of a line, and of the
// plane, become code of their own, in which what lies outside is a constant.
//
// Threads: as schedule_writer.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONV_DEPTHWISE_PLANES_H
#define TUNE_TRANSFORMS_RULES_CONV_DEPTHWISE_PLANES_H

#include "transforms/rules/conv/depthwise_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

// The knobs of planes, of a plan that has them.
void tune_depthwise_write_plane_knobs(const tune_depthwise_plan *plan, tune_writer *writer);
// From %roots and %anchor, which are in the loop %around, to single pixels of nr channels, not yet
// vectors.
void tune_depthwise_write_planes(const tune_depthwise_plan *plan, const char *around,
                                 tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONV_DEPTHWISE_PLANES_H
