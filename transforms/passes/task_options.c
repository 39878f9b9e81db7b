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

tune_status tune_task_options_size_module(const tune_pass_options *options, MlirOperation module,
                                          tune_sized_module *out_sized) {
  return tune_sized_module_init(out_sized, module, tune_pass_options_get_text(options, "target"),
                                tune_pass_options_get_integer(options, "dynamic"));
}

// After the first those of tune_allow_words, in their order.
const char *const tune_task_options_allow_words[] = {"none", "tf32", "f16", "bf16", "int8", NULL};

static MlirWalkResult allow(MlirOperation op, void *user_data) {
  const tune_allowances *allowances = user_data;
  if (tune_allow_is_product(op))
    tune_allow_add(op, *allowances);
  return MlirWalkResultAdvance;
}

tune_allowances tune_task_options_get_allowances(const tune_pass_options *options) {
  size_t word = tune_pass_options_get_enum(options, "allow");
  return word ? 1u << (word - 1) : 0;
}

void tune_task_options_allow(const tune_pass_options *options, MlirOperation module) {
  tune_allowances allowances = tune_task_options_get_allowances(options);
  if (allowances)
    mlirOperationWalk(module, allow, &allowances, MlirWalkPreOrder);
}
