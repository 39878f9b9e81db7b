//===- trial.h - Running candidates: check, time, check ---------------------------------===//
//
// Bodies for child_run. What they report are the replies of formats/measure_replies.h. An artifact
// that does not load (a symbol is missing) is "run-crashed", as is one that takes too much memory:
// a candidate that failed, not a request that did.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_TRIAL_H
#define TUNE_TOOLS_TUNE_MEASURE_TRIAL_H

#include "formats/measure_replies.h"
#include "tools/tune-measure/task.h"

typedef struct trial_order {
  const task *of;
  const char **artifacts;
  size_t artifact_count;
  tune_measure_options options;
  size_t placement;              // the number of this one of a comparison's, from 0 on
  const tune_text_list *outputs; // .npy files for the first one's outputs, gaps for none; or NULL
} trial_order;

// The first artifact is run once and checked, timed if it is right, and checked again unless it was
// cut: what is wrong after many runs is wrong. Verdict "ok", "cut" or "wrong". `context` is the
// order.
tune_status trial_measure(void *context, child_notes *notes, json_t **out_report);

// All are run once and checked, timed interleaved, also where one is wrong, and checked again:
// a tune_compare_reply without placements.
tune_status trial_compare(void *context, child_notes *notes, json_t **out_report);

// What the samples of a result say of it.
void trial_set_summary(const tune_summary *summary, tune_times *times);

// What such a child came to, as a reply without ticket and task: that of measure, or of compare
// where it is to name the artifact that the child was at.
tune_status trial_reply(const child_outcome *outcome, bool names_artifact, json_t **out_reply);

// Runs trial_measure in a child, as the request says; its ticket and task do not matter.
tune_status trial_measure_in_child(const task *of, const tune_measure_request *request,
                                   const child_watch *watch, json_t **out_reply);

#endif // TUNE_TOOLS_TUNE_MEASURE_TRIAL_H
