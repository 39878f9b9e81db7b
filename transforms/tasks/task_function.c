//===- task_function.c --------------------------------------------------------===//

#include "transforms/tasks/task_function.h"

#include "dialects/constant.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/op_facts.h"
#include "transforms/ir/op_map.h"
#include "transforms/tasks/fusion_groups.h"

#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Dialect/Linalg.h"

#include <stdlib.h>
#include <string.h>

// A size known at run time: dimension `position` of an argument (by what it stands for).
typedef struct dim_source {
  MlirValue value; // null: unknown
  size_t position;
} dim_source;

typedef struct body_op {
  MlirOperation op;
  tune_op_facts facts;
  dim_source sizes[TUNE_OP_MAX_LOOPS]; // of its loops
} body_op;

typedef struct builder {
  const tune_task_body *body;
  MlirContext context;
  tune_op_words words;
  tune_status status; // the first failure; what follows does nothing

  body_op *ops; // in order
  size_t op_count, op_capacity;
  tune_op_map ops_seen; // to the index in ops

  MlirValue *inputs;
  size_t input_count, input_capacity;
  MlirValue *destinations; // one at most for a result
  size_t destination_count;
  tune_op_map inputs_seen; // values, destinations too

  MlirBlock block;
  MlirValue *copies; // of values
  size_t copy_count, copy_capacity;
  tune_op_map copy_of; // values to the index in copies
  dim_source *dims;    // sizes taken so far, with their values in dim_values
  MlirValue *dim_values;
  size_t dim_count, dim_capacity;
} builder;

// Makes room for one more element of `size` bytes in an array that doubles.
static void *reserve(builder *state, void *array, size_t count, size_t *capacity, size_t size) {
  if (count < *capacity || !tune_status_is_ok(state->status))
    return array;
  size_t grown = *capacity ? 2 * *capacity : 16;
  void *larger = realloc(array, grown * size);
  if (!larger) {
    state->status = tune_status_out_of_memory("copying a task");
    return array;
  }
  *capacity = grown;
  return larger;
}

static void note(builder *state, tune_op_map *map, const void *key, size_t index) {
  if (tune_status_is_ok(state->status))
    state->status = tune_op_map_set(map, key, index);
}

//===--- Collecting -----------------------------------------------------------===//

static bool is_empty(MlirValue value) {
  return mlirValueIsAOpResult(value) && tune_ir_is(mlirOpResultGetOwner(value), "tensor.empty");
}

static bool is_inside(const builder *state, MlirOperation op) {
  return state->body->contains(op, state->body->user_data) || tune_fusion_is_small_constant(op);
}

static void add_input(builder *state, MlirValue value) {
  state->inputs = reserve(state, state->inputs, state->input_count, &state->input_capacity,
                          sizeof *state->inputs);
  note(state, &state->inputs_seen, value.ptr, state->input_count);
  if (tune_status_is_ok(state->status))
    state->inputs[state->input_count++] = value;
}

static void visit_op(builder *state, MlirOperation op);

