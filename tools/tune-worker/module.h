//===- module.h - Whole modules as tasks of the worker -----------------------===//
//
// A driver that runs a user's module (tune-run) asks for more than one that tunes a task:
// the module is to be scheduled as the choices on its ops and the database say, and the
// driver wants to know what is in it. These are the members "module" and "describe" of the
// request "open" (docs/protocol.md).
//
// Threads: as the context of the task.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_WORKER_MODULE_H
#define TUNE_TOOLS_TUNE_WORKER_MODULE_H

#include "formats/worker_replies.h"
#include "formats/worker_requests.h"
#include "support/status.h"
#include "transforms/build/build.h"

// Makes the script of `task`, opened without a schedule, as `request`, which has a module, wants
// it. A config is for a module with one task. Into `description`, as module_describe gave it, goes
// for each task where its decisions are from; one without tasks is fine. Errors about choices tell
// the op.
tune_status module_schedule(tune_build_task *task, const tune_open_source_request *request,
                            tune_module_description *description);

// What is in the payload of `task`, but for where its tasks' decisions are from; to be deinited
// before the task goes. To be asked before module_schedule, which takes the choices off the
// payload.
tune_status module_describe(const tune_build_task *task, tune_module_description *out_description);
void module_description_deinit(tune_module_description *description);

#endif // TUNE_TOOLS_TUNE_WORKER_MODULE_H
