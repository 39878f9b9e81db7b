//===- module_schedule.c ------------------------------------------------------===//
//
// The script is written as text, with declarations in place of the tasks' sequences, and
// parsed. Copies of the sequences, under names of their own, then take the places of the
// declarations. Sequences that are equal (nearly all tasks are prepared alike) are kept once.
//
//===----------------------------------------------------------------------===//

#include "transforms/module_schedule.h"

#include "dialects/diagnostic.h"
#include "transforms/ir.h"
#include "transforms/outline.h"

#include <stdio.h>
#include <stdlib.h>

#define ANY "!transform.any_op"

// A sequence in the script.
typedef struct part {
  char *base;       // its name in the schedule
  char *name;       // and here
  char *text;       // as printed under its old name, its references renamed
  MlirOperation op; // a copy; null once it is placed
} part;

// How a task takes part.
typedef struct share {
  const part *tensors, *buffers; // or NULL
  const part *whole;             // takes the module, and bufferizes by itself
} share;

typedef struct combiner {
  const tune_extraction *extraction;
  MlirContext context;
  const MlirOperation *schedules;
  part **parts;
  size_t part_count;
  share *shares; // by task
} combiner;

static tune_status out_of_memory(void) {
  return tune_status_make(TUNE_OUT_OF_MEMORY, "combining schedules");
}

//===--------------------------------------------------------------------------===//
// References between sequences
//===--------------------------------------------------------------------------===//

typedef struct new_name {
  MlirStringRef from;
  char *to; // owned
} new_name;

// New names of the sequences of the schedule at hand.
typedef struct renaming {
  new_name *items;
  size_t count;
  bool found; // some reference
} renaming;

static const char *find_new_name(const renaming *names, MlirStringRef from) {
  for (size_t i = 0; i < names->count; ++i)
    if (mlirStringRefEqual(names->items[i].from, from))
      return names->items[i].to;
  return NULL;
}

// `attribute` with its references renamed, also within arrays; the same where there are none.
static MlirAttribute rename_in(MlirContext context, renaming *names, MlirAttribute attribute) {
  if (mlirAttributeIsAFlatSymbolRef(attribute)) {
    names->found = true;
    const char *name = find_new_name(names, mlirFlatSymbolRefAttrGetValue(attribute));
    return name ? mlirFlatSymbolRefAttrGet(context, tune_ir_string(name)) : attribute;
  }
  if (!mlirAttributeIsAArray(attribute))
    return attribute;
  intptr_t count = mlirArrayAttrGetNumElements(attribute);
  MlirAttribute *elements = calloc((size_t)count + 1, sizeof *elements);
  bool changed = false;
  for (intptr_t i = 0; elements && i < count; ++i) {
    MlirAttribute element = mlirArrayAttrGetElement(attribute, i);
    elements[i] = rename_in(context, names, element);
    changed |= !mlirAttributeEqual(elements[i], element);
  }
  MlirAttribute renamed = changed ? mlirArrayAttrGet(context, count, elements) : attribute;
  free(elements);
  return renamed;
}

static MlirWalkResult rename_in_op(MlirOperation op, void *user_data) {
  renaming *names = user_data;
  MlirContext context = mlirOperationGetContext(op);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute named = mlirOperationGetAttribute(op, i);
    MlirAttribute renamed = rename_in(context, names, named.attribute);
    if (!mlirAttributeEqual(renamed, named.attribute))
      mlirOperationSetAttributeByName(op, mlirIdentifierStr(named.name), renamed);
  }
  return MlirWalkResultAdvance;
}

static bool has_references(MlirOperation sequence) {
  renaming none = {0};
  mlirOperationWalk(sequence, rename_in_op, &none, MlirWalkPreOrder);
  return none.found;
}

//===--------------------------------------------------------------------------===//
// Parts
//===--------------------------------------------------------------------------===//

static void part_destroy(part *owned) {
  if (!mlirOperationIsNull(owned->op))
    mlirOperationDestroy(owned->op);
  free(owned->base);
  free(owned->name);
  free(owned->text);
  free(owned);
}

// The part equal to `added` but for its name, or NULL.
static part *find_part(const combiner *state, const part *added) {
  for (size_t i = 0; i < state->part_count; ++i)
    if (strcmp(state->parts[i]->base, added->base) == 0 &&
        strcmp(state->parts[i]->text, added->text) == 0)
      return state->parts[i];
  return NULL;
}

static tune_status keep_part(combiner *state, part *added, const part **out_part) {
  *out_part = find_part(state, added);
  if (*out_part) {
    part_destroy(added);
    return TUNE_OK;
  }
  part **parts = realloc(state->parts, (state->part_count + 1) * sizeof(*parts));
  if (!parts) {
    part_destroy(added);
    return out_of_memory();
  }
  state->parts = parts;
  parts[state->part_count++] = added;
  *out_part = added;
  return TUNE_OK;
}

