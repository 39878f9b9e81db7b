//===- opened_module.c --------------------------------------------------------===//

#include "tools/tune-worker/opened_module.h"

#include "support/clock.h"
#include "support/json.h"
#include "tools/tune-worker/guarded_build.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/task_key.h"
#include "transforms/lower/common/memory.h"
#include "transforms/schedule/instantiate.h"
#include "transforms/spaces/module_fallback.h"
#include "transforms/tasks/normalize.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct opened_module {
  const tune_build_task *task; // borrowed
  // Of the task's, which stays as it came: the reference is built of that, so that a mistake in
  // what is written anew shows.
  MlirOperation payload;
  json_t *request; // has the texts of the options
  tune_module_choices_options options;
  tune_module_plan plan;
  size_t cut_count;      // of the plan, when the child began
  size_t described_cuts; // the same when the module was opened
  bool guards;           // whole modules are built by a child of the child first
  bool has_last_rules;   // all its tasks
  size_t *building;      // of the child: what it is at, in memory that is shared with it

  // Of the build, in the child.
  tune_lowering *lowering;
  tune_emit emit;
  bool times_tasks;
  tune_code code;
  tune_build_fallback_list fallbacks;
};

#define BUILDING_NOTHING (SIZE_MAX - 1)

static tune_status apply_and_lower(opened_module *module, MlirOperation payload,
                                   MlirOperation script, const tune_build_order *order) {
  double start = tune_clock_seconds();
  if (!mlirOperationIsNull(script))
    TUNE_RETURN_IF_ERROR(tune_schedule_apply(payload, script));
  double transformed = tune_clock_seconds();
  tune_code_deinit(&module->code);
  tune_status status = tune_lowering_run(module->lowering, order, &module->code);
  module->code.report.transform = transformed - start;
  return status;
}

static tune_status build_task(opened_module *module, MlirOperation payload, MlirOperation script) {
  MlirOperation function = tune_ir_find_symbol(payload, tune_ir_string(TUNE_TASK_FUNCTION_NAME));
  tune_build_order order = {
      .module = payload, .function = TUNE_TASK_FUNCTION_NAME, .emit = module->emit};
  tune_function_signature *signature;
  TUNE_RETURN_IF_ERROR(tune_function_signature_create(function, &signature));
  order.signature = signature;
  tune_status status = tune_memory_prepare(payload, function, signature);
  if (tune_status_is_ok(status))
    status = apply_and_lower(module, payload, script, &order);
  tune_function_signature_destroy(signature);
  return status;
}

typedef struct whole_build {
  opened_module *module;
  MlirOperation payload, script;
} whole_build;

static tune_status build_whole(void *user) {
  const whole_build *build = user;
  opened_module *module = build->module;
  tune_build_order order = {.module = build->payload,
                            .function = tune_build_task_get_function(module->task),
                            .signature = tune_build_task_get_signature(module->task),
                            .emit = module->emit,
                            // Functions are numbered by the tasks that there are now.
                            .times_tasks = module->times_tasks &&
                                           module->plan.cut_count == module->described_cuts};
  return apply_and_lower(module, build->payload, build->script, &order);
}

static tune_status build(void *user, MlirOperation payload, MlirOperation script, size_t task) {
  opened_module *module = user;
  // Where the child has cut a task apart, its parent counts tasks otherwise.
  bool is_known = task == TUNE_WHOLE_MODULE || module->plan.cut_count == module->cut_count;
  *(volatile size_t *)module->building = is_known ? task : BUILDING_NOTHING;
  tune_status status = TUNE_OK;
  if (task == TUNE_WHOLE_MODULE) {
    whole_build whole = {.module = module, .payload = payload, .script = script};
    if (module->guards)
      status = guarded_build_try(build_whole, &whole);
    if (tune_status_is_ok(status))
      status = build_whole(&whole);
  } else {
    status = build_task(module, payload, script);
  }
  *(volatile size_t *)module->building = BUILDING_NOTHING;
  return status;
}

