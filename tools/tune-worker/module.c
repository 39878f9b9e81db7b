//===- module.c ---------------------------------------------------------------===//

#include "tools/tune-worker/module.h"

#include "dialects/allow.h"
#include "dialects/choices.h"
#include "transforms/ir/ir.h"
#include "transforms/spaces/best_config.h"
#include "transforms/spaces/module_choices.h"
#include "tuning/space/config_complete.h"

#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>
#include <string.h>

// What is made of a module's parts belongs to dialects that its text may not have loaded.
static void load_dialects(MlirContext context) {
  for (const tune_dialect_getter *getter = tune_module_tasks_dialects; *getter; ++getter)
    mlirDialectHandleLoadDialect((*getter)(), context);
}

//===--------------------------------------------------------------------------===//
// Scheduling
//===--------------------------------------------------------------------------===//

// Puts `text`, a config, on the anchors of the only task as the user's choices.
static tune_status pin_config(MlirOperation payload, const tune_module_tasks_options *options,
                              const char *text) {
  tune_module_tasks tasks;
  TUNE_RETURN_IF_ERROR(tune_module_tasks_init(&tasks, payload, options));
  tune_task_space *space = NULL;
  tune_config config = {0};
  tune_status status = TUNE_OK;
  if (tasks.extraction->task_count != 1)
    status = tune_status_make(TUNE_INVALID_ARGUMENT,
                              "a config is for a module with one task, and this one has %zu; put "
                              "the choices on the ops (tune-opt --tune-annotate)",
                              tasks.extraction->task_count);
  if (tune_status_is_ok(status))
    status = tune_module_tasks_make_space(&tasks, 0, &space);
  if (tune_status_is_ok(status))
    status = tune_config_complete_text(&config, space->space, text);
  if (tune_status_is_ok(status))
    status = tune_task_space_write_chosen(space, &tasks.anchors, &config, "user");
  tune_config_deinit(&config);
  tune_task_space_destroy(space);
  tune_module_tasks_deinit(&tasks);
  return status;
}

static void note(void *user, size_t task, const char *from, const char *why) {
  tune_described_task_list *tasks = &((tune_module_description *)user)->tasks;
  if (task >= tasks->count)
    return;
  tasks->items[task].from = from;
  // Without memory for it nobody learns why, as where nobody asks.
  tasks->items[task].why = why ? strdup(why) : NULL;
}

static void note_origin(void *user, size_t task, tune_choice_origin origin, const char *why) {
  static const char *const NAMES[] = {[TUNE_ORIGIN_CHOICES] = TUNE_FROM_CHOICES,
                                      [TUNE_ORIGIN_DATABASE] = TUNE_FROM_DATABASE,
                                      [TUNE_ORIGIN_DEFAULT] = TUNE_FROM_DEFAULT};
  note(user, task, NAMES[origin], why);
}

// The same where a config was asked for: module_schedule has put it on the ops before.
static void note_config(void *user, size_t task, tune_choice_origin origin, const char *why) {
  (void)origin;
  (void)why;
  note(user, task, TUNE_FROM_CONFIG, NULL);
}

tune_status module_schedule(tune_build_task *task, const tune_open_source_request *request,
                            tune_module_description *description) {
  const tune_module_choices_wanted *wanted = &request->module;
  const char *target = request->target.name ? request->target.name : "cpu";
  const json_t *device = request->target.device;
  tune_module_choices_options options = {
      .tasks = {.target = target,
                .has_fingerprint = device || tune_target_kind_of(target) != TUNE_KIND_CPU,
                .fingerprint = device,
                .threads = (size_t)request->threads,
                .flush_cache = wanted->flush_cache,
                .schedule = wanted->schedule,
                .allowed_passes = request->allow_passes},
      .is_split = true,
      .user = description,
      .tell = wanted->config ? note_config : note_origin};
  MlirOperation payload = tune_build_task_get_payload(task);
  load_dialects(mlirOperationGetContext(payload));
  if (wanted->config)
    TUNE_RETURN_IF_ERROR(pin_config(payload, &options.tasks, wanted->config));
  if (wanted->database)
    TUNE_RETURN_IF_ERROR(tune_database_open_read_only(wanted->database, &options.database));
  MlirOperation script = {NULL};
  tune_status status = tune_module_choices_make_script(payload, &options, false, &script);
  tune_database_destroy(options.database);
  tune_choices_strip(payload);
  if (tune_status_is_ok(status) && !mlirOperationIsNull(script))
    tune_build_task_set_script(task, script);
  return status;
}

