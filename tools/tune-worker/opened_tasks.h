//===- opened_tasks.h - The tasks that a worker keeps parsed --------------------------===//
//
// A driver opens a task once and then has it built with one config after the other. What does not
// depend on the config is made when it is opened: the parsed module, and for all tasks of a target
// the lowering and the linker, which children inherit warm.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_WORKER_OPENED_TASKS_H
#define TUNE_TOOLS_TUNE_WORKER_OPENED_TASKS_H

#include "formats/worker_requests.h"
#include "tools/tune-worker/opened_module.h"
#include "transforms/build/build.h"
#include "transforms/lower/cpu/backend/link.h"

// What builds for one target share.
typedef struct opened_target {
  char *key;
  tune_lowering *lowering;
  tune_linker *linker;
} opened_target;

typedef struct opened_task {
  char *id;
  tune_build_task *task;
  opened_module *module; // how its tasks are scheduled, where it is a whole module; else NULL
  size_t target;         // index of its opened_target
} opened_task;

typedef struct opened_tasks {
  MlirContext context; // borrowed
  opened_target *targets;
  size_t target_count;
  opened_task *tasks;
  size_t task_count;
} opened_tasks;

// Opens a task, in place of one that was opened before under that id (its builds have their own
// copy). `request` was read from `object`. The answer to it goes to `*out_reply`.
tune_status opened_tasks_open(opened_tasks *opened, const tune_open_source_request *request,
                              json_t *object, json_t **out_reply);
// NULL where there is none of that id.
opened_task *opened_tasks_find(opened_tasks *opened, const char *id);
// Before the context goes.
void opened_tasks_deinit(opened_tasks *opened);

#endif // TUNE_TOOLS_TUNE_WORKER_OPENED_TASKS_H
