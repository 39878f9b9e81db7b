//===- outline.c --------------------------------------------------------------===//

#include "transforms/tasks/outline.h"

#include "formats/task_function.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/op_list.h"
#include "transforms/normalize/marks.h"
#include "transforms/tasks/task_order.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct outliner {
  const tune_extraction *extraction;
  MlirContext context;
  MlirOperation module;
  tune_fusion_groups *groups; // of `module`: the same as the extraction's, over the copy
  MlirOperation *functions;   // by task; null: not made yet
  MlirOperation *calls;       // by group
} outliner;

static void set_string(MlirOperation op, const char *name, const char *value) {
  MlirContext context = mlirOperationGetContext(op);
  mlirOperationSetAttributeByName(op, tune_ir_string(name),
                                  mlirStringAttrGet(context, tune_ir_string(value)));
}

void tune_outline_find_name(MlirOperation module, size_t task, char *name, size_t size) {
  snprintf(name, size, TUNE_TASK_FUNCTION_PREFIX "%zu", task);
  for (size_t i = 0; !mlirOperationIsNull(tune_ir_find_symbol(module, tune_ir_string(name))); ++i)
    snprintf(name, size, TUNE_TASK_FUNCTION_PREFIX "%zu_%zu", task, i);
}

// Puts the function of a task, if it is the first, into the module.
static void place_function(outliner *state, size_t task, tune_task_function *function) {
  if (!mlirOperationIsNull(state->functions[task]))
    return;
  MlirOperation placed = function->function;
  set_string(placed, "sym_visibility", "private");
  set_string(placed, TUNE_TASK_ATTRIBUTE, state->extraction->tasks[task].key.text);
  if (!mlirOperationIsNull(function->anchor))
    mlirOperationSetDiscardableAttributeByName(
        function->anchor, tune_ir_string(TUNE_ANCHOR_ATTRIBUTE), mlirUnitAttrGet(state->context));
  mlirBlockAppendOwnedOperation(tune_ir_body(state->module), placed);
  state->functions[task] = placed;
  function->function = (MlirOperation){.ptr = NULL};
}

// Gives the call at `root` a tensor.empty of its own for each destination that is one, so that no
// two calls seem to write into one tensor.
static void own_destinations(MlirOperation root, tune_task_function *function) {
  for (size_t i = function->input_count - function->destination_count; i < function->input_count;
       ++i) {
    MlirValue value = function->inputs[i];
    if (!mlirValueIsAOpResult(value) || !tune_ir_is(mlirOpResultGetOwner(value), "tensor.empty"))
      continue;
    MlirOperation own = mlirOperationClone(mlirOpResultGetOwner(value));
    mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(root), root, own);
    function->inputs[i] = mlirOperationGetResult(own, 0);
  }
}

// Puts a call before the root of a group. It reads what other groups compute from their roots.
static tune_status call_function(outliner *state, MlirOperation callee, MlirOperation root,
                                 const tune_task_function *function, MlirOperation *out_call) {
  MlirStringRef name = tune_ir_string_attribute(callee, "sym_name");
  intptr_t count = mlirOperationGetNumResults(root);
  MlirType *types = malloc((size_t)count * sizeof *types);
  if (!types)
    return tune_status_out_of_memory("calling a task");
  for (intptr_t i = 0; i < count; ++i)
    types[i] = mlirValueGetType(mlirOperationGetResult(root, i));
  MlirNamedAttribute symbol =
      tune_ir_named(state->context, "callee", mlirFlatSymbolRefAttrGet(state->context, name));
  MlirOperationState call =
      mlirOperationStateGet(tune_ir_string("func.call"), mlirOperationGetLocation(root));
  mlirOperationStateAddOperands(&call, (intptr_t)function->input_count, function->inputs);
  mlirOperationStateAddResults(&call, count, types);
  mlirOperationStateAddAttributes(&call, 1, &symbol);
  *out_call = mlirOperationCreate(&call);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(root), root, *out_call);
  free(types);
  return TUNE_OK;
}

