//===- measure_compare.h - The finalists of an export, side by side -----------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_MEASURE_COMPARE_H
#define TUNE_TOOLS_TUNE_MEASURE_MEASURE_COMPARE_H

// Before our own `task`, which names in it would hide.
#include "tuning/remote/export_file.h"

#include "tools/tune-measure/task.h"

// Measures all candidates of `entry`, a task of `exported` with the member "compare", interleaved
// in a child, as the request "compare" does (docs/protocol.md); the reply is as there.
// Artifacts are put into `folder` meanwhile. DATA_LOSS for a candidate without an artifact.
tune_status measure_compare(const task *of, const tune_export *exported,
                            const tune_exported_task *entry, const char *folder,
                            const child_watch *watch, json_t **out_reply);

#endif // TUNE_TOOLS_TUNE_MEASURE_MEASURE_COMPARE_H
