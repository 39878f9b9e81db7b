//===- module_description.c ---------------------------------------------------===//

#include "tools/tune-worker/module_description.h"

#include "dialects/allow.h"
#include "support/json.h"
#include "transforms/ir/ir.h"

#include "mlir-c/BuiltinTypes.h"

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

static json_t *describe_task(const tune_extraction *extraction, size_t index,
                             const tune_module_plan *plan) {
  static const char *const ORIGINS[] = {[TUNE_ORIGIN_CHOICES] = "choices",
                                        [TUNE_ORIGIN_DATABASE] = "database",
                                        [TUNE_ORIGIN_DEFAULT] = "default",
                                        [TUNE_ORIGIN_CONFIG] = "config"};
  const tune_extracted_task *task = &extraction->tasks[index];
  const tune_planned_task *planned = plan ? &plan->planned[index] : NULL;
  return tune_json_pack(
      "{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:s*, s:s*}", "name", task->name, "kind",
      tune_task_kind_name(task->kind), "type", tune_task_space_type(extraction, index), "count",
      (json_int_t)task->occurrence_count, "flops", (json_int_t)task->flops, "bytes",
      (json_int_t)task->bytes, "reduction", (json_int_t)task->reduction_length, "from",
      planned ? ORIGINS[planned->origin] : NULL, "why", planned ? planned->why : NULL);
}

static json_t *describe_tasks(const tune_extraction *extraction, const tune_module_plan *plan) {
  json_t *tasks = json_array();
  for (size_t i = 0; tasks && i < extraction->task_count; ++i) {
    json_t *object = describe_task(extraction, i, plan);
    if (!object || json_array_append_new(tasks, object) != 0) {
      json_decref(tasks);
      return NULL;
    }
  }
  return tasks;
}

static tune_status describe(const tune_build_task *task, const tune_extraction *extraction,
                            const tune_module_plan *plan, json_t **out_object) {
  json_t *tasks = describe_tasks(extraction, plan);
  *out_object = tune_json_pack(
      "{s:s, s:s?, s:s*, s:o}", "function", tune_build_task_get_function(task), "accumulator",
      find_accumulator(extraction->groups), "operands", find_operands(extraction), "tasks", tasks);
  return *out_object ? TUNE_OK : tune_status_out_of_memory("describing a module");
}

tune_status module_describe(const tune_build_task *task, const tune_module_plan *plan,
                            json_t **out_object) {
  *out_object = NULL;
  if (plan)
    return describe(task, plan->tasks.extraction, plan, out_object);
  MlirOperation payload = tune_build_task_get_payload(task);
  tune_module_tasks_load_dialects(mlirOperationGetContext(payload));
  tune_extraction *extraction;
  TUNE_RETURN_IF_ERROR(tune_extract(mlirModuleFromOperation(payload), &extraction));
  tune_status status = describe(task, extraction, NULL, out_object);
  tune_extraction_destroy(extraction);
  return status;
}
