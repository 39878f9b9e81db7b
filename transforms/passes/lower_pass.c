//===- lower_pass.c - The pass tune-lower ------------------------------------===//
//
// Lowers the whole module to the LLVM dialect, or for a device to kernels in its dialect and the
// host's part, each task by the schedule that its choices decide, the rest plainly.
//
//===--------------------------------------------------------------------------===//

#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/task_key.h"
#include "transforms/lower/common/fixed_sizes.h"
#include "transforms/lower/common/memory.h"
#include "transforms/lower/lowering.h"
#include "transforms/passes/passes.h"
#include "transforms/passes/task_options.h"
#include "transforms/spaces/best_config.h"
#include "transforms/spaces/module_choices.h"
#include "transforms/spaces/module_schedule.h"
#include "tuning/device/device_file.h"

#include "mlir-c/Dialect/Affine.h"
#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/ControlFlow.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Dialect/GPU.h"
#include "mlir-c/Dialect/Index.h"
#include "mlir-c/Dialect/LLVM.h"
#include "mlir-c/Dialect/Linalg.h"
#include "mlir-c/Dialect/Math.h"
#include "mlir-c/Dialect/MemRef.h"
#include "mlir-c/Dialect/NVGPU.h"
#include "mlir-c/Dialect/NVVM.h"
#include "mlir-c/Dialect/OpenMP.h"
#include "mlir-c/Dialect/SCF.h"
#include "mlir-c/Dialect/SPIRV.h"
#include "mlir-c/Dialect/Tensor.h"
#include "mlir-c/Dialect/Transform.h"
#include "mlir-c/Dialect/Vector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const end_words[] = {"schedule", "end", NULL};

static const tune_pass_option options_table[] = {
    {.name = "until",
     .type = TUNE_PASS_OPTION_ENUM,
     .words = end_words,
     .initial = "end",
     .summary = "how far to go: end (the LLVM dialect, or for a device its kernels and the host's "
                "part; default), schedule (as the schedules leave it: loops, vectors and buffers)"},
    {.name = "print-stages",
     .type = TUNE_PASS_OPTION_FLAG,
     .summary = "print the module to stderr after each step on the way"},
    {.name = "function",
     .type = TUNE_PASS_OPTION_STRING,
     .summary =
         "for a device: the function that code is made of, with what it calls; otherwise the "
         "only one, or @main"},
    TUNE_OPTION_DATABASE_ASKED,
    TUNE_OPTION_TARGET,
    TUNE_OPTION_DEVICE,
    TUNE_OPTION_THREADS,
    TUNE_OPTION_FLUSH_CACHE,
    TUNE_OPTION_SCHEDULE,
    TUNE_OPTION_ALLOW_PASS,
    TUNE_OPTION_STRICT,
    {.name = "dynamic",
     .type = TUNE_PASS_OPTION_INTEGER,
     .initial = "0",
     .minimum = 0,
     .maximum = INT32_MAX,
     .summary = "for a device: what sizes become that arguments leave open; otherwise it is an "
                "error that they do"},
};

// What the steps of a lowering need, besides the options of the pass.
typedef struct lowering_job {
  MlirOperation module;
  tune_target_facts *facts; // NULL: this machine's CPU, of which nothing is asked
  tune_code_cpu cpu;        // what LLVM is told
  char *function;           // of a device: what runs on it
  tune_function_signature *signature;
  bool goes_on; // beyond what the schedules leave
  tune_stages stages;
  tune_module_choices_options wanted;
} lowering_job;

static void print_stage(void *user, const char *stage, MlirOperation module) {
  (void)user;
  char *text = NULL;
  tune_status status = tune_ir_print(module, false, &text);
  if (tune_status_is_ok(status))
    fprintf(stderr, "// -----// tune-lower: %s //----- //\n%s\n", stage, text);
  tune_status_free(status);
  free(text);
}

// Code for a device is made of one function and what it calls.
static tune_status prepare_for_device(lowering_job *job, const char *wanted, int64_t dynamic) {
  MlirOperation function;
  TUNE_RETURN_IF_ERROR(tune_module_tasks_get_facts(&job->wanted.tasks, &job->facts));
  job->wanted.tasks.has_fingerprint = true;
  job->wanted.tasks.fingerprint = tune_target_facts_device(job->facts);
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(job->module, wanted, &function));
  MlirStringRef name = tune_ir_string_attribute(function, "sym_name");
  job->function = strndup(name.data, name.length);
  if (!job->function)
    return tune_status_out_of_memory("lowering a module");
  if (dynamic) {
    TUNE_RETURN_IF_ERROR(tune_memory_keep_reached(job->module, function));
    TUNE_RETURN_IF_ERROR(tune_fixed_sizes_apply(job->module, function, &dynamic, 1, false));
    job->wanted.is_of_other_sizes = true;
  } else if (tune_fixed_sizes_count(function)) {
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                               "sizes of arguments are known only at run time, and "
                               "kernels for a device have fixed sizes: dynamic=N makes them for N");
  }
  TUNE_RETURN_IF_ERROR(tune_function_signature_create(function, &job->signature));
  return tune_memory_prepare(job->module, function, job->signature);
}

// LLVM knows this machine's CPU by itself, and is told of another one.
static tune_status prepare_for_cpu(lowering_job *job) {
  TUNE_RETURN_IF_ERROR(tune_module_tasks_get_facts(&job->wanted.tasks, &job->facts));
  return tune_device_file_get_cpu(job->facts, &job->cpu);
}

