//===- opened_module.h - Whole modules as tasks of the worker ----------------===//
//
// A driver that runs a user's module (tune-run) asks for more than one that tunes a task:
// the module is to be scheduled as the choices on its ops and the database say. This is the member
// "module" of the request "open" (docs/protocol.md).
//
// A task of the module whose schedule fails gets another one (transforms/spaces/module_fallback.h):
// in the child that builds, or, where that died, in the worker before the next child.
//
// Threads: as the context of the task.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_WORKER_OPENED_MODULE_H
#define TUNE_TOOLS_TUNE_WORKER_OPENED_MODULE_H

#include "formats/worker_replies.h"
#include "formats/worker_requests.h"
#include "support/status.h"
#include "transforms/build/build.h"
#include "transforms/spaces/module_plan.h"

#include <jansson.h>

// A module whose tasks have schedules.
typedef struct opened_module opened_module;

// Schedules what `task`, opened without a schedule and borrowed, is of, as `request`, which has a
// module, wants it; what is borrowed of it is kept with `object`, a reference of its own. A config
// is for a module with one task. Errors about choices tell the op.
tune_status opened_module_create(const tune_build_task *task,
                                 const tune_open_source_request *request, json_t *object,
                                 opened_module **out_module);
void opened_module_destroy(opened_module *module);

// In a child, before it builds: has tasks built by other values than the choices on them say.
// INVALID_ARGUMENT for a task that there is not, or values that its knobs do not have.
tune_status opened_module_choose(opened_module *module, const tune_task_choice_list *choices);
// The same: takes other schedules of tasks than the first. INVALID_ARGUMENT for
// a task that there is not.
tune_status opened_module_set_aside(opened_module *module, const tune_set_aside_list *set_aside);

// Builds the module, in a child, as one that times its tasks or not. `*out_fallbacks`: the tasks
// that are not built as they were scheduled at first, borrowed until the module goes.
tune_status opened_module_build(opened_module *module, tune_lowering *lowering, tune_emit emit,
                                bool times_tasks, tune_code *out_code,
                                tune_build_fallback_list *out_fallbacks);
// Whether a schedule of the user's changes none of the tasks: it matches no op of them.
tune_status opened_module_find_idle(const opened_module *module, bool *out_is_idle);

// Has the next child do better than one that died, as `how` says ("was killed by SIGSEGV"). False
// where nothing is left to try.
bool opened_module_mend(opened_module *module, const char *how);

// Borrowed: the tasks, and what is decided about them.
const tune_module_plan *opened_module_plan(const opened_module *module);

#endif // TUNE_TOOLS_TUNE_WORKER_OPENED_MODULE_H
