//===- module_fallback.h - Another schedule for a task whose schedule fails --===//
//
// A module is built by the schedules of all its tasks at once, and one that fails would take the
// whole module with it. So where that fails, each task is built by itself, and one that fails there
// gets, until it builds,
//
//   1. the default values of its rule, where a search or a record had chosen others;
//   2. the next rule that takes it, `general` and `plain` at the end,
//   3. where none of these builds, its parts in its place (fusion_groups.h), each of which is a
//      task like any other,
//   4. on a device, where it has no parts, a step on the host, which nearly always builds.
//
// Where each task builds and the module does not, the tasks that the module fails for are found by
// halves: some of them get their last rule, until it builds. Where it does not even then, the first
// failure is the module's.
//
// What the user has said (a schedule, a rule, values of knobs) is not set aside.
//
// Threads: as the context of the module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SPACES_MODULE_FALLBACK_H
#define TUNE_TRANSFORMS_SPACES_MODULE_FALLBACK_H

#include "transforms/spaces/module_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

// Builds copies of `module`, the plan's, without its choices, by options->build, until one
// succeeds: that is `*out_built`, and `*out_script` what it was built by; both for the caller to
// destroy. The plan is then of what was built. Failures of schedules are as build has them;
// OUT_OF_MEMORY and CANCELLED end it at once.
tune_status tune_module_fallback_build(tune_module_plan *plan, MlirOperation module,
                                       MlirOperation *out_script, MlirOperation *out_built);

// Where a build ends the process, another one finds out and does what the above would.
//
// Gives `task` the next schedule after the one it has, which failed, as `failure` says.
// `*out_is_there` is false where that was the last.
tune_status tune_module_fallback_advance(tune_module_plan *plan, size_t task, const char *failure,
                                         bool *out_is_there);
// The same, or cuts it apart, `*out_is_cut`, where no schedule is left, or none but a step on the
// host. Tasks have other indices then. `*out_is_there` is false where neither can be done.
tune_status tune_module_fallback_advance_or_cut(tune_module_plan *plan, size_t task,
                                                const char *failure, bool *out_is_cut,
                                                bool *out_is_there);
// Gives all tasks their last rules, since `failure`.
tune_status tune_module_fallback_take_last(tune_module_plan *plan, const char *failure);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SPACES_MODULE_FALLBACK_H
