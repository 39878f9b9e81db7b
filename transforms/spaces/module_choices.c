//===- module_choices.c -------------------------------------------------------===//

#include "transforms/spaces/module_choices.h"

#include "dialects/choices.h"
#include "dialects/diagnostic.h"
#include "transforms/schedule/instantiate.h"
#include "transforms/spaces/best_config.h"
#include "transforms/spaces/module_schedule.h"
#include "transforms/tasks/normalize_windows.h"

#include <stdlib.h>

static tune_status tell(const tune_module_tasks *tasks, size_t task,
                        const tune_module_choices_options *options, const tune_task_space *space,
                        tune_best_outcome outcome) {
  char *why = NULL;
  if (options->database && !space->is_decided && outcome != TUNE_BEST_FOUND &&
      outcome != TUNE_BEST_NO_RECORD)
    TUNE_RETURN_IF_ERROR(
        tune_best_config_describe(options->database, space, tasks->facts, outcome, &why));
  options->tell(options->user, task,
                space->is_decided            ? TUNE_ORIGIN_CHOICES
                : outcome == TUNE_BEST_FOUND ? TUNE_ORIGIN_DATABASE
                                             : TUNE_ORIGIN_DEFAULT,
                why);
  free(why);
  return TUNE_OK;
}

// The decided schedule of one task.
static tune_status decide(const tune_module_tasks *tasks, size_t task,
                          const tune_module_choices_options *options, bool remarks,
                          MlirOperation *out_schedule) {
  tune_task_space *space;
  TUNE_RETURN_IF_ERROR(tune_module_tasks_make_space(tasks, task, &space));
  tune_best_outcome outcome = TUNE_BEST_NO_RECORD;
  tune_config best = {0};
  tune_status status = TUNE_OK;
  if (options->database && !space->is_decided) {
    status = tune_best_config_find(options->database, space, tasks->facts, &outcome, &best);
    if (tune_status_is_ok(status) && outcome != TUNE_BEST_FOUND && remarks)
      status = tune_best_config_remark(options->database, space, tasks->facts, outcome);
  }
  const tune_config *config = outcome == TUNE_BEST_FOUND ? &best : NULL;
  if (tune_status_is_ok(status))
    status = options->is_split
                 ? tune_task_space_decide(space, config, out_schedule)
                 : tune_task_space_decide_unsplit(
                       space, config, remarks && (config || space->is_decided), out_schedule);
  if (tune_status_is_ok(status) && options->tell)
    status = tell(tasks, task, options, space, outcome);
  tune_config_deinit(&best);
  tune_task_space_destroy(space);
  return status;
}

static tune_status make_script(const tune_module_tasks *tasks,
                               const tune_module_choices_options *options, bool remarks,
                               MlirOperation *out_script) {
  size_t count = tasks->extraction->task_count;
  MlirOperation *schedules = calloc(count + 1, sizeof *schedules);
  if (!schedules)
    return tune_status_out_of_memory("deciding schedules");
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < count && tune_status_is_ok(status); ++i)
    status = decide(tasks, i, options, remarks, &schedules[i]);
  if (tune_status_is_ok(status) && count > 0)
    status = tune_module_schedule_create(tasks->extraction, schedules, out_script);
  for (size_t i = 0; i < count; ++i)
    if (!mlirOperationIsNull(schedules[i]))
      mlirOperationDestroy(schedules[i]);
  free(schedules);
  return status;
}

tune_status tune_module_choices_make_script(MlirOperation module,
                                            const tune_module_choices_options *options,
                                            bool remarks, MlirOperation *out_script) {
  *out_script = (MlirOperation){NULL};
  tune_module_tasks_options wanted = options->tasks;
  wanted.takes_all_chosen = true;
  tune_normalize_windows(module);
  tune_module_tasks tasks;
  TUNE_RETURN_IF_ERROR(tune_module_tasks_init(&tasks, module, &wanted));
  tune_status status = make_script(&tasks, options, remarks, out_script);
  if (tune_status_is_ok(status) && remarks)
    tune_module_tasks_remark_left_out(&tasks, module);
  tune_module_tasks_deinit(&tasks);
  return status;
}

// What the schedules do on tensors, shown on copies. A schedule of the user's may have no such
// place.
static tune_status show_tensors(MlirOperation module, MlirOperation script,
                                const tune_stages *stages) {
  MlirOperation cut = mlirOperationClone(script);
  if (!tune_module_schedule_cut(cut)) {
    mlirOperationDestroy(cut);
    return TUNE_OK;
  }
  MlirOperation copy = mlirOperationClone(module);
  tune_status status = tune_schedule_apply_part(copy, cut);
  if (tune_status_is_ok(status))
    tune_stages_reach(stages, "tensors", copy);
  mlirOperationDestroy(copy);
  mlirOperationDestroy(cut);
  return status;
}

tune_status tune_module_choices_apply(MlirOperation module,
                                      const tune_module_choices_options *options, bool remarks) {
  MlirOperation script;
  TUNE_RETURN_IF_ERROR(tune_module_choices_make_script(module, options, remarks, &script));
  tune_choices_strip(module);
  if (mlirOperationIsNull(script))
    return TUNE_OK;
  tune_status status = TUNE_OK;
  if (options->stages.reach)
    status = show_tensors(module, script, &options->stages);
  if (tune_status_is_ok(status))
    status = tune_schedule_apply(module, script);
  if (tune_status_is_ok(status))
    tune_stages_reach(&options->stages, "schedule", module);
  mlirOperationDestroy(script);
  return status;
}
