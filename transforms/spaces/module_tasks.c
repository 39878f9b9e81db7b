//===- module_tasks.c ---------------------------------------------------------===//

#include "transforms/spaces/module_tasks.h"

#include "dialects/diagnostic.h"
#include "support/file.h"
#include "transforms/lower/common/memory.h"
#include "transforms/tasks/module_key.h"
#include "tuning/device/device_file.h"

#include "mlir-c/Dialect/Affine.h"
#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Dialect/Linalg.h"
#include "mlir-c/Dialect/MemRef.h"
#include "mlir-c/Dialect/SCF.h"
#include "mlir-c/Dialect/Tensor.h"
#include "mlir-c/Dialect/Transform.h"
#include "mlir-c/Dialect/Vector.h"

#include <stdlib.h>

// Loading transform loads what its extensions make.
const tune_dialect_getter tune_module_tasks_dialects[] = {
    mlirGetDialectHandle__affine__, mlirGetDialectHandle__arith__,
    mlirGetDialectHandle__func__,   mlirGetDialectHandle__linalg__,
    mlirGetDialectHandle__memref__, mlirGetDialectHandle__scf__,
    mlirGetDialectHandle__tensor__, mlirGetDialectHandle__transform__,
    mlirGetDialectHandle__vector__, NULL};

void tune_module_tasks_load_dialects(MlirContext context) {
  for (const tune_dialect_getter *getter = tune_module_tasks_dialects; *getter; ++getter)
    mlirDialectHandleLoadDialect((*getter)(), context);
}

bool tune_module_tasks_is_for_cpu(const tune_module_tasks_options *options) {
  return tune_target_kind_of_name(options->target) == TUNE_KIND_CPU;
}

size_t tune_module_tasks_cpu_threads(const tune_module_tasks_options *options) {
  size_t threads = options->threads ? options->threads : 1;
  return tune_module_tasks_is_for_cpu(options) ? threads : 0;
}

static tune_status find_facts(const tune_module_tasks_options *options,
                              tune_target_facts **out_facts) {
  if (options->has_fingerprint)
    return tune_target_facts_create_known(options->target, options->fingerprint, options->threads,
                                          out_facts);
  if (options->device)
    return tune_device_file_get_facts(options->device, options->target, options->threads,
                                      out_facts);
  tune_status status = tune_target_facts_create(options->target, options->threads, out_facts);
  tune_target_kind kind = tune_target_kind_of_name(options->target);
  if (!options->advises || tune_status_get_code(status) != TUNE_UNAVAILABLE ||
      kind == TUNE_KIND_CPU)
    return status;
  return tune_status_join(
      tune_status_make(TUNE_UNAVAILABLE,
                       "%s; target=%s needs none, nor does device=FILE, which is one of "
                       "another machine (docs/measured-elsewhere.md)",
                       tune_status_get_message(status),
                       kind == TUNE_KIND_CUDA ? "cuda:sm_90" : "vulkan:generic"),
      status);
}

tune_status tune_module_tasks_get_facts(const tune_module_tasks_options *options,
                                        tune_target_facts **out_facts) {
  TUNE_RETURN_IF_ERROR(find_facts(options, out_facts));
  tune_status status = tune_target_facts_set_flush_cache(*out_facts, options->flush_cache);
  if (!tune_status_is_ok(status)) {
    tune_target_facts_destroy(*out_facts);
    *out_facts = NULL;
  }
  return status;
}

// A schedule that is for other tasks than those of the module would be given and ignored.
static tune_status check_schedule(const tune_module_tasks *tasks) {
  const tune_extraction *extraction = tasks->extraction;
  tune_schedule *schedule;
  TUNE_RETURN_IF_ERROR(tune_schedule_parse(tasks->context, tasks->options.schedule_text,
                                           tasks->options.schedule_source,
                                           tasks->options.allowed_passes, &schedule));
  bool is_meant = extraction->task_count == 0;
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < extraction->task_count && !is_meant && tune_status_is_ok(status); ++i)
    status = tune_task_space_is_meant(schedule->module, &extraction->tasks[i], &is_meant);
  if (tune_status_is_ok(status) && !is_meant)
    status = tune_status_make_at(TUNE_FAILED_PRECONDITION, schedule->module,
                                 "tune.for: this schedule is meant for none of the module's %zu "
                                 "tasks; `tune-opt --tune-extract=all` lists them",
                                 extraction->task_count);
  tune_schedule_destroy(schedule);
  return status;
}

