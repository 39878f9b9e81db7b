//===- size_trials.c ----------------------------------------------------------===//

#include "transforms/search/size_trials.h"

#include "transforms/ir/ir.h"
#include "transforms/variants/variant_module.h"

// The module of a form; a null one where there is none.
static tune_status make(const tune_size_trials *trials, const tune_size_form *form,
                        const int64_t *sizes, MlirOperation *out_module) {
  MlirOperation module = mlirModuleGetOperation(trials->module), function;
  bool is_for_cpu = tune_module_tasks_is_for_cpu(&trials->options->tasks);
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(module, trials->options->function, &function));
  const tune_variant_module_options wanted = {.called = form->called,
                                              .sizes = sizes,
                                              .is_fixed = form->by_default || !is_for_cpu,
                                              .by_default = form->by_default};
  tune_status status =
      tune_variant_module_make(module, function, trials->plan, &wanted, out_module);
  if (tune_status_get_code(status) != TUNE_INVALID_ARGUMENT)
    return status;
  tune_status_free(status);
  *out_module = (MlirOperation){NULL};
  return TUNE_OK;
}

static tune_status run(const tune_size_trials *trials, const int64_t *sizes, tune_size_form *forms,
                       size_t count, tune_module_form *modules, bool *out_ended) {
  for (size_t i = 0; i < count; ++i) {
    TUNE_RETURN_IF_ERROR(make(trials, &forms[i], sizes, &modules[i].module));
    modules[i].takes_what_fits = forms[i].takes_what_fits;
  }
  const tune_module_trials here = {
      .options = trials->options, .facts = trials->facts, .deadline = trials->deadline};
  TUNE_RETURN_IF_ERROR(tune_module_trials_run(&here, modules, count, out_ended));
  for (size_t i = 0; i < count; ++i)
    forms[i].seconds = modules[i].seconds;
  return TUNE_OK;
}

tune_status tune_size_trials_run(const tune_size_trials *trials, const int64_t *sizes,
                                 tune_size_form *forms, size_t count, bool *out_ended) {
  tune_module_form modules[TUNE_MOST_SIZE_FORMS] = {{.seconds = 0}};
  *out_ended = false;
  tune_status status = run(trials, sizes, forms, count, modules, out_ended);
  for (size_t i = 0; i < count; ++i)
    if (!mlirOperationIsNull(modules[i].module))
      mlirOperationDestroy(modules[i].module);
  return status;
}
