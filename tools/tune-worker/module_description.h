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

#include "support/status.h"
#include "transforms/build/build.h"
#include "transforms/spaces/module_plan.h"

#include <jansson.h>

// What is in the payload of `task`: {"function": NAME, "accumulator": "f32" or null, "tasks":
// [{"name", "kind", "type", "count", "flops", "bytes", "reduction"}, …]}, a new reference. With
// `plan`, which may be NULL, each task also has where its decisions are from: "from": "config",
// "choices", "database" or "default", and "why" of a default that there are records of.
tune_status module_describe(const tune_build_task *task, const tune_module_plan *plan,
                            json_t **out_object);

#endif // TUNE_TOOLS_TUNE_WORKER_MODULE_DESCRIPTION_H
