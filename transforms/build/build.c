//===- build.c - Building a task: from its text and a config to code ---------===//

#include "transforms/build/build.h"

#include "dialects/allow.h"
#include "dialects/argument_sizes.h"
#include "dialects/choices.h"
#include "dialects/constant.h"
#include "dialects/diagnostic.h"
#include "support/clock.h"
#include "transforms/ir/ir.h"
#include "transforms/lower/common/fixed_sizes.h"
#include "transforms/lower/common/memory.h"
#include "transforms/lower/common/scalar_results.h"
#include "transforms/schedule/instantiate.h"
#include "transforms/schedule/schedule.h"

#include <stdlib.h>

struct tune_build_task {
  MlirOperation payload;
  char *function;
  tune_function_signature *signature;
  tune_schedule *schedule; // NULL where there is none
  tune_space *no_knobs;    // the space then
};

static tune_status fix_sizes(const tune_build_source *source, MlirOperation module,
                             MlirOperation function) {
  if (!source->size_count)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_memory_keep_reached(module, function));
  return tune_fixed_sizes_apply(module, function, source->sizes, source->size_count, false);
}

static tune_status read_task(MlirContext context, const tune_build_source *source,
                             tune_build_task *task) {
  TUNE_RETURN_IF_ERROR(
      tune_ir_parse(context, source->payload, source->payload_source, &task->payload));
  TUNE_RETURN_IF_ERROR(tune_constant_verify(task->payload));
  TUNE_RETURN_IF_ERROR(tune_argument_sizes_verify(task->payload));
  TUNE_RETURN_IF_ERROR(tune_allow_verify(task->payload));
  MlirOperation function;
  TUNE_RETURN_IF_ERROR(
      tune_status_locate(tune_ir_find_function(task->payload, source->function, &function),
                         tune_location_get(task->payload)));
  // What is private is inlined and goes, and its name to another function.
  mlirOperationRemoveAttributeByName(function, tune_ir_string("sym_visibility"));
  MlirStringRef name = tune_ir_string_attribute(function, "sym_name");
  task->function = strndup(name.data, name.length);
  if (!task->function)
    return tune_status_out_of_memory("reading a task");
  if (source->is_run)
    TUNE_RETURN_IF_ERROR(tune_scalar_results_lift(task->payload, function));
  TUNE_RETURN_IF_ERROR(fix_sizes(source, task->payload, function));
  TUNE_RETURN_IF_ERROR(tune_function_signature_create(function, &task->signature));
  TUNE_RETURN_IF_ERROR(tune_memory_prepare(task->payload, function, task->signature));
  if (!source->schedule && !source->schedule_source)
    return tune_space_create(&task->no_knobs);
  return tune_schedule_parse(context, source->schedule, source->schedule_source,
                             source->allowed_passes, &task->schedule);
}

tune_status tune_build_task_create(MlirContext context, const tune_build_source *source,
                                   tune_build_task **out_task) {
  *out_task = NULL;
  tune_build_task *task = calloc(1, sizeof *task);
  if (!task)
    return tune_status_out_of_memory("reading a task");
  tune_status status = read_task(context, source, task);
  if (!tune_status_is_ok(status)) {
    tune_build_task_destroy(task);
    return status;
  }
  *out_task = task;
  return TUNE_OK;
}

void tune_build_task_destroy(tune_build_task *task) {
  if (!task)
    return;
  if (!mlirOperationIsNull(task->payload))
    mlirOperationDestroy(task->payload);
  tune_function_signature_destroy(task->signature);
  tune_schedule_destroy(task->schedule);
  tune_space_destroy(task->no_knobs);
  free(task->function);
  free(task);
}

const tune_space *tune_build_task_get_space(const tune_build_task *task) {
  return task->schedule ? task->schedule->space : task->no_knobs;
}

const tune_function_signature *tune_build_task_get_signature(const tune_build_task *task) {
  return task->signature;
}

const char *tune_build_task_get_function(const tune_build_task *task) { return task->function; }

MlirOperation tune_build_task_get_payload(const tune_build_task *task) { return task->payload; }

tune_status tune_build_task_decide(const tune_build_task *task, const tune_config *config,
                                   MlirOperation *out_schedule) {
  *out_schedule = (MlirOperation){NULL};
  if (!task->schedule)
    return tune_status_make(TUNE_FAILED_PRECONDITION, "the task has no schedule");
  MlirOperation schedule = mlirOperationClone(task->schedule->module);
  tune_status status = tune_schedule_select(schedule, task->schedule->space, config);
  if (!tune_status_is_ok(status)) {
    mlirOperationDestroy(schedule);
    return status;
  }
  *out_schedule = schedule;
  return TUNE_OK;
}

tune_status tune_build_task_transform(const tune_build_task *task, const tune_config *config,
                                      MlirOperation *out_module) {
  *out_module = (MlirOperation){NULL};
  MlirOperation module = mlirOperationClone(task->payload);
  tune_choices_strip(module);
  tune_status status = TUNE_OK;
  if (config && task->schedule) {
    MlirOperation schedule;
    status = tune_build_task_decide(task, config, &schedule);
    if (tune_status_is_ok(status)) {
      status = tune_schedule_apply(module, schedule);
      mlirOperationDestroy(schedule);
    }
  }
  if (!tune_status_is_ok(status)) {
    mlirOperationDestroy(module);
    return status;
  }
  *out_module = module;
  return TUNE_OK;
}

tune_status tune_build_task_run(const tune_build_task *task, tune_lowering *lowering,
                                const tune_config *config, tune_emit emit, tune_code *out_code) {
  *out_code = (tune_code){.bytes = NULL};
  double start = tune_clock_seconds();
  tune_build_order order = {.function = task->function,
                            .signature = task->signature,
                            .plain = config == NULL,
                            .emit = emit};
  TUNE_RETURN_IF_ERROR(tune_build_task_transform(task, config, &order.module));
  double transformed = tune_clock_seconds();
  tune_status status = tune_lowering_run(lowering, &order, out_code);
  out_code->report.transform = transformed - start;
  mlirOperationDestroy(order.module);
  return status;
}
