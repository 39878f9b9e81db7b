//===- extract.c --------------------------------------------------------------===//

#include "transforms/tasks/extract.h"

#include "dialects/allow.h"
#include "dialects/constant.h"
#include "dialects/threads.h"
#include "transforms/ir/foreign_dialects.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/op_list.h"
#include "transforms/ir/task_key.h"
#include "transforms/normalize/batches.h"
#include "transforms/normalize/marks.h"
#include "transforms/tasks/measured_sizes.h"
#include "transforms/tasks/normalize.h"
#include "transforms/tasks/task_function.h"
#include "transforms/tasks/task_order.h"
#include "transforms/tasks/task_runs.h"
#include "transforms/tasks/task_summary.h"

#include <stdlib.h>
#include <string.h>

//===--- The ops of the given module ------------------------------------------===//

// The structured ops of the given module come in the order of the numbers that mark them.
// The tasks that are to be cut apart.
typedef struct cut_list {
  const tune_task_cut *items;
  size_t count;
} cut_list;

static void note_original(MlirOperation op, size_t number, void *user_data) {
  (void)number;
  tune_op_list_add(user_data, op);
}

static tune_task_occurrence find_occurrence(const tune_fusion_groups *groups, size_t group,
                                            const tune_op_list *from) {
  const tune_fusion_group *described = &groups->groups[group];
  const tune_fusion_node *anchor = &groups->nodes[described->anchor];
  MlirLocation location = mlirOperationGetLocation(anchor->op);
  tune_task_occurrence occurrence = {
      .location = location,
      // The name lives as long as the context.
      .function = tune_ir_string_attribute(anchor->function, "sym_name").data,
  };
  size_t mark = tune_marks_get(location);
  // The place of any other op of the task is better than none.
  for (size_t i = 0; i < described->count && mark >= from->count; ++i)
    mark = tune_marks_get(
        mlirOperationGetLocation(groups->nodes[groups->members[described->first + i]].op));
  if (mark < from->count) {
    occurrence.anchor = from->ops[mark];
    occurrence.location = mlirOperationGetLocation(occurrence.anchor);
  }
  return occurrence;
}

//===--- What is left out -----------------------------------------------------===//

static tune_status add_left_out(tune_extraction *extraction, MlirLocation location,
                                MlirStringRef op_name, const char *reason) {
  size_t count = extraction->left_out_count;
  tune_left_out *last = count ? &extraction->left_out[count - 1] : NULL;
  if (last && last->op_name == op_name.data && last->reason == reason &&
      mlirLocationEqual(last->location, location)) {
    ++last->count;
    return TUNE_OK;
  }
  if (!(count & (count + 1))) { // room runs out at 0, 1, 3, 7, …
    tune_left_out *grown = realloc(extraction->left_out, (2 * count + 1) * sizeof *grown);
    if (!grown)
      return tune_status_out_of_memory("%zu ops left out", count);
    extraction->left_out = grown;
  }
  extraction->left_out[extraction->left_out_count++] =
      (tune_left_out){.location = location, .op_name = op_name.data, .reason = reason, .count = 1};
  return TUNE_OK;
}

static tune_status list_left_out(tune_extraction *extraction, const tune_op_list *from) {
  const tune_fusion_groups *groups = extraction->groups;
  for (size_t i = 0; i < groups->node_count; ++i) {
    const tune_fusion_node *node = &groups->nodes[i];
    if (!node->reason)
      continue;
    MlirLocation location = mlirOperationGetLocation(node->op);
    size_t mark = tune_marks_get(location);
    MlirOperation op = mark < from->count ? from->ops[mark] : node->op;
    TUNE_RETURN_IF_ERROR(
        add_left_out(extraction, mlirOperationGetLocation(op), tune_ir_name(op), node->reason));
  }
  return TUNE_OK;
}

typedef struct foreign_search {
  tune_extraction *extraction;
  tune_status status;
} foreign_search;