static void visit_value(builder *state, MlirValue value) {
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
  builder *state;
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
static dim_source find_size(const builder *state, MlirValue value, size_t position) {
  if (tune_op_map_get(&state->inputs_seen, value.ptr) != TUNE_OP_MAP_NONE)
    return (dim_source){value, position};
  dim_source unknown = {.position = 0};
  if (!mlirValueIsAOpResult(value))
    return unknown;
  size_t index = tune_op_map_get(&state->ops_seen, mlirOpResultGetOwner(value).ptr);
  if (index == TUNE_OP_MAP_NONE)
    return unknown;
  const body_op *producer = &state->ops[index];
  size_t output = producer->facts.input_count + (size_t)mlirOpResultGetResultNumber(value);
  if (position >= tune_op_facts_rank(&producer->facts, output))
    return unknown;
  uint8_t loop = tune_op_facts_loop(&producer->facts, output, position);
  return loop == TUNE_OP_NO_LOOP ? unknown : producer->sizes[loop];
}

static bool has_loops(const tune_op_facts *facts) {
  return facts->op_class != TUNE_OP_FOREIGN && facts->op_class != TUNE_OP_UNTUNABLE;
}

static void find_sizes(const builder *state, body_op *op) {
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

static void visit_op(builder *state, MlirOperation op) {
  if (!tune_status_is_ok(state->status) ||
      tune_op_map_get(&state->ops_seen, op.ptr) != TUNE_OP_MAP_NONE)
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    visit_value(state, mlirOperationGetOperand(op, i));
  if (mlirOperationGetNumRegions(op)) {
    visit at = {state, op};
    mlirOperationWalk(op, visit_nested, &at, MlirWalkPreOrder);
  }
  state->ops = reserve(state, state->ops, state->op_count, &state->op_capacity, sizeof *state->ops);
  note(state, &state->ops_seen, op.ptr, state->op_count);
  if (!tune_status_is_ok(state->status))
    return;
  body_op *added = &state->ops[state->op_count++];
  *added = (body_op){.op = op};
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
static void find_destinations(builder *state) {
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
static void hand_sizes_down(builder *state) {
  for (size_t i = state->op_count; i-- > 0;) {
    const body_op *user = &state->ops[i];
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
      body_op *producer = &state->ops[index];
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

// Where dimension `position` of operand `operand` of `op`, a tensor.empty, comes from.
static dim_source find_empty_size(const body_op *op, size_t operand, size_t position) {
  dim_source unknown = {.position = 0};
  if (!has_loops(&op->facts))
    return unknown;
  uint8_t loop = tune_op_facts_loop(&op->facts, operand, position);
  return loop == TUNE_OP_NO_LOOP ? unknown : op->sizes[loop];
}

// Makes arguments of the sizes of inner tensor.empty ops that no argument tells.
static void add_untold_sizes(builder *state) {
  for (size_t i = 0; i < state->op_count; ++i) {
    const body_op *op = &state->ops[i];
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(op->op); ++k) {
      MlirValue value = mlirOperationGetOperand(op->op, k);
      if (!is_empty(value) || tune_op_map_get(&state->inputs_seen, value.ptr) != TUNE_OP_MAP_NONE)
        continue;
      MlirOperation empty = mlirOpResultGetOwner(value);
      MlirType type = mlirValueGetType(value);
      for (intptr_t d = 0, dynamic = 0; d < mlirShapedTypeGetRank(type); ++d)
        if (mlirShapedTypeIsDynamicDim(type, d)) {
          MlirValue size = mlirOperationGetOperand(empty, dynamic);
          if (!find_empty_size(op, (size_t)k, (size_t)d).value.ptr &&
              tune_op_map_get(&state->inputs_seen, size.ptr) == TUNE_OP_MAP_NONE)
            add_input(state, size);
          ++dynamic;
        }
    }
  }
}

//===--- Copying --------------------------------------------------------------===//

static void set_copy(builder *state, MlirValue original, MlirValue copy) {
  state->copies = reserve(state, state->copies, state->copy_count, &state->copy_capacity,
                          sizeof *state->copies);
  note(state, &state->copy_of, original.ptr, state->copy_count);
  if (tune_status_is_ok(state->status))
    state->copies[state->copy_count++] = copy;
}

static MlirValue get_copy(const builder *state, MlirValue original) {
  size_t index = tune_op_map_get(&state->copy_of, original.ptr);
  return index == TUNE_OP_MAP_NONE ? (MlirValue){.ptr = NULL} : state->copies[index];
}

// Appends an op of the given kind with at most one attribute.
static MlirOperation append_op(builder *state, const char *name, MlirLocation location,
                               const MlirValue *operands, size_t operand_count,
                               const MlirType *result, const MlirNamedAttribute *attribute) {
  MlirOperationState op = mlirOperationStateGet(tune_ir_string(name), location);
  mlirOperationStateAddOperands(&op, (intptr_t)operand_count, operands);
  if (result)
    mlirOperationStateAddResults(&op, 1, result);
  if (attribute)
    mlirOperationStateAddAttributes(&op, 1, attribute);
  MlirOperation created = mlirOperationCreate(&op);
  mlirBlockAppendOwnedOperation(state->block, created);
  return created;
}

// A value for the size, made once for each.
static MlirValue take_size(builder *state, dim_source size, MlirLocation location) {
  for (size_t i = 0; i < state->dim_count; ++i)
    if (state->dims[i].value.ptr == size.value.ptr && state->dims[i].position == size.position)
      return state->dim_values[i];
  MlirType index = mlirIndexTypeGet(state->context);
  MlirNamedAttribute position =
      tune_ir_named(state->context, "value", mlirIntegerAttrGet(index, (int64_t)size.position));
  MlirOperation constant = append_op(state, "arith.constant", location, NULL, 0, &index, &position);
  MlirValue operands[] = {get_copy(state, size.value), mlirOperationGetResult(constant, 0)};
  MlirOperation dim = append_op(state, "tensor.dim", location, operands, 2, &index, NULL);
  MlirValue value = mlirOperationGetResult(dim, 0);
  size_t capacity = state->dim_capacity;
  state->dims = reserve(state, state->dims, state->dim_count, &capacity, sizeof *state->dims);
  capacity = state->dim_capacity;
  state->dim_values =
      reserve(state, state->dim_values, state->dim_count, &capacity, sizeof *state->dim_values);
  state->dim_capacity = capacity;
  if (tune_status_is_ok(state->status)) {
    state->dims[state->dim_count] = size;
    state->dim_values[state->dim_count++] = value;
  }
  return value;
}

// Makes a tensor.empty like the one that is operand `operand` of `op`.
static void copy_empty(builder *state, const body_op *op, size_t operand) {
  MlirValue original = mlirOperationGetOperand(op->op, (intptr_t)operand);
  MlirOperation empty = mlirOpResultGetOwner(original);
  MlirType type = mlirValueGetType(original);
  MlirValue sizes[TUNE_OP_MAX_LOOPS];
  size_t count = 0;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type) && count < TUNE_OP_MAX_LOOPS; ++d)
    if (mlirShapedTypeIsDynamicDim(type, d)) {
      dim_source size = find_empty_size(op, operand, (size_t)d);
      sizes[count] = size.value.ptr
                         ? take_size(state, size, mlirOperationGetLocation(empty))
                         : get_copy(state, mlirOperationGetOperand(empty, (intptr_t)count));
      ++count;
    }
  MlirOperation copy =
      append_op(state, "tensor.empty", mlirOperationGetLocation(empty), sizes, count, &type, NULL);
  set_copy(state, original, mlirOperationGetResult(copy, 0));
}

static MlirWalkResult redirect_operands(MlirOperation op, void *user_data) {
  const builder *state = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue copy = get_copy(state, mlirOperationGetOperand(op, i));
    if (copy.ptr)
      mlirOperationSetOperand(op, i, copy);
  }
  return MlirWalkResultAdvance;
}

static void drop_discardable_attributes(MlirOperation op) {
  for (intptr_t i = mlirOperationGetNumDiscardableAttributes(op); i-- > 0;) {
    MlirNamedAttribute attribute = mlirOperationGetDiscardableAttribute(op, i);
    mlirOperationRemoveDiscardableAttributeByName(op, mlirIdentifierStr(attribute.name));
  }
}

// Fills stand by name: upstream's patterns, and schedules, know them by it.
static MlirOperation make_fill(builder *state, MlirOperation op) {
  MlirValue operands[] = {get_copy(state, mlirOperationGetOperand(op, 0)),
                          get_copy(state, mlirOperationGetOperand(op, 1))};
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirNamedAttribute segments =
      tune_ir_named(state->context, "operandSegmentSizes",
                    mlirDenseI32ArrayGet(state->context, 2, (int32_t[]){1, 1}));
  MlirRegion region = mlirRegionCreate();
  MlirOperationState fill =
      mlirOperationStateGet(tune_ir_string("linalg.fill"), mlirOperationGetLocation(op));
  mlirOperationStateAddOperands(&fill, 2, operands);
  mlirOperationStateAddResults(&fill, 1, &type);
  mlirOperationStateAddAttributes(&fill, 1, &segments);
  mlirOperationStateAddOwnedRegions(&fill, 1, &region);
  MlirOperation created = mlirOperationCreate(&fill);
  mlirBlockAppendOwnedOperation(state->block, created);
  mlirLinalgFillBuiltinNamedOpRegion(created);
  return created;
}

static MlirOperation clone_op(builder *state, MlirOperation op) {
  MlirOperation copy = mlirOperationClone(op);
  mlirBlockAppendOwnedOperation(state->block, copy);
  drop_discardable_attributes(copy);
  mlirOperationWalk(copy, redirect_operands, state, MlirWalkPreOrder);
  return copy;
}

static void copy_op(builder *state, const body_op *op, tune_task_function *out) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op->op); ++i) {
    MlirValue value = mlirOperationGetOperand(op->op, i);
    if (is_empty(value) && !get_copy(state, value).ptr)
      copy_empty(state, op, (size_t)i);
  }
  if (!tune_status_is_ok(state->status))
    return;
  MlirOperation copy = op->facts.is_fill ? make_fill(state, op->op) : clone_op(state, op->op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(copy); ++i)
    set_copy(state, mlirOperationGetResult(op->op, i), mlirOperationGetResult(copy, i));
  if (mlirOperationEqual(op->op, state->body->anchor))
    out->anchor = copy;
  out->op_count += op->facts.op_class != TUNE_OP_FOREIGN;
}

