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

#include "formats/worker_requests.h"
#include "support/status.h"
#include "transforms/build/build.h"

#include <jansson.h>

// Makes the script of `task`, opened without a schedule, as `request`, which has a module, wants
// it. A config is for a module with one task. Into `tasks`, as module_describe gave it, goes for
// each where its decisions are from: "from": "config", "choices", "database" or "default"; NULL is
// fine. Errors about choices tell the op.
tune_status module_schedule(tune_build_task *task, const tune_open_source_request *request,
                            json_t *tasks);

// What is in the payload of `task`: {"function": NAME, "accumulator": "f32" or null, "tasks":
// [{"name", "kind", "type", "count", "flops", "bytes", "reduction"}, …]}, a new reference. To be
// asked before module_schedule, which takes the choices off the payload.
tune_status module_describe(const tune_build_task *task, json_t **out_object);

#endif // TUNE_TOOLS_TUNE_WORKER_MODULE_H
