//===- apply_pass.c - The pass tune-apply ------------------------------------===//
//
// Writes the best that the database knows onto the anchors of each task. Measures nothing
// and opens the database only to read.
//
//===--------------------------------------------------------------------------===//

#include "transforms/passes/passes.h"
#include "transforms/passes/task_options.h"
#include "transforms/spaces/best_config.h"
#include "transforms/spaces/best_grouping.h"
#include "transforms/spaces/best_rule.h"
#include "transforms/spaces/module_tasks.h"

static const tune_pass_option options_table[] = {
    TUNE_OPTION_DATABASE,   TUNE_OPTION_TARGET,      TUNE_OPTION_DEVICE,
    TUNE_OPTION_THREADS,    TUNE_OPTION_FLUSH_CACHE, TUNE_OPTION_SCHEDULE,
    TUNE_OPTION_ALLOW_PASS, TUNE_OPTION_BY_TARGET,   TUNE_OPTION_DYNAMIC,
};

static tune_status apply_to_task(const tune_module_tasks *tasks, tune_database *database,
                                 const tune_task_space *space) {
  tune_best_outcome outcome;
  tune_config config;
  TUNE_RETURN_IF_ERROR(
      tune_best_config_find(database, space, space->facts, &tasks->module, &outcome, &config));
  if (outcome != TUNE_BEST_FOUND)
    return tune_best_config_remark(database, space, space->facts, outcome);
  char provenance[32];
  tune_best_config_provenance(space, provenance);
  tune_status status = tune_task_space_write_chosen(space, &tasks->anchors, &config, provenance);
  tune_config_deinit(&config);
  return status;
}

static tune_status apply_to_tasks(MlirOperation module, const tune_pass_options *options,
                                  tune_database *database) {
  tune_module_tasks_options wanted = tune_task_options_get(options);
  wanted.flush_cache = tune_pass_options_get_flag(options, "flush-cache");
  wanted.by_target = tune_pass_options_get_flag(options, "by-target");
  tune_module_tasks tasks;
  TUNE_RETURN_IF_ERROR(tune_module_tasks_init(&tasks, module, &wanted));
  tune_extraction_pin_batches(tasks.extraction, module);
  tune_status status = tune_best_grouping_follow(&tasks, module, database, true);
  for (size_t i = 0; i < tasks.extraction->task_count && tune_status_is_ok(status); ++i) {
    tune_task_space *space = NULL;
    status = tune_module_tasks_make_space(&tasks, i, &space);
    if (tune_status_is_ok(status))
      status = tune_best_rule_follow(&tasks, database, &space);
    if (tune_status_is_ok(status))
      status = apply_to_task(&tasks, database, space);
    tune_task_space_destroy(space);
  }
  if (tune_status_is_ok(status))
    tune_module_tasks_remark_left_out(&tasks, module);
  tune_module_tasks_deinit(&tasks);
  return status;
}

static tune_status apply_run(MlirOperation module, const tune_pass_options *options) {
  tune_database *database;
  TUNE_RETURN_IF_ERROR(
      tune_database_open_read_only(tune_pass_options_get_text(options, "db"), &database));
  tune_sized_module sized = {.copy = {NULL}};
  tune_status status = tune_task_options_size_module(options, module, &sized);
  if (tune_status_is_ok(status))
    status = apply_to_tasks(sized.module, options, database);
  tune_sized_module_take_choices(&sized);
  tune_sized_module_deinit(&sized);
  tune_database_destroy(database);
  return status;
}

const tune_pass_class tune_pass_apply = {
    .name = "tune-apply",
    .summary = "Write the best that the database knows of each task onto its ops",
    .options = options_table,
    .option_count = sizeof options_table / sizeof *options_table,
    .dialects = tune_module_tasks_dialects,
    .run = apply_run,
};
