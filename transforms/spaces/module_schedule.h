//===- module_schedule.h - The schedules of all tasks as one script ----------===//
//
// What is known of the tasks of a module comes together in one transform script that does to
// the whole module what was measured on each task:
//
//   @tune_outline        normalizes, and moves each task into a function (outline.h)
//   @tune_tensors_<i>    the schedule of task i, on its functions
//   one_shot_bufferize   of the whole module, once
//   @tune_buffers_<i>    the rest of the schedule, on the same functions
//
// tune-lower applies the script, tune-export-schedule hands it out: what is exported is what
// was run. Everything in it is upstream's.
//
// Occurrences of a task whose functions are alike then share one, by upstream's
// duplicate-function-elimination; other functions get an attribute `tune.function`, so that they
// stay apart.
//
// A schedule takes part by its two sequences @tune_tensors and @tune_buffers, which take the
// function. One that has only @__transform_main takes part with that instead of
// @tune_tensors, if it does not bufferize; if it does, the module may have no other task.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SPACES_MODULE_SCHEDULE_H
#define TUNE_TRANSFORMS_SPACES_MODULE_SCHEDULE_H

#include "transforms/lower/common/stages.h"
#include "transforms/tasks/extract.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Makes the script for the module that `extraction` is of. `schedules` has the decided schedule
// (instantiate.h) of each task, borrowed. `*out_script` is a module, for the caller to destroy.
// FAILED_PRECONDITION (located) for a schedule that cannot be combined with others.
tune_status tune_module_schedule_create(const tune_extraction *extraction,
                                        const MlirOperation *schedules, MlirOperation *out_script);

// Applies `script`, one made by the above, to `module`, which is bufferized then. Stages: "tensors"
// (of a copy; not of a user's schedule that bufferizes by itself) and "schedule". On failure
// `module` is left in an unspecified state.
tune_status tune_module_schedule_apply(MlirOperation module, MlirOperation script,
                                       const tune_stages *stages);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SPACES_MODULE_SCHEDULE_H
