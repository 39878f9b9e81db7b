//===- module_description.h - What is in a module, for a driver --------------===//
//
// The member "describe" of the request "open" (docs/protocol.md): a driver that runs a user's
// module wants to know what is in it.
//
// Threads: as the context of the task.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_WORKER_MODULE_DESCRIPTION_H
#define TUNE_TOOLS_TUNE_WORKER_MODULE_DESCRIPTION_H

#include "formats/worker_replies.h"
#include "support/status.h"
#include "transforms/build/build.h"
#include "transforms/spaces/module_plan.h"

// What is in the payload of `task`; to be deinited before the task goes. With `plan`, which may be
// NULL, each task also has where its decisions are from.
tune_status module_describe(const tune_build_task *task, const tune_module_plan *plan,
                            tune_module_description *out_description);
void module_description_deinit(tune_module_description *description);

#endif // TUNE_TOOLS_TUNE_WORKER_MODULE_DESCRIPTION_H
