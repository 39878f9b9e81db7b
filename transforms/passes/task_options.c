//===- task_options.c - Options that passes over the tasks of a module share ----===//

#include "transforms/passes/task_options.h"

tune_module_tasks_options tune_task_options_get(const tune_pass_options *options) {
  return (tune_module_tasks_options){
      .target = tune_pass_options_get_text(options, "target"),
      .device = tune_pass_options_get_text(options, "device"),
      .advises = true,
      .threads = (size_t)tune_pass_options_get_integer(options, "threads"),
      .schedule = tune_pass_options_get_text(options, "schedule"),
      .allowed_passes = tune_pass_options_get_text(options, "allow-pass"),
  };
}
