//===- module_schedule.c ------------------------------------------------------===//
//
// The script is written as text, with declarations in place of the tasks' sequences, and
// parsed. The sequences themselves (schedule_merge.h) then take the places of the declarations.
//
//===----------------------------------------------------------------------===//

#include "transforms/spaces/module_schedule.h"

#include "dialects/diagnostic.h"
#include "dialects/printing.h"
#include "transforms/ir/ir.h"
#include "transforms/schedule/instantiate.h"
#include "transforms/schedule/schedule_merge.h"
#include "transforms/tasks/outline.h"

#include <stdlib.h>

#define ANY "!transform.any_op"

typedef struct combiner {
  const tune_extraction *extraction;
  MlirContext context;
  const MlirOperation *schedules;
  tune_schedule_sequences parts;
  tune_schedule_entries *entries; // by task
} combiner;

static MlirOperation first_op(MlirOperation module) {
  return mlirBlockGetFirstOperation(tune_ir_body(module));
}

//===--------------------------------------------------------------------------===//
// Calls
//===--------------------------------------------------------------------------===//

// A sequence that a task begins with, as its callers have to know it.
typedef struct entry_type {
  MlirType handle;
  bool is_consumed;
} entry_type;

static tune_status read_entry(const tune_schedule_sequence *entry, entry_type *out_type) {
  MlirType type = mlirTypeAttrGetValue(tune_ir_attribute(entry->op, "function_type"));
  if (mlirFunctionTypeGetNumInputs(type) != 1 || mlirFunctionTypeGetNumResults(type) != 0)
    return tune_status_make_at(TUNE_FAILED_PRECONDITION, entry->op,
                               "this sequence cannot be called for a task: it has to take one "
                               "handle and yield nothing");
  MlirAttribute arguments = tune_ir_attribute(entry->op, "arg_attrs");
  MlirAttribute consumed = {NULL};
  if (!mlirAttributeIsNull(arguments) && mlirArrayAttrGetNumElements(arguments) > 0)
    consumed = mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(arguments, 0),
                                                  tune_ir_string("transform.consumed"));
  *out_type = (entry_type){mlirFunctionTypeGetInput(type, 0), !mlirAttributeIsNull(consumed)};
  return TUNE_OK;
}

static tune_status declare(const tune_schedule_sequence *entry, tune_string_builder *text) {
  entry_type type;
  TUNE_RETURN_IF_ERROR(read_entry(entry, &type));
  tune_string_builder_appendf(text, "  transform.named_sequence private @%s(", entry->name);
  mlirTypePrint(type.handle, tune_printing_append, text);
  tune_string_builder_appendf(text, " {transform.%s})\n",
                              type.is_consumed ? "consumed" : "readonly");
  return TUNE_OK;
}

static bool is_called(const combiner *state, const tune_schedule_sequence *asked) {
  for (size_t i = 0; i < state->extraction->task_count; ++i)
    if (state->entries[i].tensors == asked || state->entries[i].buffers == asked ||
        state->entries[i].whole == asked)
      return true;
  return false;
}

static void append_call(const tune_schedule_sequence *called, const char *handle, const char *type,
                        tune_string_builder *text) {
  tune_string_builder_appendf(text, "transform.include @%s failures(propagate) (%s) : (%s) -> ()\n",
                              called->name, handle, type);
}

// Has `called` done to each function of task `task`.
static tune_status call_for_task(const combiner *state, const tune_schedule_sequence *called,
                                 size_t task, const char *module, tune_string_builder *text) {
  if (!called)
    return TUNE_OK;
  entry_type entry;
  TUNE_RETURN_IF_ERROR(read_entry(called, &entry));
  tune_string_builder type;
  tune_string_builder_init(&type);
  mlirTypePrint(entry.handle, tune_printing_append, &type);
  tune_string_builder_appendf(text,
                              "    %%%s_%zu = transform.structured.match ops{[\"func.func\"]} "
                              "attributes{" TUNE_TASK_ATTRIBUTE " = \"%s\"} in %s : (" ANY
                              ") -> %s\n"
                              "    transform.foreach %%%s_%zu : %s {\n"
                              "    ^bb0(%%function: %s):\n      ",
                              called->base, task, state->extraction->tasks[task].key.text, module,
                              type.text, called->base, task, type.text, type.text);
  append_call(called, "%function", type.text, text);
  tune_string_builder_append(text, "    }\n");
  tune_string_builder_deinit(&type);
  return TUNE_OK;
}

// Whether some task has several functions after outlining, one for each occurrence.
static bool has_copies(const combiner *state) {
  for (size_t i = 0; i < state->extraction->task_count; ++i)
    if (state->extraction->tasks[i].occurrence_count > 1)
      return true;
  return false;
}