static void note_fallback(void *user, const tune_fallback *fallback) {
  opened_module *module = user;
  tune_build_fallback *grown =
      realloc(module->fallbacks.items, (module->fallbacks.count + 1) * sizeof *grown);
  if (!grown)
    return; // it is built all the same
  module->fallbacks.items = grown;
  module->fallbacks.items[module->fallbacks.count++] =
      (tune_build_fallback){.task = (int64_t)fallback->task,
                            .from = fallback->from,
                            .to = fallback->to,
                            .why = fallback->why};
}

static tune_status plan(opened_module *module, const tune_open_source_request *request) {
  const tune_module_choices_wanted *wanted = &request->module;
  const char *target = request->target.name ? request->target.name : "cpu";
  const json_t *device = request->target.device;
  module->options = (tune_module_choices_options){
      .tasks = {.target = target,
                .has_fingerprint = device || tune_target_kind_of(target) != TUNE_KIND_CPU,
                .fingerprint = device,
                .threads = (size_t)request->threads,
                .flush_cache = wanted->flush_cache,
                .schedule = wanted->schedule,
                .allowed_passes = request->allow_passes},
      .config = wanted->config,
      .is_split = true,
      .is_strict = wanted->strict,
      .is_of_other_sizes = request->sizes.count > 0 || wanted->other_sizes,
      .describes_defaults = true,
      .build = build,
      .tell_fallback = note_fallback,
      .user = module};
  MlirOperation payload = module->payload =
      mlirOperationClone(tune_build_task_get_payload(module->task));
  tune_module_tasks_load_dialects(mlirOperationGetContext(payload));
  if (wanted->database)
    TUNE_RETURN_IF_ERROR(tune_database_open_read_only(wanted->database, &module->options.database));
  tune_normalize_forget_tasks(payload);
  tune_status status =
      tune_normalize_operands(payload, tune_module_tasks_cpu_threads(&module->options.tasks));
  if (tune_status_is_ok(status))
    status = tune_module_plan_init(&module->plan, payload, &module->options, false);
  // A child must not use a database that its parent has opened.
  tune_database_destroy(module->options.database);
  module->options.database = NULL;
  return status;
}

