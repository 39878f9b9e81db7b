//===- annotate_pass.c - The pass tune-annotate ------------------------------===//
//
// Writes what can be decided about each task onto its anchors, for a person to read, narrow
// and pin, and before that onto products what code may compute less exactly, if asked to. Nothing
// else in the module changes, and what the ops say already stays.
//
//===--------------------------------------------------------------------------===//

#include "dialects/diagnostic.h"
#include "transforms/passes/passes.h"
#include "transforms/passes/task_options.h"
#include "transforms/spaces/module_tasks.h"

static const tune_pass_option options_table[] = {
    TUNE_OPTION_TARGET,     TUNE_OPTION_DEVICE,    TUNE_OPTION_THREADS, TUNE_OPTION_SCHEDULE,
    TUNE_OPTION_ALLOW_PASS, TUNE_OPTION_BY_TARGET, TUNE_OPTION_DYNAMIC, TUNE_OPTION_ALLOW,
};

// Says which occurrences could not be given choices, and why.
static void remark_placeless(const tune_module_tasks *tasks, size_t task) {
  const tune_extracted_task *extracted = &tasks->extraction->tasks[task];
  for (size_t i = 0; i < extracted->occurrence_count; ++i) {
    const tune_task_occurrence *occurrence = &extracted->occurrences[i];
    if (tune_anchors_is_of(&tasks->anchors, occurrence->anchor, task))
      continue;
    if (mlirOperationIsNull(occurrence->anchor))
      tune_remark_emit(occurrence->location,
                       "'%s' has no choices: no op of this module stands for it alone",
                       extracted->name);
    else
      tune_remark_emit(occurrence->location,
                       "'%s' has no choices here: this op's function is inlined in several places, "
                       "where it is part of different tasks",
                       extracted->name);
  }
}

static tune_status annotate_task(const tune_module_tasks *tasks, size_t task) {
  tune_task_space *space;
  TUNE_RETURN_IF_ERROR(tune_module_tasks_make_space(tasks, task, &space));
  tune_status status = tune_task_space_write_open(space, &tasks->anchors);
  tune_task_space_destroy(space);
  remark_placeless(tasks, task);
  return status;
}

static tune_status annotate_module(MlirOperation module, const tune_pass_options *options) {
  tune_module_tasks_options wanted = tune_task_options_get(options);
  wanted.by_target = tune_pass_options_get_flag(options, "by-target");
  tune_module_tasks tasks;
  TUNE_RETURN_IF_ERROR(tune_module_tasks_init(&tasks, module, &wanted));
  tune_extraction_pin_batches(tasks.extraction, module);
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < tasks.extraction->task_count && tune_status_is_ok(status); ++i)
    status = annotate_task(&tasks, i);
  if (tune_status_is_ok(status))
    tune_module_tasks_remark_left_out(&tasks, module);
  tune_module_tasks_deinit(&tasks);
  return status;
}

static tune_status annotate_run(MlirOperation module, const tune_pass_options *options) {
  tune_task_options_allow(options, module);
  tune_sized_module sized;
  TUNE_RETURN_IF_ERROR(tune_task_options_size_module(options, module, &sized));
  tune_status status = annotate_module(sized.module, options);
  tune_sized_module_take_choices(&sized);
  tune_sized_module_deinit(&sized);
  return status;
}

const tune_pass_class tune_pass_annotate = {
    .name = "tune-annotate",
    .summary = "Write what can be decided about each task onto its ops",
    .options = options_table,
    .option_count = sizeof options_table / sizeof *options_table,
    .dialects = tune_module_tasks_dialects,
    .run = annotate_run,
};