// Upstream's pass makes one of any two functions that are alike but for their names; also of public
// ones, and of declarations. Those that are no task's are told apart by an attribute.
static bool append_distinctions(const combiner *state, tune_string_builder *text) {
  MlirOperation module = mlirModuleGetOperation(state->extraction->normalized);
  size_t count = 0;
  for (MlirOperation op = first_op(module); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!tune_ir_is(op, "func.func") && mlirOperationGetNumRegions(op) > 0)
      return false; // functions inside would be taken for those outside
    count += tune_ir_is(op, "func.func");
  }
  size_t number = 0;
  for (MlirOperation op = first_op(module); !mlirOperationIsNull(op) && count > 1;
       op = mlirOperationGetNextInBlock(op)) {
    if (!tune_ir_is(op, "func.func"))
      continue;
    tune_string_builder_append(text, "    %function_");
    tune_string_builder_appendf(text,
                                "%zu = transform.structured.match ops{[\"func.func\"]} "
                                "attributes{sym_name = ",
                                number);
    MlirAttribute name = tune_ir_attribute(op, "sym_name");
    mlirAttributePrint(name, tune_printing_append, text);
    tune_string_builder_appendf(
        text,
        "} in %%outlined : (" ANY ") -> " ANY "\n"
        "    %%number_%zu = transform.param.constant %zu : i64 -> !transform.param<i64>\n"
        "    transform.annotate %%function_%zu \"tune.function\" = %%number_%zu : " ANY
        ", !transform.param<i64>\n",
        number, number, number, number);
    ++number;
  }
  return true;
}

// What is called %module from now on: each task with one function, where that can be had.
static void merge_copies(const combiner *state, tune_string_builder *text) {
  tune_string_builder distinctions;
  tune_string_builder_init(&distinctions);
  if (has_copies(state) && append_distinctions(state, &distinctions))
    tune_string_builder_appendf(
        text,
        "%s    %%module = transform.apply_registered_pass \"duplicate-function-elimination\" to "
        "%%outlined : (" ANY ") -> " ANY "\n",
        distinctions.text ? distinctions.text : "");
  else
    tune_string_builder_append(text, "    %module = transform.merge_handles %outlined : " ANY "\n");
  text->failed |= distinctions.failed;
  tune_string_builder_deinit(&distinctions);
}

static tune_status call_for_tasks(const combiner *state, tune_string_builder *text) {
  for (size_t i = 0; i < state->extraction->task_count; ++i)
    TUNE_RETURN_IF_ERROR(call_for_task(state, state->entries[i].tensors, i, "%module", text));
  tune_string_builder_append(
      text, "    %buffers = transform.bufferization.one_shot_bufferize "
            "layout{IdentityLayoutMap} %module\n"
            "      {bufferize_function_boundaries = true, allow_return_allocs_from_loops = true,\n"
            "       memcpy_op = \"linalg.copy\"}\n"
            "      : (" ANY ") -> " ANY "\n");
  for (size_t i = 0; i < state->extraction->task_count; ++i)
    TUNE_RETURN_IF_ERROR(call_for_task(state, state->entries[i].buffers, i, "%buffers", text));
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// The script
//===--------------------------------------------------------------------------===//

static tune_status write_main(const combiner *state, tune_string_builder *text) {
  tune_string_builder_append(text, "  transform.named_sequence @" TUNE_SEQUENCE_MAIN "(%root: " ANY
                                   " {transform.consumed}) {\n"
                                   "    %outlined = transform.include @" TUNE_OUTLINE_SEQUENCE
                                   " failures(propagate) (%root) : (" ANY ") -> " ANY "\n");
  merge_copies(state, text);
  const tune_schedule_sequence *whole =
      state->extraction->task_count == 1 ? state->entries[0].whole : NULL;
  if (whole)
    append_call(whole, "%module", ANY, text);
  else
    TUNE_RETURN_IF_ERROR(call_for_tasks(state, text));
  tune_string_builder_append(text, "    transform.yield\n  }\n");
  return TUNE_OK;
}

static tune_status write_parts(const combiner *state, tune_string_builder *text) {
  tune_string_builder_append(text, "module attributes {transform.with_named_sequence} {\n");
  for (size_t i = 0; i < state->parts.count; ++i)
    if (is_called(state, state->parts.items[i]))
      TUNE_RETURN_IF_ERROR(declare(state->parts.items[i], text));
  TUNE_RETURN_IF_ERROR(tune_outline_script(state->extraction, text));
  TUNE_RETURN_IF_ERROR(write_main(state, text));
  tune_string_builder_append(text, "}\n");
  return TUNE_OK;
}

static tune_status write_script(const combiner *state, char **out_text) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_status status = write_parts(state, &text);
  if (tune_status_is_ok(status))
    status = tune_string_builder_finish(&text, out_text);
  tune_string_builder_deinit(&text);
  return status;
}