// Adds a copy of `sequence`, which is to be called `name`, or finds one that is equal.
static tune_status add_part(combiner *state, MlirOperation sequence, const char *base,
                            const char *name, renaming *names, const part **out_part) {
  part *added = calloc(1, sizeof *added);
  if (!added)
    return out_of_memory();
  added->base = strdup(base);
  added->name = strdup(name);
  added->op = mlirOperationClone(sequence);
  mlirOperationWalk(added->op, rename_in_op, names, MlirWalkPreOrder);
  tune_status status = tune_ir_print(added->op, false, &added->text);
  if (tune_status_is_ok(status) && (!added->base || !added->name))
    status = out_of_memory();
  if (!tune_status_is_ok(status)) {
    part_destroy(added);
    return status;
  }
  mlirOperationSetAttributeByName(added->op, tune_ir_string("sym_name"),
                                  mlirStringAttrGet(state->context, tune_ir_string(name)));
  return keep_part(state, added, out_part);
}

//===--------------------------------------------------------------------------===//
// The schedule of one task
//===--------------------------------------------------------------------------===//

static MlirWalkResult find_bufferization(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found = tune_ir_is(op, "transform.bufferization.one_shot_bufferize");
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool bufferizes(MlirOperation sequence) {
  bool found = false;
  mlirOperationWalk(sequence, find_bufferization, &found, MlirWalkPreOrder);
  return found;
}

static bool is_named(MlirOperation sequence, const char *name) {
  return tune_ir_string_equal(tune_ir_string_attribute(sequence, "sym_name"), name);
}

// Whether a task begins with the sequence: nothing else in its schedule refers to it.
static bool is_entry(MlirOperation sequence) {
  return is_named(sequence, TUNE_SEQUENCE_TENSORS) || is_named(sequence, TUNE_SEQUENCE_BUFFERS) ||
         is_named(sequence, TUNE_SEQUENCE_MAIN);
}

static MlirOperation first_op(MlirOperation module) {
  return mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0)));
}

static tune_status add_name(renaming *names, MlirStringRef from, const char *to) {
  new_name *items = realloc(names->items, (names->count + 1) * sizeof *items);
  char *copy = strdup(to);
  if (items)
    names->items = items;
  if (!items || !copy) {
    free(copy);
    return out_of_memory();
  }
  items[names->count++] = (new_name){from, copy};
  return TUNE_OK;
}

// What `sequence` of task `task` is called where no other task has an equal one. The main sequence
// is here if it stands for @tune_tensors.
static void make_name(MlirOperation sequence, size_t task, char **out_base, char **out_name) {
  MlirStringRef name = tune_ir_string_attribute(sequence, "sym_name");
  *out_base = is_named(sequence, TUNE_SEQUENCE_MAIN) ? strdup(TUNE_SEQUENCE_TENSORS)
                                                     : strndup(name.data, name.length);
  if (!*out_base || asprintf(out_name, "%s_%zu", *out_base, task) < 0)
    *out_name = NULL;
}

typedef enum round {
  ADD_LEAVES,  // what refers to nothing, and so may be shared
  NAME_OTHERS, // the rest gets names, since it may refer to each other
  ADD_OTHERS,
} round;

static tune_status add_sequence(combiner *state, MlirOperation sequence, size_t task, round step,
                                renaming *names) {
  char *base = NULL, *name = NULL;
  make_name(sequence, task, &base, &name);
  tune_status status = base && name ? TUNE_OK : out_of_memory();
  const part *added = NULL;
  MlirStringRef old_name = tune_ir_string_attribute(sequence, "sym_name");
  if (tune_status_is_ok(status) && step != NAME_OTHERS)
    status = add_part(state, sequence, base, name, names, &added);
  if (tune_status_is_ok(status) && step == ADD_LEAVES)
    status = add_name(names, old_name, added->name);
  else if (tune_status_is_ok(status) && step == NAME_OTHERS)
    status = add_name(names, old_name, name);
  share *taking = &state->shares[task];
  if (added && is_named(sequence, TUNE_SEQUENCE_BUFFERS))
    taking->buffers = added;
  else if (added && is_named(sequence, TUNE_SEQUENCE_MAIN) && bufferizes(sequence))
    taking->whole = added;
  else if (added && is_entry(sequence))
    taking->tensors = added;
  free(base);
  free(name);
  return status;
}

static tune_status add_sequences(combiner *state, size_t task, renaming *names) {
  MlirOperation schedule = state->schedules[task];
  bool is_staged =
      !mlirOperationIsNull(tune_ir_find_symbol(schedule, tune_ir_string(TUNE_SEQUENCE_TENSORS)));
  for (round step = ADD_LEAVES; step <= ADD_OTHERS; ++step)
    for (MlirOperation op = first_op(schedule); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
      if (!tune_ir_is(op, "transform.named_sequence") ||
          (is_staged && is_named(op, TUNE_SEQUENCE_MAIN)) ||
          has_references(op) == (step == ADD_LEAVES))
        continue;
      TUNE_RETURN_IF_ERROR(add_sequence(state, op, task, step, names));
    }
  if (state->shares[task].whole && state->extraction->task_count > 1)
    return tune_status_make_at(
        TUNE_FAILED_PRECONDITION, schedule,
        "this schedule bufferizes the whole module in @" TUNE_SEQUENCE_MAIN
        ", and so cannot be combined with those of the module's other tasks; write what comes "
        "before bufferization as @" TUNE_SEQUENCE_TENSORS
        " and what comes after as @" TUNE_SEQUENCE_BUFFERS ", which take the function");
  return TUNE_OK;
}

