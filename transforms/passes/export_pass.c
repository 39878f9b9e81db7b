//===- export_pass.c - The pass tune-export-schedule -------------------------===//
//
// Gives, in place of the module, a transform library that does to it with stock mlir-opt
// what tune-lower does before it leaves MLIR's upper levels:
//
//   mlir-opt in.mlir --transform-preload-library=transform-library-paths=s.mlir
//            --transform-interpreter
//
//===--------------------------------------------------------------------------===//

#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"
#include "transforms/passes/passes.h"
#include "transforms/passes/task_options.h"
#include "transforms/spaces/best_config.h"
#include "transforms/spaces/module_choices.h"
#include "transforms/tasks/stock_form.h"

static const tune_pass_option options_table[] = {
    TUNE_OPTION_DATABASE_ASKED, TUNE_OPTION_TARGET,   TUNE_OPTION_DEVICE,     TUNE_OPTION_THREADS,
    TUNE_OPTION_FLUSH_CACHE,    TUNE_OPTION_SCHEDULE, TUNE_OPTION_ALLOW_PASS, TUNE_OPTION_STRICT,
};

// Makes the script, of the tasks that stock mlir-opt finds.
static tune_status make_script(MlirOperation module, const tune_module_choices_options *wanted,
                               MlirOperation *out_script) {
  bool has_others;
  TUNE_RETURN_IF_ERROR(tune_stock_form_take(
      mlirModuleFromOperation(module), tune_module_tasks_cpu_threads(&wanted->tasks), &has_others));
  TUNE_RETURN_IF_ERROR(tune_module_choices_make_script(module, wanted, true, out_script));
  if (!mlirOperationIsNull(*out_script) && has_others)
    tune_warning_emit(
        tune_location_get(module),
        "some ops of this module are tuned in another form, which stock mlir-opt does not bring "
        "them into: this script leaves the choices on them out, and has schedules of the form that "
        "they are in, which are mostly slower; --tune-search=\"evolutionary stock\" tunes them");
  return TUNE_OK;
}

static tune_status export_run(MlirOperation module, const tune_pass_options *options) {
  tune_module_choices_options wanted = {.tasks = tune_task_options_get(options)};
  wanted.tasks.flush_cache = tune_pass_options_get_flag(options, "flush-cache");
  wanted.is_strict = tune_pass_options_get_flag(options, "strict");
  const char *database = tune_pass_options_get_text(options, "db");
  if (database && *database)
    TUNE_RETURN_IF_ERROR(tune_database_open_read_only(database, &wanted.database));
  MlirOperation script = {NULL};
  tune_status status = make_script(module, &wanted, &script);
  tune_database_destroy(wanted.database);
  if (tune_status_is_ok(status) && mlirOperationIsNull(script))
    status =
        tune_status_make_at(TUNE_FAILED_PRECONDITION, module,
                            "so there is no schedule to export; the remarks say what was left out");
  if (tune_status_is_ok(status)) {
    tune_ir_become(module, script);
    mlirOperationDestroy(script);
  }
  return status;
}

const tune_pass_class tune_pass_export = {
    .name = "tune-export-schedule",
    .summary = "Put a transform library in the module's place that stock MLIR replays",
    .options = options_table,
    .option_count = sizeof options_table / sizeof *options_table,
    .dialects = tune_module_tasks_dialects,
    .run = export_run,
};