static tune_status lower_rest(const lowering_job *job, MlirOperation module, const char *function,
                              const tune_function_signature *signature, const tune_stages *stages) {
  tune_lowering_options options = {.kind = tune_target_kind_of_name(job->wanted.tasks.target),
                                   .cpu = {.triple = job->cpu.triple,
                                           .cpu = job->cpu.cpu,
                                           .features = job->cpu.features,
                                           .threads = (int)job->wanted.tasks.threads},
                                   .device = job->wanted.tasks.fingerprint,
                                   .stages = *stages};
  tune_lowering *lowering;
  TUNE_RETURN_IF_ERROR(tune_lowering_create(mlirOperationGetContext(module), &options, &lowering));
  tune_status status = tune_lowering_run_module(lowering, module, function, signature);
  tune_lowering_destroy(lowering);
  return status;
}

// What a device needs to know of the payload of a task, as of the whole; the CPU nothing.
static tune_status prepare_task(const lowering_job *job, MlirOperation payload,
                                tune_function_signature **out_signature) {
  *out_signature = NULL;
  if (!job->function)
    return TUNE_OK;
  MlirOperation function = tune_ir_find_symbol(payload, tune_ir_string(TUNE_TASK_FUNCTION_NAME));
  TUNE_RETURN_IF_ERROR(tune_function_signature_create(function, out_signature));
  return tune_memory_prepare(payload, function, *out_signature);
}

// Lowers the payload of a task, to see whether that goes.
static tune_status lower_task(const lowering_job *job, MlirOperation payload,
                              MlirOperation script) {
  static const tune_stages NO_STAGES = {.reach = NULL};
  tune_function_signature *signature;
  tune_status status = prepare_task(job, payload, &signature);
  if (tune_status_is_ok(status))
    status = tune_module_schedule_apply(payload, script, &NO_STAGES);
  if (tune_status_is_ok(status) && job->goes_on)
    status = lower_rest(job, payload, job->function ? TUNE_TASK_FUNCTION_NAME : NULL, signature,
                        &NO_STAGES);
  tune_function_signature_destroy(signature);
  return status;
}

static tune_status build(void *user, MlirOperation module, MlirOperation script, size_t task) {
  const lowering_job *job = user;
  if (task != TUNE_WHOLE_MODULE)
    return lower_task(job, module, script);
  if (!mlirOperationIsNull(script))
    TUNE_RETURN_IF_ERROR(tune_module_schedule_apply(module, script, &job->stages));
  return job->goes_on ? lower_rest(job, module, job->function, job->signature, &job->stages)
                      : TUNE_OK;
}

static tune_status lower(lowering_job *job, const tune_pass_options *options,
                         tune_target_kind kind) {
  job->goes_on = tune_pass_options_get_enum(options, "until") != 0;
  const char *function = tune_pass_options_get_text(options, "function");
  bool is_for_device = job->goes_on && kind != TUNE_KIND_CPU;
  if (function && !is_for_device)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "function=%s: all functions are lowered, but for the code of a device, "
                            "as with target=vulkan",
                            function);
  if (is_for_device)
    TUNE_RETURN_IF_ERROR(
        prepare_for_device(job, function, tune_pass_options_get_integer(options, "dynamic")));
  else if (job->wanted.tasks.device || strchr(job->wanted.tasks.target, ':'))
    TUNE_RETURN_IF_ERROR(prepare_for_cpu(job));
  const char *database = tune_pass_options_get_text(options, "db");
  if (database && *database)
    TUNE_RETURN_IF_ERROR(tune_database_open_read_only(database, &job->wanted.database));
  return tune_module_choices_build(job->module, &job->wanted, true);
}

static tune_status lower_run(MlirOperation module, const tune_pass_options *options) {
  lowering_job job = {.module = module, .wanted = {.tasks = tune_task_options_get(options)}};
  job.wanted.tasks.flush_cache = tune_pass_options_get_flag(options, "flush-cache");
  if (tune_pass_options_get_flag(options, "print-stages"))
    job.stages.reach = print_stage;
  job.wanted.is_strict = tune_pass_options_get_flag(options, "strict");
  job.wanted.build = build;
  job.wanted.user = &job;
  tune_target_name name;
  TUNE_RETURN_IF_ERROR(tune_target_name_init(&name, job.wanted.tasks.target));
  tune_target_kind kind = name.kind;
  tune_target_name_deinit(&name);
  tune_status status = lower(&job, options, kind);
  tune_database_destroy(job.wanted.database);
  tune_function_signature_destroy(job.signature);
  tune_target_facts_destroy(job.facts);
  free(job.cpu.features);
  free(job.function);
  return status;
}

static const tune_dialect_getter lower_dialects[] = {mlirGetDialectHandle__affine__,
                                                     mlirGetDialectHandle__arith__,
                                                     mlirGetDialectHandle__cf__,
                                                     mlirGetDialectHandle__func__,
                                                     mlirGetDialectHandle__gpu__,
                                                     mlirGetDialectHandle__index__,
                                                     mlirGetDialectHandle__linalg__,
                                                     mlirGetDialectHandle__llvm__,
                                                     mlirGetDialectHandle__math__,
                                                     mlirGetDialectHandle__memref__,
                                                     mlirGetDialectHandle__nvgpu__,
                                                     mlirGetDialectHandle__nvvm__,
                                                     mlirGetDialectHandle__omp__,
                                                     mlirGetDialectHandle__scf__,
                                                     mlirGetDialectHandle__spirv__,
                                                     mlirGetDialectHandle__tensor__,
                                                     mlirGetDialectHandle__transform__,
                                                     mlirGetDialectHandle__vector__,
                                                     NULL};

const tune_pass_class tune_pass_lower = {
    .name = "tune-lower",
    .summary =
        "Lower to the LLVM dialect or to kernels of a device, each task by the schedule that its "
        "choices decide",
    .options = options_table,
    .option_count = sizeof options_table / sizeof *options_table,
    .dialects = lower_dialects,
    .run = lower_run,
};