// Fills the block with copies and ends it with a return. `types` and `values` have room for the
// arguments and the results.
static void fill_block(builder *state, MlirLocation location, MlirType *types, MlirValue *values,
                       tune_task_function *out) {
  const tune_task_body *body = state->body;
  for (size_t i = 0; i < state->input_count; ++i)
    set_copy(state, state->inputs[i], mlirBlockGetArgument(state->block, (intptr_t)i));
  for (size_t i = 0; i < state->op_count && tune_status_is_ok(state->status); ++i)
    copy_op(state, &state->ops[i], out);
  if (!tune_status_is_ok(state->status))
    return;
  for (size_t i = 0; i < body->result_count; ++i) {
    values[i] = get_copy(state, body->results[i]);
    types[state->input_count + i] = mlirValueGetType(body->results[i]);
  }
  append_op(state, "func.return", location, values, body->result_count, NULL, NULL);
}

static bool is_destination(const builder *state, MlirValue value) {
  for (size_t i = 0; i < state->destination_count; ++i)
    if (mlirValueEqual(state->destinations[i], value))
      return true;
  return false;
}

// What is constant for the callers is so for the task, and part of its key. What the task writes
// into is a copy.
static void mark_constants(const builder *state, MlirOperation function) {
  for (size_t i = 0; i < state->input_count; ++i)
    if (tune_constant_is_value(state->inputs[i]) && !is_destination(state, state->inputs[i]))
      mlirFuncSetArgAttr(function, (intptr_t)i, tune_ir_string(TUNE_CONSTANT_ATTRIBUTE),
                         mlirUnitAttrGet(state->context));
}

