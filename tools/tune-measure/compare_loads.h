//===- compare_loads.h - Candidates compared in several places of memory ------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_COMPARE_LOADS_H
#define TUNE_TOOLS_TUNE_MEASURE_COMPARE_LOADS_H

#include "tools/tune-measure/trial.h"

// What a comparison came to.
typedef struct loads_compared {
  tune_compare_reply reply; // borrows from `report`
  tune_reply_head head;     // that goes with it: the waiting and second tries of all loads
  json_t *report;           // of the load that the verdict is of
} loads_compared;

// Runs trial_compare in children, one after the other, each a load (tuning/measure/placements.h),
// and makes one reply of what they report, as in docs/protocol.md: samples of all, ratios over
// the loads, `loads` how many there were. One that comes to anything but "ok" ends it, and is the
// reply, of one load. If `only_faster`, there are no more loads once none can be found to be faster
// than the first. `order->load` and the loads of its options are set here; outputs are those of the
// first load. DATA_LOSS for a report that is none. To be deinited also after a failure.
tune_status compare_in_loads(const trial_order *order, bool only_faster, const child_limits *limits,
                             const child_watch *watch, loads_compared *out_compared);
void loads_compared_deinit(loads_compared *compared);

#endif // TUNE_TOOLS_TUNE_MEASURE_COMPARE_LOADS_H