static tune_status add_schedule(combiner *state, size_t task) {
  renaming names = {0};
  tune_status status = add_sequences(state, task, &names);
  for (size_t i = 0; i < names.count; ++i)
    free(names.items[i].to);
  free(names.items);
  return status;
}

//===--------------------------------------------------------------------------===//
// The script
//===--------------------------------------------------------------------------===//

// A sequence that a task begins with, as its callers have to know it.
typedef struct entry_type {
  MlirType handle;
  bool is_consumed;
} entry_type;

static tune_status read_entry(const part *entry, entry_type *out_type) {
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

static tune_status declare(const part *entry, tune_string_builder *text) {
  entry_type type;
  TUNE_RETURN_IF_ERROR(read_entry(entry, &type));
  tune_string_builder_appendf(text, "  transform.named_sequence private @%s(", entry->name);
  mlirTypePrint(type.handle, tune_ir_append, text);
  tune_string_builder_appendf(text, " {transform.%s})\n",
                              type.is_consumed ? "consumed" : "readonly");
  return TUNE_OK;
}

static bool is_called(const combiner *state, const part *asked) {
  for (size_t i = 0; i < state->extraction->task_count; ++i)
    if (state->shares[i].tensors == asked || state->shares[i].buffers == asked ||
        state->shares[i].whole == asked)
      return true;
  return false;
}

static void append_call(const part *called, const char *handle, const char *type,
                        tune_string_builder *text) {
  tune_string_builder_appendf(text, "transform.include @%s failures(propagate) (%s) : (%s) -> ()\n",
                              called->name, handle, type);
}

// Has `called` done to each function of task `task`.
static tune_status call_for_task(const combiner *state, const part *called, size_t task,
                                 const char *module, tune_string_builder *text) {
  if (!called)
    return TUNE_OK;
  entry_type entry;
  TUNE_RETURN_IF_ERROR(read_entry(called, &entry));
  tune_string_builder type;
  tune_string_builder_init(&type);
  mlirTypePrint(entry.handle, tune_ir_append, &type);
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

static tune_status call_for_tasks(const combiner *state, tune_string_builder *text) {
  for (size_t i = 0; i < state->extraction->task_count; ++i)
    TUNE_RETURN_IF_ERROR(call_for_task(state, state->shares[i].tensors, i, "%module", text));
  tune_string_builder_append(
      text, "    %buffers = transform.bufferization.one_shot_bufferize "
            "layout{IdentityLayoutMap} %module\n"
            "      {bufferize_function_boundaries = true, memcpy_op = \"linalg.copy\"}\n"
            "      : (" ANY ") -> " ANY "\n");
  for (size_t i = 0; i < state->extraction->task_count; ++i)
    TUNE_RETURN_IF_ERROR(call_for_task(state, state->shares[i].buffers, i, "%buffers", text));
  return TUNE_OK;
}

static tune_status write_main(const combiner *state, tune_string_builder *text) {
  tune_string_builder_append(text, "  transform.named_sequence @" TUNE_SEQUENCE_MAIN "(%root: " ANY
                                   " {transform.consumed}) {\n"
                                   "    %module = transform.include @" TUNE_OUTLINE_SEQUENCE
                                   " failures(propagate) (%root) : (" ANY ") -> " ANY "\n");
  const part *whole = state->extraction->task_count == 1 ? state->shares[0].whole : NULL;
  if (whole)
    append_call(whole, "%module", ANY, text);
  else
    TUNE_RETURN_IF_ERROR(call_for_tasks(state, text));
  tune_string_builder_append(text, "    transform.yield\n  }\n");
  return TUNE_OK;
}

static tune_status write_parts(const combiner *state, tune_string_builder *text) {
  tune_string_builder_append(text, "module attributes {transform.with_named_sequence} {\n");
  for (size_t i = 0; i < state->part_count; ++i)
    if (is_called(state, state->parts[i]))
      TUNE_RETURN_IF_ERROR(declare(state->parts[i], text));
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
  for (size_t i = 0; i < state->part_count; ++i) {
    part *placed = state->parts[i];
    MlirOperation declaration = tune_ir_find_symbol(script, tune_ir_string(placed->name));
    bool is_declared = !mlirOperationIsNull(declaration);
    MlirOperation before = is_declared ? declaration : first_op(script);
    mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(before), before, placed->op);
    if (is_declared)
      mlirOperationDestroy(declaration);
    placed->op = (MlirOperation){NULL};
  }
}

static tune_status combine(combiner *state, MlirOperation *out_script) {
  size_t count = state->extraction->task_count;
  state->shares = calloc(count + 1, sizeof *state->shares);
  if (!state->shares)
    return out_of_memory();
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
  for (size_t i = 0; i < state.part_count; ++i)
    part_destroy(state.parts[i]);
  free(state.parts);
  free(state.shares);
  return status;
}