tune_status opened_module_create(const tune_build_task *task,
                                 const tune_open_source_request *request, json_t *object,
                                 opened_module **out_module) {
  *out_module = NULL;
  opened_module *module = calloc(1, sizeof *module);
  if (!module)
    return tune_status_out_of_memory("opening a module");
  module->task = task;
  module->request = json_incref(object);
  module->building = mmap(NULL, sizeof *module->building, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  tune_status status = TUNE_OK;
  if (module->building == MAP_FAILED) {
    module->building = NULL;
    status = tune_status_from_errno(errno, "opening a module");
  } else {
    *module->building = BUILDING_NOTHING;
    status = plan(module, request);
    module->described_cuts = module->plan.cut_count;
  }
  if (!tune_status_is_ok(status)) {
    opened_module_destroy(module);
    return status;
  }
  *out_module = module;
  return TUNE_OK;
}

void opened_module_destroy(opened_module *module) {
  if (!module)
    return;
  tune_module_plan_deinit(&module->plan);
  if (!mlirOperationIsNull(module->payload))
    mlirOperationDestroy(module->payload);
  tune_code_deinit(&module->code);
  free(module->fallbacks.items);
  json_decref(module->request);
  if (module->building)
    munmap(module->building, sizeof *module->building);
  free(module);
}

// `*out_task` is beyond the last where the task was cut apart.
static tune_status find_task(const opened_module *module, const char *key, size_t *out_task) {
  const tune_extraction *extraction = module->plan.tasks.extraction;
  for (*out_task = 0; *out_task < extraction->task_count; ++*out_task)
    if (strcmp(extraction->tasks[*out_task].key.text, key) == 0)
      return TUNE_OK;
  for (size_t i = 0; i < module->plan.cut_count; ++i)
    if (strcmp(module->plan.cuts[i].cut.key.text, key) == 0)
      return TUNE_OK;
  return tune_status_make(TUNE_INVALID_ARGUMENT, "the module has no task %s", key);
}

static tune_status regroup(opened_module *module, size_t task, const char *grouping) {
  tune_fusion_cut_form form = tune_grouping_of_name(grouping);
  bool is_cut = false;
  if (form != TUNE_CUT_NONE && form < TUNE_GROUPINGS)
    TUNE_RETURN_IF_ERROR(tune_module_plan_cut(&module->plan, task, form, NULL, &is_cut));
  return is_cut ? TUNE_OK
                : tune_status_make(TUNE_INVALID_ARGUMENT, "a task cannot be cut apart as \"%s\"",
                                   grouping);
}

tune_status opened_module_choose(opened_module *module, const tune_task_choice_list *choices) {
  for (size_t i = 0; i < choices->count; ++i) {
    const tune_task_choice *choice = &choices->items[i];
    size_t task;
    TUNE_RETURN_IF_ERROR(find_task(module, choice->key, &task));
    const tune_task_attempt attempt = {.takes_defaults = true,
                                       .passed_over = (size_t)choice->passed_over};
    const json_t *values = json_object_size(choice->config) ? choice->config : NULL;
    if (task == module->plan.tasks.extraction->task_count)
      continue;
    if (choice->grouping) {
      TUNE_RETURN_IF_ERROR(regroup(module, task, choice->grouping));
      continue;
    }
    TUNE_RETURN_IF_ERROR(tune_module_plan_choose(&module->plan, task, attempt, values));
  }
  return TUNE_OK;
}

#define IS_WRONG "what it computes is wrong"

// The first from `begin` on of the task that was `original` before any was cut apart, or of its
// parts.
static size_t find_original(const tune_module_plan *plan, size_t original, size_t begin) {
  size_t count = plan->tasks.extraction->task_count, i = begin;
  while (i < count && plan->planned[i].original != original)
    ++i;
  return i;
}

static tune_status cut_apart(tune_module_plan *plan, size_t original) {
  size_t i = find_original(plan, original, 0);
  while (i < plan->tasks.extraction->task_count) {
    bool is_cut;
    TUNE_RETURN_IF_ERROR(tune_module_plan_cut(plan, i, TUNE_CUT_NONE, IS_WRONG, &is_cut));
    i = find_original(plan, original, is_cut ? 0 : i + 1); // tasks have other indices then
  }
  return TUNE_OK;
}

// Of `item->task`, or of all its parts.
static tune_status set_aside_one(opened_module *module, const tune_set_aside *item, bool *out_any) {
  tune_module_plan *plan = &module->plan;
  size_t original = (size_t)item->task, i = find_original(plan, original, 0);
  *out_any = i < plan->tasks.extraction->task_count;
  if (item->cut)
    TUNE_RETURN_IF_ERROR(cut_apart(plan, original));
  for (i = find_original(plan, original, 0); i < plan->tasks.extraction->task_count;
       i = find_original(plan, original, i + 1)) {
    bool is_there = true;
    for (int64_t n = 0; n < item->count && is_there; ++n)
      TUNE_RETURN_IF_ERROR(tune_module_fallback_advance(plan, i, IS_WRONG, &is_there));
  }
  return TUNE_OK;
}

tune_status opened_module_set_aside(opened_module *module, const tune_set_aside_list *set_aside) {
  for (size_t i = 0; i < set_aside->count; ++i) {
    const tune_set_aside *item = &set_aside->items[i];
    bool any;
    TUNE_RETURN_IF_ERROR(set_aside_one(module, item, &any));
    if (!any)
      return tune_status_make(TUNE_INVALID_ARGUMENT, "the module has no task %lld",
                              (long long)item->task);
  }
  return TUNE_OK;
}

tune_status opened_module_build(opened_module *module, tune_lowering *lowering, tune_emit emit,
                                bool times_tasks, tune_code *out_code,
                                tune_build_fallback_list *out_fallbacks) {
  *out_code = (tune_code){.bytes = NULL};
  *out_fallbacks = (tune_build_fallback_list){.count = 0};
  module->lowering = lowering;
  module->emit = emit;
  module->times_tasks = times_tasks;
  module->cut_count = module->plan.cut_count;
  MlirOperation script, built;
  TUNE_RETURN_IF_ERROR(tune_module_fallback_build(&module->plan, module->payload, &script, &built));
  mlirOperationDestroy(built);
  if (!mlirOperationIsNull(script))
    mlirOperationDestroy(script);
  tune_module_plan_tell(&module->plan);
  *out_code = module->code;
  module->code = (tune_code){.bytes = NULL};
  *out_fallbacks = module->fallbacks;
  return TUNE_OK;
}

// Whether `script` leaves the task `text` as it is. What fails is told where it is built.
static tune_status leaves_task(MlirContext context, const char *text, MlirOperation script,
                               bool *out_leaves) {
  *out_leaves = false;
  MlirOperation payload;
  TUNE_RETURN_IF_ERROR(tune_ir_parse(context, text, "task.mlir", &payload));
  char *before = NULL, *after = NULL;
  tune_status status = tune_ir_print(payload, false, &before);
  if (tune_status_is_ok(status))
    status = tune_schedule_apply(payload, script);
  if (tune_status_is_ok(status))
    status = tune_ir_print(payload, false, &after);
  *out_leaves = tune_status_is_ok(status) && strcmp(before, after) == 0;
  free(before);
  free(after);
  mlirOperationDestroy(payload);
  if (tune_status_get_code(status) == TUNE_OUT_OF_MEMORY)
    return status;
  tune_status_free(status);
  return TUNE_OK;
}

tune_status opened_module_find_idle(const opened_module *module, bool *out_is_idle) {
  const tune_module_plan *plan = &module->plan;
  const tune_extraction *extraction = plan->tasks.extraction;
  MlirContext context = mlirOperationGetContext(module->payload);
  *out_is_idle = module->options.tasks.schedule != NULL;
  for (size_t i = 0; *out_is_idle && i < extraction->task_count; ++i)
    if (plan->planned[i].is_users)
      TUNE_RETURN_IF_ERROR(leaves_task(context, extraction->tasks[i].payload,
                                       plan->planned[i].schedule, out_is_idle));
  return TUNE_OK;
}

static tune_status mend(opened_module *module, const char *how, bool *out_mended) {
  size_t task = *module->building;
  *module->building = BUILDING_NOTHING;
  *out_mended = false;
  if (task == BUILDING_NOTHING || module->options.is_strict ||
      module->plan.tasks.extraction->task_count == 0)
    return TUNE_OK;
  bool is_cut;
  if (task != TUNE_WHOLE_MODULE)
    return tune_module_fallback_advance_or_cut(&module->plan, task, how, &is_cut, out_mended);
  *out_mended = !module->has_last_rules;
  if (!module->options.tasks_first) {
    module->options.tasks_first = true;
  } else if (!module->guards) {
    module->guards = true; // then the task that it crashes for is found by halves
  } else {
    module->has_last_rules = true;
    return tune_module_fallback_take_last(&module->plan, how);
  }
  return TUNE_OK;
}

bool opened_module_mend(opened_module *module, const char *how) {
  bool is_mended;
  tune_status status = mend(module, how, &is_mended);
  is_mended = is_mended && tune_status_is_ok(status);
  tune_status_free(status); // how the child died is what is told then
  return is_mended;
}

const tune_module_plan *opened_module_plan(const opened_module *module) { return &module->plan; }
