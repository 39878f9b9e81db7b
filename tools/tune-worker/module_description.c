//===- module_description.c ---------------------------------------------------===//

#include "tools/tune-worker/module_description.h"

#include "transforms/ir/equal_sizes.h"
#include "transforms/ir/ir.h"
#include "transforms/tasks/module_precision.h"

#include <stdlib.h>
#include <string.h>

static tune_status describe_task(const tune_extraction *extraction, size_t index,
                                 const tune_module_plan *plan, tune_described_task *described) {
  static const char *const ORIGINS[] = {[TUNE_ORIGIN_CHOICES] = TUNE_FROM_CHOICES,
                                        [TUNE_ORIGIN_DATABASE] = TUNE_FROM_DATABASE,
                                        [TUNE_ORIGIN_DEFAULT] = TUNE_FROM_DEFAULT,
                                        [TUNE_ORIGIN_CONFIG] = TUNE_FROM_CONFIG};
  const tune_extracted_task *task = &extraction->tasks[index];
  const tune_planned_task *planned = plan ? &plan->planned[index] : NULL;
  const char *why = planned ? planned->why : NULL;
  // What is allocated; the others are constant.
  *described = (tune_described_task){.name = strdup(task->name),
                                     .kind = tune_task_kind_name(task->kind),
                                     .type = tune_task_space_type(extraction, index),
                                     .count = (int64_t)task->occurrence_count,
                                     .flops = (int64_t)task->flops,
                                     .bytes = (int64_t)task->bytes,
                                     .reduction = (int64_t)task->reduction_length,
                                     .runs = task->runs,
                                     .at_once = task->at_once,
                                     .empty = task->is_empty,
                                     .from = planned ? ORIGINS[planned->origin] : NULL,
                                     .why = why ? strdup(why) : NULL};
  return described->name && !why == !described->why
             ? TUNE_OK
             : tune_status_out_of_memory("describing a module");
}

static tune_status describe(const tune_build_task *task, const tune_extraction *extraction,
                            const tune_module_plan *plan, tune_module_description *description) {
  tune_described_task_list *tasks = &description->tasks;
  description->function = tune_build_task_get_function(task);
  description->accumulator = tune_module_accumulator(extraction);
  description->operands = tune_module_operands(extraction);
  tasks->items = calloc(extraction->task_count + 1, sizeof *tasks->items);
  if (!tasks->items)
    return tune_status_out_of_memory("describing a module");
  while (tasks->count < extraction->task_count) {
    size_t index = tasks->count++;
    TUNE_RETURN_IF_ERROR(describe_task(extraction, index, plan, &tasks->items[index]));
  }
  MlirOperation function =
      tune_ir_find_symbol(tune_build_task_get_payload(task), tune_ir_string(description->function));
  return tune_equal_sizes_find(function, &description->equal_sizes);
}

static tune_status extract_and_describe(const tune_build_task *task,
                                        tune_module_description *description) {
  MlirOperation payload = tune_build_task_get_payload(task);
  tune_module_tasks_load_dialects(mlirOperationGetContext(payload));
  tune_extraction *extraction;
  TUNE_RETURN_IF_ERROR(tune_extract(mlirModuleFromOperation(payload), 0, &extraction));
  tune_status status = describe(task, extraction, NULL, description);
  tune_extraction_destroy(extraction);
  return status;
}

tune_status module_describe(const tune_build_task *task, const tune_module_plan *plan,
                            tune_module_description *out_description) {
  *out_description = (tune_module_description){.function = NULL};
  tune_status status = plan ? describe(task, plan->tasks.extraction, plan, out_description)
                            : extract_and_describe(task, out_description);
  if (!tune_status_is_ok(status))
    module_description_deinit(out_description);
  return status;
}

void module_description_deinit(tune_module_description *description) {
  for (size_t i = 0; i < description->tasks.count; ++i) {
    free((char *)description->tasks.items[i].name);
    free((char *)description->tasks.items[i].why);
  }
  free(description->tasks.items);
  tune_equal_sizes_deinit(&description->equal_sizes);
  *description = (tune_module_description){.function = NULL};
}
