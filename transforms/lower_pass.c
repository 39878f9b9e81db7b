//===- lower_pass.c - The pass tune-lower -------------------------------------------===//
//
// Lowers the whole module to the LLVM dialect, each task by the schedule that its choices
// decide, the rest plainly.
//
//===--------------------------------------------------------------------------===//

#include "transforms/best_config.h"
#include "transforms/lower/cpu.h"
#include "transforms/module_choices.h"

#include "mlir-c/Dialect/Affine.h"
#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/ControlFlow.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Dialect/Index.h"
#include "mlir-c/Dialect/LLVM.h"
#include "mlir-c/Dialect/Linalg.h"
#include "mlir-c/Dialect/Math.h"
#include "mlir-c/Dialect/MemRef.h"
#include "mlir-c/Dialect/OpenMP.h"
#include "mlir-c/Dialect/SCF.h"
#include "mlir-c/Dialect/Tensor.h"
#include "mlir-c/Dialect/Transform.h"
#include "mlir-c/Dialect/Vector.h"

static const char *const stage_words[] = {"schedule", "llvm", NULL};

static const tune_pass_option options_table[] = {
    {.name = "until",
     .type = TUNE_PASS_OPTION_ENUM,
     .words = stage_words,
     .initial = "llvm",
     .summary = "how far to go: llvm (the LLVM dialect; default), schedule (as the schedules leave "
                "it: loops, vectors and buffers)"},
    TUNE_OPTION_DATABASE,
    TUNE_OPTION_TARGET,
    TUNE_OPTION_THREADS,
    TUNE_OPTION_SCHEDULE,
};

static tune_status lower_rest(MlirOperation module, const tune_pass_options *options) {
  tune_cpu_options cpu = {.threads = (int)tune_pass_options_get_integer(options, "threads")};
  tune_cpu_lowering *lowering;
  TUNE_RETURN_IF_ERROR(tune_cpu_lowering_create(mlirOperationGetContext(module), &cpu, &lowering));
  tune_status status = tune_cpu_lowering_run_module(lowering, module);
  tune_cpu_lowering_destroy(lowering);
  return status;
}

// The LLVM dialect is a CPU's. What runs on a device is no module any more, but a program.
static tune_status check_stage(const char *target, bool ends_early) {
  tune_target_name name;
  TUNE_RETURN_IF_ERROR(tune_target_name_init(&name, target));
  bool is_fine = ends_early || name.kind != TUNE_KIND_VULKAN;
  tune_target_name_deinit(&name);
  return is_fine ? TUNE_OK
                 : tune_status_make(TUNE_INVALID_ARGUMENT,
                                    "the target %s has no use for the LLVM dialect: until=schedule "
                                    "ends before; `tune-run --emit=spirv` goes on to its code",
                                    target);
}

static tune_status lower_run(MlirOperation module, const tune_pass_options *options) {
  tune_module_choices_options wanted = {.tasks = tune_module_tasks_options_get(options)};
  bool is_done = tune_pass_options_get_enum(options, "until") == 0;
  TUNE_RETURN_IF_ERROR(check_stage(wanted.tasks.target, is_done));
  if (tune_pass_options_is_given(options, "db"))
    TUNE_RETURN_IF_ERROR(
        tune_database_open_read_only(tune_pass_options_get_text(options, "db"), &wanted.database));
  tune_status status = tune_module_choices_apply(module, &wanted, true);
  tune_database_destroy(wanted.database);
  return tune_status_is_ok(status) && !is_done ? lower_rest(module, options) : status;
}

static const tune_dialect_getter lower_dialects[] = {mlirGetDialectHandle__affine__,
                                                     mlirGetDialectHandle__arith__,
                                                     mlirGetDialectHandle__cf__,
                                                     mlirGetDialectHandle__func__,
                                                     mlirGetDialectHandle__index__,
                                                     mlirGetDialectHandle__linalg__,
                                                     mlirGetDialectHandle__llvm__,
                                                     mlirGetDialectHandle__math__,
                                                     mlirGetDialectHandle__memref__,
                                                     mlirGetDialectHandle__omp__,
                                                     mlirGetDialectHandle__scf__,
                                                     mlirGetDialectHandle__tensor__,
                                                     mlirGetDialectHandle__transform__,
                                                     mlirGetDialectHandle__vector__,
                                                     NULL};

const tune_pass_class tune_pass_lower = {
    .name = "tune-lower",
    .summary = "Lower to the LLVM dialect, each task by the schedule that its choices decide",
    .options = options_table,
    .option_count = sizeof options_table / sizeof *options_table,
    .dialects = lower_dialects,
    .run = lower_run,
};