//===--------------------------------------------------------------------------===//
// Describing
//===--------------------------------------------------------------------------===//

// The coarsest of float types met so far.
typedef struct coarsest {
  unsigned bits; // of the significand
  const char *name;
} coarsest;

static void add_type(MlirType type, coarsest *state) {
  static const struct {
    bool (*is)(MlirType type);
    coarsest found;
  } FLOATS[] = {{mlirTypeIsABF16, {8, "bf16"}},
                {mlirTypeIsAF16, {11, "f16"}},
                {mlirTypeIsAF32, {24, "f32"}},
                {mlirTypeIsAF64, {53, "f64"}}};
  if (mlirTypeIsAShaped(type))
    type = mlirShapedTypeGetElementType(type);
  for (size_t i = 0; i < sizeof FLOATS / sizeof *FLOATS; ++i)
    if (FLOATS[i].is(type) && (!state->name || FLOATS[i].found.bits < state->bits))
      *state = FLOATS[i].found;
}

static bool is_only_returned(MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    if (!tune_ir_is(mlirOpOperandGetOwner(use), "func.return"))
      return false;
  return true;
}

// The coarsest type that what is computed on the way is rounded to: that of sums, and of what goes
// from op to op. How the end result is rounded is known from its own type.
static const char *find_accumulator(const tune_fusion_groups *groups) {
  coarsest state = {0};
  for (size_t i = 0; i < groups->node_count; ++i) {
    const tune_fusion_node *node = &groups->nodes[i];
    bool sums =
        tune_op_class_is_heavy(node->facts.op_class) || node->facts.op_class == TUNE_OP_REDUCTION;
    for (intptr_t r = 0; r < mlirOperationGetNumResults(node->op); ++r) {
      MlirValue result = mlirOperationGetResult(node->op, r);
      if (sums || !is_only_returned(result))
        add_type(mlirValueGetType(result), &state);
    }
  }
  return state.name;
}

// What operands of some products may be rounded to; NULL: none are.
static const char *find_operands(const tune_extraction *extraction) {
  for (size_t i = 0; i < extraction->task_count; ++i)
    if (extraction->tasks[i].allows_tf32)
      return TUNE_ALLOW_TF32;
  return NULL;
}

static tune_status describe_tasks(const tune_extraction *extraction,
                                  tune_described_task_list *out_tasks) {
  *out_tasks =
      (tune_described_task_list){calloc(extraction->task_count + 1, sizeof *out_tasks->items), 0};
  if (!out_tasks->items)
    return tune_status_out_of_memory("describing a module");
  for (size_t i = 0; i < extraction->task_count; ++i) {
    const tune_extracted_task *task = &extraction->tasks[i];
    char *name = strdup(task->name); // the others are constant
    if (!name)
      return tune_status_out_of_memory("describing a module");
    out_tasks->items[out_tasks->count++] =
        (tune_described_task){.name = name,
                              .kind = tune_task_kind_name(task->kind),
                              .type = tune_task_space_type(extraction, i),
                              .count = (int64_t)task->occurrence_count,
                              .flops = (int64_t)task->flops,
                              .bytes = (int64_t)task->bytes,
                              .reduction = (int64_t)task->reduction_length};
  }
  return TUNE_OK;
}

tune_status module_describe(const tune_build_task *task, tune_module_description *out_description) {
  *out_description = (tune_module_description){.function = NULL};
  MlirOperation payload = tune_build_task_get_payload(task);
  load_dialects(mlirOperationGetContext(payload));
  tune_extraction *extraction;
  TUNE_RETURN_IF_ERROR(tune_extract(mlirModuleFromOperation(payload), &extraction));
  out_description->function = tune_build_task_get_function(task);
  out_description->accumulator = find_accumulator(extraction->groups);
  out_description->operands = find_operands(extraction);
  tune_status status = describe_tasks(extraction, &out_description->tasks);
  tune_extraction_destroy(extraction);
  if (!tune_status_is_ok(status))
    module_description_deinit(out_description);
  return status;
}

void module_description_deinit(tune_module_description *description) {
  for (size_t i = 0; i < description->tasks.count; ++i) {
    free((char *)description->tasks.items[i].name);
    free((char *)description->tasks.items[i].why);
  }
  free(description->tasks.items);
  *description = (tune_module_description){.function = NULL};
}
