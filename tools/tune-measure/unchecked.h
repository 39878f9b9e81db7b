//===- unchecked.h - What of a reference is no number ------------------------===//
//
// NaN equals NaN and an infinity itself, whatever a candidate computed on the way: they check
// little.
//
// Threads: one.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_UNCHECKED_H
#define TUNE_TOOLS_TUNE_MEASURE_UNCHECKED_H

#include "tools/tune-measure/task.h"

// Makes `nan_share`, `unchecked_share` and `unchecked` of the outputs of `t->dense`.
tune_status unchecked_note(task *t);

#endif // TUNE_TOOLS_TUNE_MEASURE_UNCHECKED_H
