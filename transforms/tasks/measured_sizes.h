//===- measured_sizes.h - At which sizes a task is measured ------------------===//
//
// A function says of its arguments at which shapes it is measured (tune.measured_at), and so its
// tasks are: those of two functions that differ in nothing else are two, with keys of their own.
// Once functions are inlined nobody could tell which op was whose; so the locations of ops say it
// before (transforms/normalize/marks.h).
//
// Threads: as the context of the module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_TASKS_MEASURED_SIZES_H
#define TUNE_TRANSFORMS_TASKS_MEASURED_SIZES_H

#include "support/status.h"
#include "support/string_builder.h"
#include "transforms/tasks/fusion_groups.h"
#include "transforms/tasks/task_function.h"

#ifdef __cplusplus
extern "C" {
#endif

// Marks the ops of all functions of `module` that say at which sizes they are measured.
tune_status tune_measured_sizes_mark(MlirOperation module);

// Puts tune.measured_at onto the arguments of the function of a group whose ops are marked, where
// their types leave sizes open. Sizes that do not follow from those of the marks are 64.
void tune_measured_sizes_set(const tune_fusion_groups *groups, size_t group,
                             const tune_task_function *function);

// The size of dimension `dimension` of the tensor `value` that the group reads or makes: what its
// type says, or where the group's ops are marked what follows; -1: not known.
int64_t tune_measured_sizes_get(const tune_fusion_groups *groups, size_t group, MlirValue value,
                                intptr_t dimension);
// Fills in what is not known of the loops of `op`, of the group, in `facts`, which are its.
void tune_measured_sizes_fill(const tune_fusion_groups *groups, size_t group, MlirOperation op,
                              tune_op_facts *facts);

// Appends " at 256", the sizes that the arguments of `function` are measured at where they are
// open, each once; nothing where that is not said.
void tune_measured_sizes_append(tune_string_builder *name, MlirOperation function);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_TASKS_MEASURED_SIZES_H
