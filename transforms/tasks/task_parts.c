//===- task_parts.c -----------------------------------------------------------===//

#include "transforms/tasks/task_parts.h"

#include "transforms/ir/ir.h"
#include "transforms/tasks/fusion_groups.h"

#include <stdlib.h>

void *tune_task_parts_reserve(tune_status *status, void *array, size_t count, size_t *capacity,
                              size_t size) {
  if (count < *capacity || !tune_status_is_ok(*status))
    return array;
  size_t grown = *capacity ? 2 * *capacity : 16;
  void *larger = realloc(array, grown * size);
  if (!larger) {
    *status = tune_status_out_of_memory("copying a task");
    return array;
  }
  *capacity = grown;
  return larger;
}

static void note(tune_task_parts *state, tune_op_map *map, const void *key, size_t index) {
  if (tune_status_is_ok(state->status))
    state->status = tune_op_map_set(map, key, index);
}

static bool is_empty(MlirValue value) {
  return mlirValueIsAOpResult(value) && tune_ir_is(mlirOpResultGetOwner(value), "tensor.empty");
}

static bool is_inside(const tune_task_parts *state, MlirOperation op) {
  return state->body->contains(op, state->body->user_data) || tune_fusion_is_small_constant(op);
}

static void add_input(tune_task_parts *state, MlirValue value) {
  state->inputs = tune_task_parts_reserve(&state->status, state->inputs, state->input_count,
                                          &state->input_capacity, sizeof *state->inputs);
  note(state, &state->inputs_seen, value.ptr, state->input_count);
  if (tune_status_is_ok(state->status))
    state->inputs[state->input_count++] = value;
}

static void visit_op(tune_task_parts *state, MlirOperation op);

static void visit_value(tune_task_parts *state, MlirValue value) {
  if (tune_op_map_get(&state->inputs_seen, value.ptr) != TUNE_OP_MAP_NONE || is_empty(value))
    return;
  if (mlirValueIsAOpResult(value) && is_inside(state, mlirOpResultGetOwner(value)))
    visit_op(state, mlirOpResultGetOwner(value));
  else
    add_input(state, value);
}

// Whether the block that defines `value` is within a region of `op`.
static bool is_defined_within(MlirOperation op, MlirValue value) {
  MlirBlock block = mlirValueIsABlockArgument(value)
                        ? mlirBlockArgumentGetOwner(value)
                        : mlirOperationGetBlock(mlirOpResultGetOwner(value));
  MlirOperation parent = mlirBlockGetParentOperation(block);
  while (!mlirOperationIsNull(parent) && !mlirOperationEqual(parent, op))
    parent = mlirOperationGetParentOperation(parent);
  return !mlirOperationIsNull(parent);
}

typedef struct visit {
  tune_task_parts *state;
  MlirOperation op;
} visit;

static MlirWalkResult visit_nested(MlirOperation nested, void *user_data) {
  visit *at = user_data;
  if (mlirOperationEqual(nested, at->op))
    return MlirWalkResultAdvance;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(nested); ++i) {
    MlirValue value = mlirOperationGetOperand(nested, i);
    if (is_defined_within(at->op, value))
      continue;
    if (mlirValueIsAOpResult(value) && tune_fusion_is_small_constant(mlirOpResultGetOwner(value)))
      visit_value(at->state, value);
    else if (tune_op_map_get(&at->state->inputs_seen, value.ptr) == TUNE_OP_MAP_NONE)
      add_input(at->state, value); // read by a body: the table of a gather
  }
  return MlirWalkResultAdvance;
}

// The size of dimension `position` of `value`, if an argument tells it.
static tune_task_size find_size(const tune_task_parts *state, MlirValue value, size_t position) {
  if (tune_op_map_get(&state->inputs_seen, value.ptr) != TUNE_OP_MAP_NONE)
    return (tune_task_size){value, position};
  tune_task_size unknown = {.position = 0};
  if (!mlirValueIsAOpResult(value))
    return unknown;
  size_t index = tune_op_map_get(&state->ops_seen, mlirOpResultGetOwner(value).ptr);
  if (index == TUNE_OP_MAP_NONE)
    return unknown;
  const tune_task_op *producer = &state->ops[index];
  size_t output = producer->facts.input_count + (size_t)mlirOpResultGetResultNumber(value);
  if (position >= tune_op_facts_rank(&producer->facts, output))
    return unknown;
  uint8_t loop = tune_op_facts_loop(&producer->facts, output, position);
  return loop == TUNE_OP_NO_LOOP ? unknown : producer->sizes[loop];
}