// Puts the parts into the script, where they are declared or at its beginning.
static void place_parts(combiner *state, MlirOperation script) {
  for (size_t i = 0; i < state->parts.count; ++i) {
    tune_schedule_sequence *placed = state->parts.items[i];
    MlirOperation declaration = tune_ir_find_symbol(script, tune_ir_string(placed->name));
    bool is_declared = !mlirOperationIsNull(declaration);
    MlirOperation before = is_declared ? declaration : first_op(script);
    mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(before), before, placed->op);
    if (is_declared)
      mlirOperationDestroy(declaration);
    placed->op = (MlirOperation){NULL};
  }
}

static tune_status add_schedule(combiner *state, size_t task) {
  tune_schedule_entries *entries = &state->entries[task];
  TUNE_RETURN_IF_ERROR(
      tune_schedule_merge_add(&state->parts, state->schedules[task], task, entries));
  if (!entries->whole || state->extraction->task_count == 1)
    return TUNE_OK;
  return tune_status_make_at(
      TUNE_FAILED_PRECONDITION, state->schedules[task],
      "this schedule bufferizes the whole module in @" TUNE_SEQUENCE_MAIN
      ", and so cannot be combined with those of the module's other tasks; write what comes "
      "before bufferization as @" TUNE_SEQUENCE_TENSORS
      " and what comes after as @" TUNE_SEQUENCE_BUFFERS ", which take the function");
}

static tune_status combine(combiner *state, MlirOperation *out_script) {
  size_t count = state->extraction->task_count;
  state->entries = calloc(count + 1, sizeof *state->entries);
  if (!state->entries)
    return tune_status_out_of_memory("combining schedules");
  for (size_t i = 0; i < count; ++i)
    TUNE_RETURN_IF_ERROR(add_schedule(state, i));
  char *text;
  TUNE_RETURN_IF_ERROR(write_script(state, &text));
  tune_status status = tune_ir_parse(state->context, text, "script.mlir", out_script);
  free(text);
  TUNE_RETURN_IF_ERROR(tune_status_annotate(status, "combining schedules"));
  place_parts(state, *out_script);
  return TUNE_OK;
}

tune_status tune_module_schedule_create(const tune_extraction *extraction,
                                        const MlirOperation *schedules, MlirOperation *out_script) {
  *out_script = (MlirOperation){NULL};
  combiner state = {.extraction = extraction,
                    .context = mlirModuleGetContext(extraction->normalized),
                    .schedules = schedules};
  tune_status status = combine(&state, out_script);
  tune_schedule_merge_deinit(&state.parts);
  free(state.entries);
  return status;
}

// Takes bufferization and what comes after it out of `script`, so that it leaves what the schedules
// do on tensors. False where there is no such place in it: there is a user's schedule that
// bufferizes.
static bool cut_at_bufferization(MlirOperation script) {
  MlirOperation entry = tune_ir_find_symbol(script, tune_ir_string(TUNE_SEQUENCE_MAIN));
  MlirOperation op = first_op(entry);
  while (!mlirOperationIsNull(op) && !tune_ir_is(op, "transform.bufferization.one_shot_bufferize"))
    op = mlirOperationGetNextInBlock(op);
  if (mlirOperationIsNull(op))
    return false;
  // From the last one on, so that nothing is used any more when it goes.
  MlirOperation end = mlirBlockGetTerminator(mlirOperationGetBlock(op));
  for (bool is_last = false; !is_last;) {
    MlirOperation last = op;
    for (MlirOperation next = op; !mlirOperationEqual(next, end);
         next = mlirOperationGetNextInBlock(next))
      last = next;
    is_last = mlirOperationEqual(last, op);
    mlirOperationDestroy(last);
  }
  return true;
}

// What the schedules do on tensors, shown on copies. What fails of that alone is no failure of the
// module: nobody would see it without being shown.
static void show_tensors(MlirOperation module, MlirOperation script, const tune_stages *stages) {
  MlirOperation cut = mlirOperationClone(script);
  if (!cut_at_bufferization(cut)) {
    mlirOperationDestroy(cut);
    return;
  }
  MlirOperation copy = mlirOperationClone(module);
  tune_status status = tune_schedule_apply_part(copy, cut);
  if (tune_status_is_ok(status))
    tune_stages_reach(stages, "tensors", copy);
  else
    tune_remark_emit(tune_location_get(module), "the stage \"tensors\" is not shown: %s",
                     tune_status_get_message(status));
  tune_status_free(status);
  mlirOperationDestroy(copy);
  mlirOperationDestroy(cut);
}

tune_status tune_module_schedule_apply(MlirOperation module, MlirOperation script,
                                       const tune_stages *stages) {
  if (stages->reach)
    show_tensors(module, script, stages);
  TUNE_RETURN_IF_ERROR(tune_schedule_apply(module, script));
  tune_stages_reach(stages, "schedule", module);
  return TUNE_OK;
}