static tune_status read_schedule(const char *path, char **out_text) {
  if (!*path)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "the path of the schedule is empty");
  return tune_status_annotate(tune_file_read(path, out_text, NULL), "reading the schedule");
}

static tune_status extract(tune_module_tasks *tasks, MlirOperation module, size_t cpu_threads) {
  tune_task_cuts *cuts = &tasks->cuts;
  TUNE_RETURN_IF_ERROR(
      tune_extract(mlirModuleFromOperation(module), cpu_threads, &tasks->extraction));
  TUNE_RETURN_IF_ERROR(tune_module_key(tasks->extraction, &tasks->module));
  TUNE_RETURN_IF_ERROR(
      tune_grouping_read(tasks->extraction, module, tasks->facts->name.target, cuts));
  if (cuts->count) {
    tune_extraction_destroy(tasks->extraction);
    tasks->extraction = NULL;
    TUNE_RETURN_IF_ERROR(tune_extract_cut(mlirModuleFromOperation(module), cpu_threads, cuts->items,
                                          cuts->count, &tasks->extraction));
  }
  return tune_anchors_init(&tasks->anchors, tasks->extraction);
}

static tune_status find_facts_of_one_thread(tune_module_tasks *tasks,
                                            const tune_module_tasks_options *options) {
  bool is_any = false;
  for (size_t i = 0; i < tasks->extraction->task_count; ++i)
    is_any |= tasks->extraction->tasks[i].at_once > 1;
  if (!is_any)
    return TUNE_OK;
  tune_module_tasks_options of_one = *options;
  of_one.threads = 1;
  return tune_module_tasks_get_facts(&of_one, &tasks->of_one_thread);
}

const tune_target_facts *tune_module_tasks_facts(const tune_module_tasks *tasks, size_t task) {
  bool is_of_one = tasks->of_one_thread && tasks->extraction->tasks[task].at_once > 1;
  return is_of_one ? tasks->of_one_thread : tasks->facts;
}

static tune_status fill(tune_module_tasks *tasks, MlirOperation module,
                        const tune_module_tasks_options *options) {
  TUNE_RETURN_IF_ERROR(tune_module_tasks_get_facts(options, &tasks->facts));
  if (options->schedule)
    TUNE_RETURN_IF_ERROR(read_schedule(options->schedule, &tasks->schedule_text));
  TUNE_RETURN_IF_ERROR(extract(tasks, module, tune_module_tasks_cpu_threads(options)));
  TUNE_RETURN_IF_ERROR(find_facts_of_one_thread(tasks, options));
  TUNE_RETURN_IF_ERROR(tune_anchors_check(&tasks->anchors, module, tasks->facts->name.target));
  tasks->attempts = calloc(tasks->extraction->task_count + 1, sizeof *tasks->attempts);
  if (!tasks->attempts)
    return tune_status_out_of_memory("looking at the tasks of a module");
  tasks->options = (tune_task_space_options){
      .facts = tasks->facts,
      .schedule_text = tasks->schedule_text,
      .schedule_source = options->schedule,
      .allowed_passes = options->allowed_passes,
      .takes_all_chosen = options->takes_all_chosen,
      .levels = options->levels,
      .by_target = options->by_target,
  };
  return options->schedule ? check_schedule(tasks) : TUNE_OK;
}

tune_status tune_module_tasks_init(tune_module_tasks *tasks, MlirOperation module,
                                   const tune_module_tasks_options *options) {
  *tasks = (tune_module_tasks){.context = mlirOperationGetContext(module)};
  tune_op_map_init(&tasks->anchors.task_of_op);
  tune_status status = fill(tasks, module, options);
  if (!tune_status_is_ok(status))
    tune_module_tasks_deinit(tasks);
  return status;
}

void tune_module_tasks_deinit(tune_module_tasks *tasks) {
  tune_anchors_deinit(&tasks->anchors);
  tune_extraction_destroy(tasks->extraction);
  tune_target_facts_destroy(tasks->facts);
  tune_target_facts_destroy(tasks->of_one_thread);
  free(tasks->schedule_text);
  free(tasks->attempts);
  tune_task_cuts_deinit(&tasks->cuts);
  *tasks = (tune_module_tasks){.context = tasks->context};
  tune_op_map_init(&tasks->anchors.task_of_op);
}

