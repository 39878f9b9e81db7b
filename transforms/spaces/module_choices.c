//===- module_choices.c -------------------------------------------------------===//

#include "transforms/spaces/module_choices.h"

#include "transforms/ir/ir.h"
#include "transforms/spaces/module_fallback.h"
#include "transforms/tasks/normalize.h"

// Builds a copy of `module`, which keeps its choices, as they say.
static tune_status build_copy(MlirOperation module, const tune_module_choices_options *options,
                              bool remarks, MlirOperation *out_script, MlirOperation *out_built) {
  tune_module_plan plan;
  TUNE_RETURN_IF_ERROR(
      tune_normalize_operands(module, tune_module_tasks_cpu_threads(&options->tasks)));
  TUNE_RETURN_IF_ERROR(tune_module_plan_init(&plan, module, options, remarks));
  tune_status status = tune_module_fallback_build(&plan, module, out_script, out_built);
  tune_normalize_forget_done(module);
  if (tune_status_is_ok(status)) {
    tune_module_plan_tell(&plan);
    if (remarks)
      tune_module_tasks_remark_left_out(&plan.tasks, module);
  }
  tune_module_plan_deinit(&plan);
  return status;
}

tune_status tune_module_choices_make_script(MlirOperation module,
                                            const tune_module_choices_options *options,
                                            bool remarks, MlirOperation *out_script) {
  *out_script = (MlirOperation){NULL};
  MlirOperation built;
  TUNE_RETURN_IF_ERROR(build_copy(module, options, remarks, out_script, &built));
  mlirOperationDestroy(built);
  return TUNE_OK;
}

tune_status tune_module_choices_build(MlirOperation module,
                                      const tune_module_choices_options *options, bool remarks) {
  MlirOperation script, built;
  TUNE_RETURN_IF_ERROR(build_copy(module, options, remarks, &script, &built));
  tune_ir_become(module, built);
  mlirOperationDestroy(built);
  if (!mlirOperationIsNull(script))
    mlirOperationDestroy(script);
  return TUNE_OK;
}
