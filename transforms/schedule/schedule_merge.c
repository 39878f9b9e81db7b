//===- schedule_merge.c -------------------------------------------------------===//

#include "transforms/schedule/schedule_merge.h"

#include "transforms/ir/ir.h"

#include <stdio.h>
#include <stdlib.h>

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
  bool found;  // some reference
  bool failed; // out of memory
} renaming;

static const char *find_new_name(const renaming *names, MlirStringRef from) {
  for (size_t i = 0; i < names->count; ++i)
    if (mlirStringRefEqual(names->items[i].from, from))
      return names->items[i].to;
  return NULL;
}

static tune_status add_name(renaming *names, MlirStringRef from, const char *to) {
  new_name *items = realloc(names->items, (names->count + 1) * sizeof *items);
  char *copy = strdup(to);
  if (items)
    names->items = items;
  if (!items || !copy) {
    free(copy);
    return tune_status_out_of_memory("combining schedules");
  }
  items[names->count++] = (new_name){from, copy};
  return TUNE_OK;
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
  names->failed |= !elements;
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

static void part_destroy(tune_schedule_sequence *part) {
  if (!mlirOperationIsNull(part->op))
    mlirOperationDestroy(part->op);
  free(part->base);
  free(part->name);
  free(part->text);
  free(part);
}

void tune_schedule_merge_deinit(tune_schedule_sequences *parts) {
  for (size_t i = 0; i < parts->count; ++i)
    part_destroy(parts->items[i]);
  free(parts->items);
  *parts = (tune_schedule_sequences){0};
}

static tune_status make_part(MlirOperation sequence, const char *base, const char *name,
                             renaming *names, tune_schedule_sequence *part) {
  part->base = strdup(base);
  part->name = strdup(name);
  part->op = mlirOperationClone(sequence);
  mlirOperationWalk(part->op, rename_in_op, names, MlirWalkPreOrder);
  if (!part->base || !part->name || names->failed)
    return tune_status_out_of_memory("combining schedules");
  TUNE_RETURN_IF_ERROR(tune_ir_print(part->op, false, &part->text));
  MlirContext context = mlirOperationGetContext(sequence);
  mlirOperationSetAttributeByName(part->op, tune_ir_string("sym_name"),
                                  mlirStringAttrGet(context, tune_ir_string(name)));
  return TUNE_OK;
}

// The part equal to `part` but for its name, or NULL.
static tune_schedule_sequence *find_equal(const tune_schedule_sequences *parts,
                                          const tune_schedule_sequence *part) {
  for (size_t i = 0; i < parts->count; ++i)
    if (strcmp(parts->items[i]->base, part->base) == 0 &&
        strcmp(parts->items[i]->text, part->text) == 0)
      return parts->items[i];
  return NULL;
}

// Adds a copy of `sequence`, which is to be called `name`; where `may_be_shared`, an equal one that
// is there already stands for it.
static tune_status add_part(tune_schedule_sequences *parts, MlirOperation sequence,
                            const char *base, const char *name, renaming *names, bool may_be_shared,
                            const tune_schedule_sequence **out_part) {
  tune_schedule_sequence *part = calloc(1, sizeof *part);
  if (!part)
    return tune_status_out_of_memory("combining schedules");
  tune_status status = make_part(sequence, base, name, names, part);
  tune_schedule_sequence *equal =
      tune_status_is_ok(status) && may_be_shared ? find_equal(parts, part) : NULL;
  tune_schedule_sequence **items = NULL;
  if (tune_status_is_ok(status) && !equal) {
    items = realloc(parts->items, (parts->count + 1) * sizeof(*items));
    status = items ? TUNE_OK : tune_status_out_of_memory("combining schedules");
  }
  if (!tune_status_is_ok(status) || equal) {
    part_destroy(part);
    *out_part = equal;
    return status;
  }
  parts->items = items;
  items[parts->count++] = part;
  *out_part = part;
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// The sequences of one schedule
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

// What `sequence` is called where no schedule before has an equal one. The main sequence is here if
// it stands for @tune_tensors.
static tune_status make_name(MlirOperation sequence, size_t number, char **out_base,
                             char **out_name) {
  MlirStringRef name = tune_ir_string_attribute(sequence, "sym_name");
  *out_base = is_named(sequence, TUNE_SEQUENCE_MAIN) ? strdup(TUNE_SEQUENCE_TENSORS)
                                                     : strndup(name.data, name.length);
  if (*out_base && asprintf(out_name, "%s_%zu", *out_base, number) >= 0)
    return TUNE_OK;
  free(*out_base);
  return tune_status_out_of_memory("combining schedules");
}

typedef enum round {
  ADD_LEAVES,  // what refers to nothing, and so may be shared
  NAME_OTHERS, // the rest gets names, since it may refer to each other
  ADD_OTHERS,  // of which what nothing refers to may be shared
} round;

static tune_status add_sequence(tune_schedule_sequences *parts, MlirOperation sequence,
                                size_t number, round step, renaming *names,
                                tune_schedule_entries *entries) {
  char *base, *name;
  TUNE_RETURN_IF_ERROR(make_name(sequence, number, &base, &name));
  MlirStringRef old_name = tune_ir_string_attribute(sequence, "sym_name");
  const tune_schedule_sequence *part = NULL;
  tune_status status = TUNE_OK;
  if (step == NAME_OTHERS)
    status = add_name(names, old_name, name);
  else
    status = add_part(parts, sequence, base, name, names, step == ADD_LEAVES || is_entry(sequence),
                      &part);
  if (tune_status_is_ok(status) && step == ADD_LEAVES)
    status = add_name(names, old_name, part->name);
  free(base);
  free(name);
  if (!tune_status_is_ok(status) || !part || !is_entry(sequence))
    return status;
  if (is_named(sequence, TUNE_SEQUENCE_BUFFERS))
    entries->buffers = part;
  else if (is_named(sequence, TUNE_SEQUENCE_MAIN) && bufferizes(sequence))
    entries->whole = part;
  else
    entries->tensors = part;
  return TUNE_OK;
}

static tune_status add_sequences(tune_schedule_sequences *parts, MlirOperation schedule,
                                 size_t number, renaming *names, tune_schedule_entries *entries) {
  bool is_staged =
      !mlirOperationIsNull(tune_ir_find_symbol(schedule, tune_ir_string(TUNE_SEQUENCE_TENSORS)));
  MlirBlock body = tune_ir_body(schedule);
  for (round step = ADD_LEAVES; step <= ADD_OTHERS; ++step)
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
      if (!tune_ir_is(op, "transform.named_sequence") ||
          (is_staged && is_named(op, TUNE_SEQUENCE_MAIN)) ||
          has_references(op) == (step == ADD_LEAVES))
        continue;
      TUNE_RETURN_IF_ERROR(add_sequence(parts, op, number, step, names, entries));
    }
  return TUNE_OK;
}

tune_status tune_schedule_merge_add(tune_schedule_sequences *parts, MlirOperation schedule,
                                    size_t number, tune_schedule_entries *out_entries) {
  *out_entries = (tune_schedule_entries){0};
  renaming names = {0};
  tune_status status = add_sequences(parts, schedule, number, &names, out_entries);
  for (size_t i = 0; i < names.count; ++i)
    free(names.items[i].to);
  free(names.items);
  return status;
}
