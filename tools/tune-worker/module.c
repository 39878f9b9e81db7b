//===- module.c ---------------------------------------------------------------===//

#include "tools/tune-worker/module.h"

#include "dialects/allow.h"
#include "dialects/choices.h"
#include "transforms/ir/ir.h"
#include "transforms/spaces/best_config.h"
#include "transforms/spaces/module_choices.h"
#include "tuning/space/config_complete.h"

#include "mlir-c/BuiltinTypes.h"
#include "support/json.h"

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

static void note_origin(void *user, size_t task, tune_choice_origin origin, const char *why) {
  static const char *const NAMES[] = {[TUNE_ORIGIN_CHOICES] = "choices",
                                      [TUNE_ORIGIN_DATABASE] = "database",
                                      [TUNE_ORIGIN_DEFAULT] = "default"};
  json_object_set_new(json_array_get(user, task), "from", json_string(NAMES[origin]));
  if (why)
    json_object_set_new(json_array_get(user, task), "why", json_string(why));
}

// The same where a config was asked for: module_schedule has put it on the ops before.
static void note_config(void *user, size_t task, tune_choice_origin origin, const char *why) {
  (void)origin;
  (void)why;
  json_object_set_new(json_array_get(user, task), "from", json_string("config"));
}

tune_status module_schedule(tune_build_task *task, const tune_open_source_request *request,
                            json_t *tasks) {
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
      .user = tasks,
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

static json_t *describe_tasks(const tune_extraction *extraction) {
  json_t *tasks = json_array();
  for (size_t i = 0; tasks && i < extraction->task_count; ++i) {
    const tune_extracted_task *task = &extraction->tasks[i];
    json_t *object = json_pack(
        "{s:s, s:s, s:s, s:I, s:I, s:I, s:I}", "name", task->name, "kind",
        tune_task_kind_name(task->kind), "type", tune_task_space_type(extraction, i), "count",
        (json_int_t)task->occurrence_count, "flops", (json_int_t)task->flops, "bytes",
        (json_int_t)task->bytes, "reduction", (json_int_t)task->reduction_length);
    if (!object || json_array_append_new(tasks, object) != 0) {
      json_decref(tasks);
      return NULL;
    }
  }
  return tasks;
}

tune_status module_describe(const tune_build_task *task, json_t **out_object) {
  *out_object = NULL;
  MlirOperation payload = tune_build_task_get_payload(task);
  load_dialects(mlirOperationGetContext(payload));
  tune_extraction *extraction;
  TUNE_RETURN_IF_ERROR(tune_extract(mlirModuleFromOperation(payload), &extraction));
  json_t *tasks = describe_tasks(extraction);
  *out_object = tune_json_pack(
      "{s:s, s:s?, s:s*, s:o}", "function", tune_build_task_get_function(task), "accumulator",
      find_accumulator(extraction->groups), "operands", find_operands(extraction), "tasks", tasks);
  tune_extraction_destroy(extraction);
  return *out_object ? TUNE_OK : tune_status_out_of_memory("describing a module");
}