static bool has_loops(const tune_op_facts *facts) {
  return facts->op_class != TUNE_OP_FOREIGN && facts->op_class != TUNE_OP_UNTUNABLE;
}

static void find_sizes(const tune_task_parts *state, tune_task_op *op) {
  if (!has_loops(&op->facts))
    return;
  if (op->facts.op_class == TUNE_OP_PAD) {
    MlirAttribute low = tune_ir_attribute(op->op, "static_low");
    MlirAttribute high = tune_ir_attribute(op->op, "static_high");
    for (size_t loop = 0; loop < op->facts.loop_count; ++loop)
      if (mlirDenseI64ArrayGetElement(low, (intptr_t)loop) == 0 &&
          mlirDenseI64ArrayGetElement(high, (intptr_t)loop) == 0)
        op->sizes[loop] = find_size(state, mlirOperationGetOperand(op->op, 0), loop);
    return;
  }
  for (size_t i = 0; i < op->facts.input_count + op->facts.result_count; ++i) {
    MlirValue value = mlirOperationGetOperand(op->op, (intptr_t)i);
    for (size_t position = 0; position < tune_op_facts_rank(&op->facts, i); ++position) {
      uint8_t loop = tune_op_facts_loop(&op->facts, i, position);
      if (loop != TUNE_OP_NO_LOOP && op->facts.sizes[loop] < 0 && !op->sizes[loop].value.ptr)
        op->sizes[loop] = find_size(state, value, position);
    }
  }
}

static void visit_op(tune_task_parts *state, MlirOperation op) {
  if (!tune_status_is_ok(state->status) ||
      tune_op_map_get(&state->ops_seen, op.ptr) != TUNE_OP_MAP_NONE)
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    visit_value(state, mlirOperationGetOperand(op, i));
  if (mlirOperationGetNumRegions(op)) {
    visit at = {state, op};
    mlirOperationWalk(op, visit_nested, &at, MlirWalkPreOrder);
  }
  state->ops = tune_task_parts_reserve(&state->status, state->ops, state->op_count,
                                       &state->op_capacity, sizeof *state->ops);
  note(state, &state->ops_seen, op.ptr, state->op_count);
  if (!tune_status_is_ok(state->status))
    return;
  tune_task_op *added = &state->ops[state->op_count++];
  *added = (tune_task_op){.op = op};
  tune_op_facts_get(op, &state->words, &added->facts);
  find_sizes(state, added);
}

// The outs operand that becomes result `number` of `op`, or a null value.
static MlirValue find_destination(MlirOperation op, intptr_t number) {
  if (!tune_ir_string_starts(tune_ir_name(op), "linalg."))
    return (MlirValue){.ptr = NULL};
  intptr_t first = mlirOperationGetNumOperands(op) - mlirOperationGetNumResults(op);
  return mlirOperationGetOperand(op, first + number);
}

// Follows each result through outs operands to what is written at last, and makes that a
// destination unless it is a constant.
static void find_destinations(tune_task_parts *state) {
  for (size_t i = 0; i < state->body->result_count; ++i) {
    MlirValue value = state->body->results[i];
    while (mlirValueIsAOpResult(value) && is_inside(state, mlirOpResultGetOwner(value))) {
      value = find_destination(mlirOpResultGetOwner(value), mlirOpResultGetResultNumber(value));
      if (!value.ptr)
        break;
    }
    if (!value.ptr || tune_op_map_get(&state->inputs_seen, value.ptr) != TUNE_OP_MAP_NONE)
      continue;
    note(state, &state->inputs_seen, value.ptr, state->destination_count);
    state->destinations[state->destination_count++] = value;
  }
}

