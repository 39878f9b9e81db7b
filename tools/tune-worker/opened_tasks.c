//===- opened_tasks.c ---------------------------------------------------------------===//

#include "tools/tune-worker/opened_tasks.h"

#include "support/json.h"
#include "tools/tune-worker/module_description.h"
#include "tools/tune-worker/parse_child.h"
#include "tuning/device/target_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tune_status make_target(opened_tasks *opened, const tune_lowering_options *options,
                               opened_target *target) {
  TUNE_RETURN_IF_ERROR(tune_lowering_create(opened->context, options, &target->lowering));
  TUNE_RETURN_IF_ERROR(tune_linker_create(options->cpu.threads > 1, &target->linker));
  return tune_lowering_warm_up(target->lowering);
}

static void destroy_target(opened_target *target) {
  tune_lowering_destroy(target->lowering);
  tune_linker_destroy(target->linker);
  free(target->key);
}

// What code is made for; a NULL `target` is the CPU.
static tune_status read_kind(const char *target, tune_target_kind *out_kind) {
  tune_target_name name;
  TUNE_RETURN_IF_ERROR(tune_target_name_init(&name, target ? target : "cpu"));
  *out_kind = name.kind;
  tune_target_name_deinit(&name);
  return TUNE_OK;
}

static tune_status find_target(opened_tasks *opened, const tune_open_source_request *request,
                               size_t *out_index) {
  const tune_code_target *wanted = &request->target;
  tune_lowering_options options = {.device = wanted->device,
                                   .cpu = {.triple = wanted->triple,
                                           .cpu = wanted->cpu,
                                           .features = wanted->features,
                                           .threads = (int)request->threads}};
  const tune_cpu_options *cpu = &options.cpu;
  TUNE_RETURN_IF_ERROR(read_kind(wanted->name, &options.kind));
  char *key = NULL;
  char *device = tune_json_dump(options.device, JSON_COMPACT | JSON_SORT_KEYS);
  if (options.device && !device)
    return tune_status_out_of_memory("serving a request");
  int length =
      asprintf(&key, "%d|%s|%s|%s|%s|%s", (int)options.kind, cpu->triple ? cpu->triple : "",
               cpu->cpu ? cpu->cpu : "", cpu->features ? cpu->features : "",
               cpu->threads > 1 ? "threads" : "", device ? device : "");
  free(device);
  if (length < 0)
    return tune_status_out_of_memory("serving a request");
  for (size_t i = 0; i < opened->target_count; ++i)
    if (strcmp(opened->targets[i].key, key) == 0) {
      free(key);
      *out_index = i;
      return TUNE_OK;
    }
  opened_target target = {.key = key};
  tune_status status = make_target(opened, &options, &target);
  opened_target *targets = NULL;
  if (tune_status_is_ok(status)) {
    targets = realloc(opened->targets, (opened->target_count + 1) * sizeof *targets);
    status = targets ? TUNE_OK : tune_status_out_of_memory("serving a request");
  }
  if (!tune_status_is_ok(status)) {
    destroy_target(&target);
    return status;
  }
  opened->targets = targets;
  *out_index = opened->target_count++;
  targets[*out_index] = target;
  return TUNE_OK;
}

opened_task *opened_tasks_find(opened_tasks *opened, const char *id) {
  for (size_t i = 0; i < opened->task_count; ++i)
    if (strcmp(opened->tasks[i].id, id) == 0)
      return &opened->tasks[i];
  return NULL;
}

static void destroy_task(opened_task *task) {
  opened_module_destroy(task->module);
  tune_build_task_destroy(task->task);
}

// Keeps `task`, but for its id, under `id`. A task opened before under that id goes; its builds
// have their own copy.
static tune_status keep_task(opened_tasks *opened, const char *id, opened_task *task) {
  opened_task *slot = opened_tasks_find(opened, id);
  if (slot) {
    task->id = slot->id;
    destroy_task(slot);
    *slot = *task;
    return TUNE_OK;
  }
  opened_task *tasks = realloc(opened->tasks, (opened->task_count + 1) * sizeof *tasks);
  task->id = strdup(id);
  if (tasks)
    opened->tasks = tasks;
  if (!tasks || !task->id) {
    free(task->id);
    return tune_status_out_of_memory("serving a request");
  }
  tasks[opened->task_count++] = *task;
  return TUNE_OK;
}