tune_status tune_module_tasks_cut(const tune_module_tasks *tasks, MlirOperation module,
                                  const tune_task_cuts *cuts, tune_extraction **out_extraction,
                                  tune_anchors *out_anchors) {
  tune_task_cuts all = {.items = NULL};
  tune_status status = TUNE_OK;
  *out_extraction = NULL;
  *out_anchors = (tune_anchors){.extraction = NULL};
  tune_op_map_init(&out_anchors->task_of_op);
  for (size_t i = 0; i < tasks->cuts.count && tune_status_is_ok(status); ++i)
    status = tune_task_cuts_add(&all, &tasks->cuts.items[i]);
  for (size_t i = 0; i < cuts->count && tune_status_is_ok(status); ++i)
    status = tune_task_cuts_add(&all, &cuts->items[i]);
  if (tune_status_is_ok(status))
    status = tune_extract_cut(mlirModuleFromOperation(module), tasks->extraction->cpu_threads,
                              all.items, all.count, out_extraction);
  tune_task_cuts_deinit(&all);
  TUNE_RETURN_IF_ERROR(status);
  TUNE_RETURN_IF_ERROR(tune_anchors_init(out_anchors, *out_extraction));
  return tune_anchors_check(out_anchors, module, tasks->facts->name.target);
}

static tune_status list_all(size_t count, size_t **out_run, size_t *out_count) {
  *out_run = calloc(count + 1, sizeof **out_run);
  if (!*out_run)
    return tune_status_out_of_memory("listing the tasks of what is run");
  for (*out_count = 0; *out_count < count; ++*out_count)
    (*out_run)[*out_count] = *out_count;
  return TUNE_OK;
}

static bool has_one_function(MlirModule module) {
  size_t count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    count += tune_ir_is(op, "func.func");
  return count == 1;
}

static tune_status list_of_alone(const tune_module_tasks *tasks, MlirModule alone,
                                 const char *function, size_t **out_run, size_t *out_count) {
  MlirOperation root = mlirModuleGetOperation(alone), entry;
  tune_extraction *extraction;
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(root, function, &entry));
  TUNE_RETURN_IF_ERROR(tune_memory_keep_reached(root, entry));
  TUNE_RETURN_IF_ERROR(tune_extract_cut(alone, tasks->extraction->cpu_threads, tasks->cuts.items,
                                        tasks->cuts.count, &extraction));
  tune_status status = list_all(extraction->task_count, out_run, out_count);
  for (size_t i = 0; i < *out_count; ++i)
    (*out_run)[i] = tune_extraction_find(tasks->extraction, &extraction->tasks[i].key);
  tune_extraction_destroy(extraction);
  return status;
}

tune_status tune_module_tasks_list_run(const tune_module_tasks *tasks, MlirModule module,
                                       const char *function, size_t **out_run, size_t *out_count) {
  *out_run = NULL;
  *out_count = 0;
  if (has_one_function(module))
    return list_all(tasks->extraction->task_count, out_run, out_count);
  MlirModule alone = mlirModuleFromOperation(mlirOperationClone(mlirModuleGetOperation(module)));
  tune_status status = list_of_alone(tasks, alone, function, out_run, out_count);
  mlirModuleDestroy(alone);
  return status;
}

tune_status tune_module_tasks_make_space(const tune_module_tasks *tasks, size_t task,
                                         tune_task_space **out_space) {
  tune_task_space_options options = tasks->options;
  options.facts = tune_module_tasks_facts(tasks, task);
  options.attempt = tasks->attempts[task];
  return tune_task_space_create(tasks->context, &tasks->anchors, task, &options, out_space);
}

void tune_module_tasks_remark_left_out(const tune_module_tasks *tasks, MlirOperation module) {
  const tune_extraction *extraction = tasks->extraction;
  for (size_t i = 0; i < extraction->left_out_count; ++i) {
    const tune_left_out *left_out = &extraction->left_out[i];
    if (left_out->count > 1)
      tune_remark_emit(left_out->location, "%s (%zu of them) is not tuned: %s", left_out->op_name,
                       left_out->count, left_out->reason);
    else
      tune_remark_emit(left_out->location, "%s is not tuned: %s", left_out->op_name,
                       left_out->reason);
  }
  if (extraction->task_count == 0)
    tune_remark_emit(tune_location_get(module), "there is nothing to tune in this module");
}