static MlirWalkResult note_foreign(MlirOperation op, void *user_data) {
  foreign_search *state = user_data;
  MlirStringRef name = tune_ir_name(op);
  const char *advice = tune_foreign_dialect_advice(name.data); // names end with a NUL
  // Constants and what ends a region compute nothing.
  if (!advice || mlirOperationGetNumResults(op) == 0 || mlirOperationGetNumOperands(op) == 0)
    return MlirWalkResultAdvance;
  // Once for each kind of op: a whole model of them is one mistake.
  tune_extraction *extraction = state->extraction;
  for (size_t k = 0; k < extraction->left_out_count; ++k)
    if (extraction->left_out[k].op_name == name.data) {
      ++extraction->left_out[k].count;
      return MlirWalkResultAdvance;
    }
  state->status = add_left_out(extraction, mlirOperationGetLocation(op), name, advice);
  return tune_status_is_ok(state->status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

//===--- Tasks ----------------------------------------------------------------===//

typedef struct group_reference {
  const tune_fusion_groups *groups;
  size_t group;
} group_reference;

static bool group_contains(MlirOperation op, const void *user_data) {
  const group_reference *reference = user_data;
  return tune_fusion_groups_contains(reference->groups, reference->group, op);
}

tune_status tune_extract_build_function(const tune_fusion_groups *groups, size_t group,
                                        const char *name, tune_task_function *out_function) {
  MlirOperation root = groups->nodes[groups->groups[group].root].op;
  size_t count = (size_t)mlirOperationGetNumResults(root);
  MlirValue *results = malloc(count * sizeof *results);
  if (!results)
    return tune_status_out_of_memory("%zu results", count);
  for (size_t i = 0; i < count; ++i)
    results[i] = mlirOperationGetResult(root, (intptr_t)i);
  group_reference reference = {groups, group};
  tune_task_body body = {
      .results = results,
      .result_count = count,
      .anchor = groups->nodes[groups->groups[group].anchor].op,
      .contains = group_contains,
      .user_data = &reference,
  };
  tune_status status = tune_task_function_build(&body, name, out_function);
  if (tune_status_is_ok(status))
    tune_measured_sizes_set(groups, group, out_function);
  free(results);
  return status;
}

static tune_status print_payload(const tune_task_function *function, char **out_payload) {
  if (!mlirOperationIsNull(function->anchor))
    mlirOperationSetDiscardableAttributeByName(
        function->anchor, tune_ir_string(TUNE_ANCHOR_ATTRIBUTE),
        mlirUnitAttrGet(mlirOperationGetContext(function->anchor)));
  char *text;
  TUNE_RETURN_IF_ERROR(tune_task_key_print(function->function, &text));
  tune_string_builder builder;
  tune_string_builder_init(&builder);
  tune_string_builder_append(&builder, "module {\n");
  tune_string_builder_append(&builder, text);
  tune_string_builder_append(&builder, "\n}\n");
  free(text);
  return tune_string_builder_finish(&builder, out_payload);
}

// Tasks by key: open addressing over indices, 0 being free.
typedef struct key_table {
  size_t *slots;
  size_t capacity;
} key_table;

static size_t *find_task_slot(const tune_extraction *extraction, const key_table *table,
                              const tune_digest *key) {
  // The digits of a digest are as good as random.
  size_t slot = (size_t)strtoull(key->text + 16, NULL, 16) & (table->capacity - 1);
  while (table->slots[slot] &&
         !tune_digest_equal(&extraction->tasks[table->slots[slot] - 1].key, key))
    slot = (slot + 1) & (table->capacity - 1);
  return &table->slots[slot];
}

static tune_status add_task(tune_extraction *extraction, size_t group, const tune_digest *key,
                            const tune_task_function *function) {
  tune_extracted_task *task = &extraction->tasks[extraction->task_count++];
  *task = (tune_extracted_task){.key = *key, .op_count = function->op_count};
  const tune_fusion_group *described = &extraction->groups->groups[group];
  task->kind = described->kind;
  for (size_t i = 0; i < described->count; ++i)
    task->allowances |= tune_allow_get(
        extraction->groups->nodes[extraction->groups->members[described->first + i]].op);
  tune_task_description description;
  TUNE_RETURN_IF_ERROR(tune_task_describe(extraction->groups, group, function, &description));
  task->name = description.name;
  task->flops = description.flops;
  task->bytes = description.bytes;
  task->reduction_length = description.reduction_length;
  task->is_empty = description.is_empty;
  return print_payload(function, &task->payload);
}

static tune_status add_occurrence(tune_extracted_task *task, tune_task_occurrence occurrence) {
  size_t count = task->occurrence_count;
  if (!(count & (count + 1))) { // room runs out at 0, 1, 3, 7, …
    tune_task_occurrence *grown = realloc(task->occurrences, (2 * count + 1) * sizeof *grown);
    if (!grown)
      return tune_status_out_of_memory("%zu occurrences", count);
    task->occurrences = grown;
  }
  task->occurrences[task->occurrence_count++] = occurrence;
  task->location = task->occurrences[0].location;
  return TUNE_OK;
}

static void add_runs(tune_extracted_task *task, MlirOperation anchor) {
  int64_t runs = tune_task_runs(anchor);
  bool is_known = task->runs != TUNE_RUNS_UNKNOWN && runs != TUNE_RUNS_UNKNOWN;
  if (!is_known || __builtin_add_overflow(task->runs, runs, &task->runs))
    task->runs = TUNE_RUNS_UNKNOWN;
}

// Notes that `anchor` is one of the task, before add_occurrence.
static void add_place(tune_extracted_task *task, MlirOperation anchor, size_t threads) {
  bool is_first = task->occurrence_count == 0;
  add_runs(task, anchor);
  task->at_once =
      (is_first || task->at_once > 1) && tune_threads_share(anchor) ? (int64_t)threads : 1;
}

static tune_status extract_group(tune_extraction *extraction, const key_table *table, size_t group,
                                 const tune_op_list *from) {
  tune_task_function function;
  TUNE_RETURN_IF_ERROR(
      tune_extract_build_function(extraction->groups, group, TUNE_TASK_FUNCTION_NAME, &function));
  char *text;
  tune_status status = tune_task_key_print(function.function, &text);
  if (tune_status_is_ok(status)) {
    tune_digest key = tune_task_key_of_text(text);
    free(text);
    size_t *slot = find_task_slot(extraction, table, &key);
    if (!*slot) {
      status = tune_task_order_apply(function.function);
      if (tune_status_is_ok(status))
        status = add_task(extraction, group, &key, &function);
      *slot = extraction->task_count;
    }
    extraction->task_of_group[group] = *slot - 1;
    size_t anchor = extraction->groups->groups[group].anchor;
    if (tune_status_is_ok(status))
      add_place(&extraction->tasks[*slot - 1], extraction->groups->nodes[anchor].op,
                extraction->cpu_threads > 1 ? extraction->cpu_threads : 1);
    if (tune_status_is_ok(status))
      status = add_occurrence(&extraction->tasks[*slot - 1],
                              find_occurrence(extraction->groups, group, from));
  }
  tune_task_function_deinit(&function);
  return status;
}

static tune_status extract_groups(tune_extraction *extraction, const tune_op_list *from) {
  size_t count = extraction->groups->group_count;
  key_table table = {.capacity = 16};
  while (table.capacity < 2 * count)
    table.capacity *= 2;
  table.slots = calloc(table.capacity, sizeof *table.slots);
  extraction->tasks = calloc(count + 1, sizeof *extraction->tasks);
  extraction->task_of_group = calloc(count + 1, sizeof *extraction->task_of_group);
  tune_status status = TUNE_OK;
  if (!table.slots || !extraction->tasks || !extraction->task_of_group)
    status = tune_status_out_of_memory("%zu tasks", count);
  for (size_t group = 0; group < count && tune_status_is_ok(status); ++group)
    status = extract_group(extraction, &table, group, from);
  free(table.slots);
  return status;
}

//===--------------------------------------------------------------------------===//
// Tasks that are cut apart
//===--------------------------------------------------------------------------===//

static void forget_tasks(tune_extraction *extraction) {
  for (size_t i = 0; i < extraction->task_count; ++i) {
    free(extraction->tasks[i].name);
    free(extraction->tasks[i].payload);
    free(extraction->tasks[i].occurrences);
  }
  free(extraction->tasks);
  free(extraction->task_of_group);
  extraction->tasks = NULL;
  extraction->task_of_group = NULL;
  extraction->task_count = 0;
}

// Marks the ops of all groups of the task. `*out_any` is false where there is none, or it
// cannot be cut.
static tune_status mark_cut(tune_extraction *extraction, const tune_task_cut *cut, size_t number,
                            bool *out_any) {
  const tune_fusion_groups *groups = extraction->groups;
  *out_any = false;
  if (!extraction->cuts)
    extraction->cuts = calloc(groups->node_count + 1, sizeof *extraction->cuts);
  if (!extraction->cuts)
    return tune_status_out_of_memory("%zu ops", groups->node_count);
  for (size_t g = 0; g < groups->group_count; ++g) {
    const tune_fusion_group *group = &groups->groups[g];
    const tune_extracted_task *task = &extraction->tasks[extraction->task_of_group[g]];
    tune_fusion_cut_form form = tune_fusion_groups_find_cut(groups, g);
    if (form == TUNE_CUT_NONE || strcmp(task->key.text, cut->key.text) != 0)
      continue;
    if (cut->form > form)
      form = cut->form;
    *out_any = true;
    for (size_t i = group->first; i < group->first + group->count; ++i)
      extraction->cuts[groups->members[i]] = (tune_fusion_cut){form, number};
  }
  return TUNE_OK;
}

// Finds the tasks anew, with what is cut.
static tune_status extract_again(tune_extraction *extraction, const tune_op_list *from) {
  forget_tasks(extraction);
  tune_fusion_groups_destroy(extraction->groups);
  extraction->groups = NULL;
  TUNE_RETURN_IF_ERROR(tune_fusion_groups_create(mlirModuleGetOperation(extraction->normalized),
                                                 extraction->cpu_threads > 0, extraction->cuts,
                                                 &extraction->groups));
  TUNE_RETURN_IF_ERROR(extract_groups(extraction, from));
  const tune_fusion_groups *groups = extraction->groups;
  for (size_t g = 0; g < groups->group_count; ++g)
    if (groups->nodes[groups->groups[g].anchor].cut.form != TUNE_CUT_NONE)
      extraction->tasks[extraction->task_of_group[g]].is_cut = true;
  return TUNE_OK;
}

static tune_status cut_tasks(tune_extraction *extraction, const cut_list *cuts,
                             const tune_op_list *from) {
  for (size_t i = 0; i < cuts->count; ++i) {
    bool any;
    TUNE_RETURN_IF_ERROR(mark_cut(extraction, &cuts->items[i], i + 1, &any));
    if (any)
      TUNE_RETURN_IF_ERROR(extract_again(extraction, from));
  }
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// The whole
//===--------------------------------------------------------------------------===//

static tune_status extract_marked(tune_extraction *extraction, MlirModule module,
                                  size_t cpu_threads, const cut_list *cuts,
                                  const tune_op_list *from) {
  extraction->cpu_threads = cpu_threads;
  extraction->normalized =
      mlirModuleFromOperation(mlirOperationClone(mlirModuleGetOperation(module)));
  MlirOperation normalized = mlirModuleGetOperation(extraction->normalized);
  tune_marks_set(normalized);
  extraction->decomposition = tune_normalize_decomposition(normalized);
  TUNE_RETURN_IF_ERROR(tune_normalize(extraction->normalized, cpu_threads));
  tune_normalize_forget_done(normalized);
  TUNE_RETURN_IF_ERROR(
      tune_fusion_groups_create(normalized, cpu_threads > 0, NULL, &extraction->groups));
  TUNE_RETURN_IF_ERROR(extract_groups(extraction, from));
  TUNE_RETURN_IF_ERROR(cut_tasks(extraction, cuts, from));
  TUNE_RETURN_IF_ERROR(list_left_out(extraction, from));
  foreign_search search = {.extraction = extraction};
  mlirOperationWalk(mlirModuleGetOperation(module), note_foreign, &search, MlirWalkPreOrder);
  return search.status;
}

tune_status tune_extract(MlirModule module, size_t cpu_threads, tune_extraction **out_extraction) {
  return tune_extract_cut(module, cpu_threads, NULL, 0, out_extraction);
}

tune_status tune_extract_cut(MlirModule module, size_t cpu_threads, const tune_task_cut *items,
                             size_t cut_count, tune_extraction **out_extraction) {
  const cut_list cuts = {items, cut_count};
  *out_extraction = NULL;
  tune_extraction *extraction = calloc(1, sizeof *extraction);
  tune_op_list from = {0};
  tune_marks_walk(mlirModuleGetOperation(module), note_original, &from);
  tune_status status = !extraction || from.failed
                           ? tune_status_out_of_memory("listing the ops of a module")
                           : extract_marked(extraction, module, cpu_threads, &cuts, &from);
  tune_op_list_deinit(&from);
  if (!tune_status_is_ok(status)) {
    tune_extraction_destroy(extraction);
    return tune_status_annotate(status, "extracting tasks");
  }
  *out_extraction = extraction;
  return TUNE_OK;
}

size_t tune_extracted_task_runs(const tune_extracted_task *task) {
  int64_t runs = task->runs > 0 ? task->runs : (int64_t)task->occurrence_count;
  return (size_t)((runs + task->at_once - 1) / task->at_once);
}

size_t tune_extraction_find(const tune_extraction *extraction, const tune_digest *key) {
  size_t i = 0;
  while (i < extraction->task_count && !tune_digest_equal(&extraction->tasks[i].key, key))
    ++i;
  return i;
}

// What a task makes for itself is not read: empty tensors, and what all tasks have copies of.
static bool is_of_constants(const tune_fusion_groups *groups, size_t group, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    MlirOperation from = tune_ir_definition(value);
    bool is_own = !mlirOperationIsNull(from) &&
                  (tune_fusion_is_small_constant(from) || tune_ir_is(from, "tensor.empty") ||
                   tune_fusion_groups_contains(groups, group, from));
    if (!is_own && !tune_constant_is_value(value))
      return false;
  }
  return true;
}

tune_fusion_cut_form tune_extraction_find_cut(const tune_extraction *extraction, size_t task) {
  size_t group = 0;
  while (group < extraction->groups->group_count && extraction->task_of_group[group] != task)
    ++group;
  return group < extraction->groups->group_count
             ? tune_fusion_groups_find_cut(extraction->groups, group)
             : TUNE_CUT_NONE;
}

bool tune_extraction_is_of_constants(const tune_extraction *extraction, size_t task) {
  const tune_fusion_groups *groups = extraction->groups;
  bool is_any = false;
  for (size_t g = 0; g < groups->group_count; ++g) {
    const tune_fusion_group *group = &groups->groups[g];
    if (extraction->task_of_group[g] != task)
      continue;
    is_any = true;
    for (size_t i = 0; i < group->count; ++i)
      if (!is_of_constants(groups, g, groups->nodes[groups->members[group->first + i]].op))
        return false;
  }
  return is_any;
}

void tune_extraction_pin_batches(const tune_extraction *extraction, MlirOperation module) {
  tune_batches_pin(module, mlirModuleGetOperation(extraction->normalized));
}

void tune_extraction_destroy(tune_extraction *extraction) {
  if (!extraction)
    return;
  forget_tasks(extraction);
  free(extraction->left_out);
  free(extraction->cuts);
  tune_fusion_groups_destroy(extraction->groups);
  if (!mlirModuleIsNull(extraction->normalized))
    mlirModuleDestroy(extraction->normalized);
  free(extraction);
}
