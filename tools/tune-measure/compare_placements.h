//===- compare_placements.h - Candidates compared in several placements ----------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_COMPARE_PLACEMENTS_H
#define TUNE_TOOLS_TUNE_MEASURE_COMPARE_PLACEMENTS_H

#include "tools/tune-measure/trial.h"

// What a comparison came to.
typedef struct placements_compared {
  tune_compare_reply reply; // borrows from `report`
  tune_reply_head head;     // that goes with it: the waiting and second tries of all placements
  json_t *report;           // of the placement that the verdict is of
} placements_compared;

// Runs trial_compare in children, one after the other, each a placement
// (tuning/measure/placements.h), and makes one reply of what they report, as in docs/protocol.md:
// samples of all, ratios over the placements, `placements` how many there were. One that comes to
// anything but "ok" ends it, and is the reply, of one placement. If `only_faster`, there are no
// more placements once none can be found to be faster than the first. `order->placement` and the
// placements of its options are set here; outputs are those of the first placement. DATA_LOSS for a
// report that is none. To be deinited also after a failure.
tune_status compare_in_placements(const trial_order *order, bool only_faster,
                                  const child_limits *limits, const child_watch *watch,
                                  placements_compared *out_compared);
void placements_compared_deinit(placements_compared *compared);

#endif // TUNE_TOOLS_TUNE_MEASURE_COMPARE_PLACEMENTS_H