static tune_status outline_group(outliner *state, size_t group) {
  size_t task = state->extraction->task_of_group[group];
  char name[64];
  tune_outline_find_name(state->module, task, name, sizeof name);
  tune_task_function function;
  TUNE_RETURN_IF_ERROR(tune_extract_build_function(state->groups, group, name, &function));
  tune_status status = tune_task_order_apply(function.function);
  if (tune_status_is_ok(status)) {
    place_function(state, task, &function);
    MlirOperation root = state->groups->nodes[state->groups->groups[group].root].op;
    own_destinations(root, &function);
    status = call_function(state, state->functions[task], root, &function, &state->calls[group]);
  }
  tune_task_function_deinit(&function);
  return status;
}

// Lets the calls stand for the roots' results, for each other and for all else. Only when all are
// there: a function is made of what the extraction saw, and where a task has a copy of an op that
// is a task too (a fill, say, that is also returned) that op's call is not it.
static void put_calls(outliner *state) {
  for (size_t group = 0; group < state->groups->group_count; ++group) {
    MlirOperation root = state->groups->nodes[state->groups->groups[group].root].op;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(root); ++i)
      mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(root, i),
                                    mlirOperationGetResult(state->calls[group], i));
  }
}

// Notes an op that may have been needed only by what is now in functions.
static MlirWalkResult note_leftover(MlirOperation op, void *user_data) {
  if ((!tune_ir_is(op, "arith.constant") && !tune_ir_is(op, "tensor.empty") &&
       !tune_ir_is(op, "tensor.dim")) ||
      tune_ir_is_used(op))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

// Erases the ops that are now in functions. Only at the end: until then, no address is used twice.
static tune_status erase_outlined(outliner *state) {
  for (size_t i = state->groups->node_count; i-- > 0;) {
    const tune_fusion_node *node = &state->groups->nodes[i];
    if ((node->group != TUNE_GROUP_NONE || node->is_cheap) && !tune_ir_is_used(node->op))
      mlirOperationDestroy(node->op);
  }
  // A size is used by a tensor.empty, a constant by a size.
  for (int round = 0; round < 3; ++round) {
    tune_op_list unused = {0};
    mlirOperationWalk(state->module, note_leftover, &unused, MlirWalkPreOrder);
    for (size_t i = 0; i < unused.count; ++i)
      mlirOperationDestroy(unused.ops[i]);
    tune_op_list_deinit(&unused);
    if (unused.failed)
      return tune_status_out_of_memory("removing what tasks took");
  }
  return TUNE_OK;
}

static tune_status outline(outliner *state) {
  TUNE_RETURN_IF_ERROR(tune_fusion_groups_create(state->module, state->extraction->cpu_threads > 0,
                                                 state->extraction->cuts, &state->groups));
  if (state->groups->group_count != state->extraction->groups->group_count)
    return tune_status_make(TUNE_INTERNAL, "a copy of a module has %zu tasks, not %zu",
                            state->groups->group_count, state->extraction->groups->group_count);
  state->functions = calloc(state->extraction->task_count + 1, sizeof *state->functions);
  state->calls = calloc(state->groups->group_count + 1, sizeof *state->calls);
  if (!state->functions || !state->calls)
    return tune_status_out_of_memory("%zu tasks", state->extraction->task_count);
  for (size_t group = 0; group < state->groups->group_count; ++group)
    TUNE_RETURN_IF_ERROR(outline_group(state, group));
  put_calls(state);
  TUNE_RETURN_IF_ERROR(erase_outlined(state));
  tune_marks_clear(state->module);
  return TUNE_OK;
}

tune_status tune_outline_module(const tune_extraction *extraction, MlirModule *out_module) {
  *out_module = (MlirModule){.ptr = NULL};
  MlirOperation normalized = mlirModuleGetOperation(extraction->normalized);
  outliner state = {.extraction = extraction,
                    .context = mlirOperationGetContext(normalized),
                    .module = mlirOperationClone(normalized)};
  tune_status status = outline(&state);
  tune_fusion_groups_destroy(state.groups);
  free(state.functions);
  free(state.calls);
  if (!tune_status_is_ok(status)) {
    mlirOperationDestroy(state.module);
    return tune_status_annotate(status, "outlining tasks");
  }
  *out_module = mlirModuleFromOperation(state.module);
  return TUNE_OK;
}