// Lets fills and broadcasts know their sizes from those who read them.
static void hand_sizes_down(tune_task_parts *state) {
  for (size_t i = state->op_count; i-- > 0;) {
    const tune_task_op *user = &state->ops[i];
    if (!has_loops(&user->facts) || user->facts.op_class == TUNE_OP_PAD)
      continue;
    for (size_t k = 0; k < user->facts.input_count + user->facts.result_count; ++k) {
      MlirValue value = mlirOperationGetOperand(user->op, (intptr_t)k);
      size_t index = mlirValueIsAOpResult(value)
                         ? tune_op_map_get(&state->ops_seen, mlirOpResultGetOwner(value).ptr)
                         : TUNE_OP_MAP_NONE;
      if (index == TUNE_OP_MAP_NONE || !has_loops(&state->ops[index].facts) ||
          tune_op_map_get(&state->inputs_seen, value.ptr) != TUNE_OP_MAP_NONE)
        continue;
      tune_task_op *producer = &state->ops[index];
      size_t output = producer->facts.input_count + (size_t)mlirOpResultGetResultNumber(value);
      for (size_t position = 0; position < tune_op_facts_rank(&user->facts, k); ++position) {
        uint8_t theirs = tune_op_facts_loop(&producer->facts, output, position);
        uint8_t ours = tune_op_facts_loop(&user->facts, k, position);
        if (theirs != TUNE_OP_NO_LOOP && ours != TUNE_OP_NO_LOOP &&
            !producer->sizes[theirs].value.ptr)
          producer->sizes[theirs] = user->sizes[ours];
      }
    }
  }
}

tune_task_size tune_task_parts_empty_size(const tune_task_op *op, size_t operand, size_t position) {
  tune_task_size unknown = {.position = 0};
  if (!has_loops(&op->facts))
    return unknown;
  uint8_t loop = tune_op_facts_loop(&op->facts, operand, position);
  return loop == TUNE_OP_NO_LOOP ? unknown : op->sizes[loop];
}

// Makes arguments of the sizes of inner tensor.empty ops that no argument tells.
static void add_untold_sizes(tune_task_parts *state) {
  for (size_t i = 0; i < state->op_count; ++i) {
    const tune_task_op *op = &state->ops[i];
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(op->op); ++k) {
      MlirValue value = mlirOperationGetOperand(op->op, k);
      if (!is_empty(value) || tune_op_map_get(&state->inputs_seen, value.ptr) != TUNE_OP_MAP_NONE)
        continue;
      MlirOperation empty = mlirOpResultGetOwner(value);
      MlirType type = mlirValueGetType(value);
      for (intptr_t d = 0, dynamic = 0; d < mlirShapedTypeGetRank(type); ++d)
        if (mlirShapedTypeIsDynamicDim(type, d)) {
          MlirValue size = mlirOperationGetOperand(empty, dynamic);
          if (!tune_task_parts_empty_size(op, (size_t)k, (size_t)d).value.ptr &&
              tune_op_map_get(&state->inputs_seen, size.ptr) == TUNE_OP_MAP_NONE)
            add_input(state, size);
          ++dynamic;
        }
    }
  }
}

static void collect(tune_task_parts *state) {
  const tune_task_body *body = state->body;
  for (size_t i = 0; i < body->result_count; ++i)
    if (!mlirValueIsAOpResult(body->results[i]) ||
        !is_inside(state, mlirOpResultGetOwner(body->results[i]))) {
      state->status =
          tune_status_make(TUNE_INVALID_ARGUMENT, "result %zu of a task is not computed in it", i);
      return;
    }
  find_destinations(state);
  for (size_t i = 0; i < body->result_count; ++i)
    visit_op(state, mlirOpResultGetOwner(body->results[i]));
  if (!tune_status_is_ok(state->status))
    return;
  hand_sizes_down(state);
  add_untold_sizes(state);
  for (size_t i = 0; i < state->destination_count; ++i)
    add_input(state, state->destinations[i]);
}

tune_status tune_task_parts_collect(const tune_task_body *body, tune_task_parts *out_parts) {
  MlirContext context = mlirValueGetContext(body->results[0]);
  *out_parts = (tune_task_parts){.body = body, .words = tune_op_words_get(context)};
  tune_op_map_init(&out_parts->ops_seen);
  tune_op_map_init(&out_parts->inputs_seen);
  out_parts->destinations = calloc(body->result_count, sizeof *out_parts->destinations);
  if (!out_parts->destinations)
    return tune_status_out_of_memory("copying a task");
  collect(out_parts);
  return out_parts->status;
}

void tune_task_parts_deinit(tune_task_parts *parts) {
  free(parts->ops);
  free(parts->inputs);
  free(parts->destinations);
  tune_op_map_deinit(&parts->ops_seen);
  tune_op_map_deinit(&parts->inputs_seen);
  *parts = (tune_task_parts){.op_count = 0};
}