// What the request wants to know.
static tune_status answer(const opened_task *task, const tune_open_source_request *request,
                          json_t **out_reply) {
  json_t *signature;
  TUNE_RETURN_IF_ERROR(
      tune_signature_to_json(&tune_build_task_get_signature(task->task)->interface, &signature));
  tune_open_source_reply reply = {
      .task = request->task, .signature = signature, .is_described = request->describe};
  tune_status status = TUNE_OK;
  if (request->describe)
    status = module_describe(task->task, task->module ? opened_module_plan(task->module) : NULL,
                             &reply.module);
  if (tune_status_is_ok(status))
    status = tune_open_source_reply_to_json(&reply, out_reply);
  module_description_deinit(&reply.module);
  json_decref(signature);
  return status;
}

// Kernels of a device have fixed sizes: whoever asks learns by the signature which are open.
static bool can_be_scheduled(const tune_build_task *task, const tune_open_source_request *request) {
  const char *target = request->target.name;
  if (!target || tune_target_kind_of(target) == TUNE_KIND_CPU)
    return true;
  const tune_signature *signature = &tune_build_task_get_signature(task)->interface;
  for (size_t i = 0; i < signature->argument_count; ++i)
    if (!tune_value_type_is_static(&signature->arguments[i]))
      return false;
  return true;
}

// Parses and schedules what the request is about.
static tune_status open_task(opened_tasks *opened, const tune_open_source_request *request,
                             json_t *object, opened_task *task) {
  const char *payload_source = request->payload_source, *source_name = request->schedule_source;
  tune_build_source source = {.payload = request->payload,
                              .payload_source = payload_source ? payload_source : "payload.mlir",
                              .schedule = request->schedule,
                              .function = request->function,
                              .is_run = true,
                              .allowed_passes = request->allow_passes,
                              .sizes = request->sizes.items,
                              .size_count = request->sizes.count};
  if (source.schedule)
    source.schedule_source = source_name ? source_name : "schedule.mlir";
  TUNE_RETURN_IF_ERROR(find_target(opened, request, &task->target));
  TUNE_RETURN_IF_ERROR(parse_child_run(opened->context, source.payload, source.payload_source));
  if (source.schedule)
    TUNE_RETURN_IF_ERROR(parse_child_run(opened->context, source.schedule, source.schedule_source));
  TUNE_RETURN_IF_ERROR(tune_build_task_create(opened->context, &source, &task->task));
  return request->has_module && can_be_scheduled(task->task, request)
             ? opened_module_create(task->task, request, object, &task->module)
             : TUNE_OK;
}

tune_status opened_tasks_open(opened_tasks *opened, const tune_open_source_request *request,
                              json_t *object, json_t **out_reply) {
  *out_reply = NULL;
  // Without a text, the file of that name is read.
  if (!request->payload && !request->payload_source)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"payload\": expected a string");
  opened_task task = {.id = NULL};
  tune_status status = open_task(opened, request, object, &task);
  if (tune_status_is_ok(status))
    status = answer(&task, request, out_reply);
  if (tune_status_is_ok(status))
    status = keep_task(opened, request->task, &task);
  if (!tune_status_is_ok(status)) {
    destroy_task(&task);
    json_decref(*out_reply);
    *out_reply = NULL;
  }
  return status;
}

void opened_tasks_deinit(opened_tasks *opened) {
  for (size_t i = 0; i < opened->task_count; ++i) {
    destroy_task(&opened->tasks[i]);
    free(opened->tasks[i].id);
  }
  for (size_t i = 0; i < opened->target_count; ++i)
    destroy_target(&opened->targets[i]);
  free(opened->tasks);
  free(opened->targets);
  *opened = (opened_tasks){.task_count = 0};
}