static void create_function(builder *state, const char *name, MlirLocation location,
                            tune_task_function *out) {
  size_t result_count = state->body->result_count;
  MlirType *types = calloc(state->input_count + result_count, sizeof *types);
  MlirLocation *locations = calloc(state->input_count + 1, sizeof *locations);
  MlirValue *values = calloc(result_count, sizeof *values);
  if (!types || !locations || !values) {
    state->status = tune_status_out_of_memory("copying a task");
  } else {
    for (size_t i = 0; i < state->input_count; ++i) {
      types[i] = mlirValueGetType(state->inputs[i]);
      locations[i] = location;
    }
    state->block = mlirBlockCreate((intptr_t)state->input_count, types, locations);
    fill_block(state, location, types, values, out);
  }
  if (tune_status_is_ok(state->status)) {
    MlirType type = mlirFunctionTypeGet(state->context, (intptr_t)state->input_count, types,
                                        (intptr_t)result_count, types + state->input_count);
    MlirNamedAttribute attributes[] = {
        tune_ir_named(state->context, "sym_name",
                      mlirStringAttrGet(state->context, tune_ir_string(name))),
        tune_ir_named(state->context, "function_type", mlirTypeAttrGet(type)),
    };
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, state->block);
    MlirOperationState function = mlirOperationStateGet(tune_ir_string("func.func"), location);
    mlirOperationStateAddAttributes(&function, 2, attributes);
    mlirOperationStateAddOwnedRegions(&function, 1, &region);
    out->function = mlirOperationCreate(&function);
    mark_constants(state, out->function);
  } else if (!mlirBlockIsNull(state->block)) {
    mlirBlockDestroy(state->block);
  }
  free(types);
  free(locations);
  free(values);
}

static void build(builder *state, const char *name, tune_task_function *out) {
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
  if (tune_status_is_ok(state->status))
    create_function(state, name, mlirOperationGetLocation(mlirOpResultGetOwner(body->results[0])),
                    out);
}

tune_status tune_task_function_build(const tune_task_body *body, const char *name,
                                     tune_task_function *out_function) {
  *out_function = (tune_task_function){.input_count = 0};
  MlirContext context = mlirValueGetContext(body->results[0]);
  builder state = {.body = body, .context = context, .words = tune_op_words_get(context)};
  tune_op_map_init(&state.ops_seen);
  tune_op_map_init(&state.inputs_seen);
  tune_op_map_init(&state.copy_of);
  state.destinations = calloc(body->result_count, sizeof *state.destinations);
  if (!state.destinations)
    state.status = tune_status_out_of_memory("copying a task");
  else
    build(&state, name, out_function);

  out_function->inputs = state.inputs;
  out_function->input_count = state.input_count;
  out_function->destination_count = state.destination_count;
  free(state.ops);
  free(state.destinations);
  free(state.copies);
  free(state.dims);
  free(state.dim_values);
  tune_op_map_deinit(&state.ops_seen);
  tune_op_map_deinit(&state.inputs_seen);
  tune_op_map_deinit(&state.copy_of);
  if (!tune_status_is_ok(state.status))
    tune_task_function_deinit(out_function);
  return state.status;
}

void tune_task_function_deinit(tune_task_function *function) {
  if (!mlirOperationIsNull(function->function))
    mlirOperationDestroy(function->function);
  free(function->inputs);
  *function = (tune_task_function){.input_count = 0};
}
