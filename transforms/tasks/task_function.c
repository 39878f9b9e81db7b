//===- task_function.c --------------------------------------------------------===//

#include "transforms/tasks/task_function.h"

#include "dialects/constant.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/tasks/task_parts.h"

#include "mlir-c/Dialect/Func.h"

#include <stdlib.h>

typedef struct builder {
  tune_task_parts parts;
  MlirContext context;
  tune_status status; // the first failure; what follows does nothing

  MlirBlock block;
  MlirValue *copies; // of values
  size_t copy_count, copy_capacity;
  tune_op_map copy_of;  // values to the index in copies
  tune_task_size *dims; // sizes taken so far, with their values in dim_values
  MlirValue *dim_values;
  size_t dim_count, dim_capacity;
} builder;

static bool is_empty(MlirValue value) {
  return mlirValueIsAOpResult(value) && tune_ir_is(mlirOpResultGetOwner(value), "tensor.empty");
}

static void set_copy(builder *state, MlirValue original, MlirValue copy) {
  state->copies = tune_task_parts_reserve(&state->status, state->copies, state->copy_count,
                                          &state->copy_capacity, sizeof *state->copies);
  if (tune_status_is_ok(state->status))
    state->status = tune_op_map_set(&state->copy_of, original.ptr, state->copy_count);
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
static MlirValue take_size(builder *state, tune_task_size size, MlirLocation location) {
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
  state->dims = tune_task_parts_reserve(&state->status, state->dims, state->dim_count, &capacity,
                                        sizeof *state->dims);
  capacity = state->dim_capacity;
  state->dim_values = tune_task_parts_reserve(&state->status, state->dim_values, state->dim_count,
                                              &capacity, sizeof *state->dim_values);
  state->dim_capacity = capacity;
  if (tune_status_is_ok(state->status)) {
    state->dims[state->dim_count] = size;
    state->dim_values[state->dim_count++] = value;
  }
  return value;
}

// Makes a tensor.empty like the one that is operand `operand` of `op`.
static void copy_empty(builder *state, const tune_task_op *op, size_t operand) {
  MlirValue original = mlirOperationGetOperand(op->op, (intptr_t)operand);
  MlirOperation empty = mlirOpResultGetOwner(original);
  MlirType type = mlirValueGetType(original);
  MlirValue sizes[TUNE_OP_MAX_LOOPS];
  size_t count = 0;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type) && count < TUNE_OP_MAX_LOOPS; ++d)
    if (mlirShapedTypeIsDynamicDim(type, d)) {
      tune_task_size size = tune_task_parts_empty_size(op, operand, (size_t)d);
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
  tune_ir_builder at = tune_ir_builder_at_end(state->block, mlirOperationGetLocation(op));
  return tune_ir_build_fill(&at, get_copy(state, mlirOperationGetOperand(op, 0)),
                            get_copy(state, mlirOperationGetOperand(op, 1)));
}

static MlirOperation clone_op(builder *state, MlirOperation op) {
  MlirOperation copy = mlirOperationClone(op);
  mlirBlockAppendOwnedOperation(state->block, copy);
  drop_discardable_attributes(copy);
  mlirOperationWalk(copy, redirect_operands, state, MlirWalkPreOrder);
  return copy;
}

static void copy_op(builder *state, const tune_task_op *op, tune_task_function *out) {
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
  if (mlirOperationEqual(op->op, state->parts.body->anchor))
    out->anchor = copy;
  out->op_count += op->facts.op_class != TUNE_OP_FOREIGN;
}

// Fills the block with copies and ends it with a return. `types` and `values` have room for the
// arguments and the results.
static void fill_block(builder *state, MlirLocation location, MlirType *types, MlirValue *values,
                       tune_task_function *out) {
  const tune_task_body *body = state->parts.body;
  for (size_t i = 0; i < state->parts.input_count; ++i)
    set_copy(state, state->parts.inputs[i], mlirBlockGetArgument(state->block, (intptr_t)i));
  for (size_t i = 0; i < state->parts.op_count && tune_status_is_ok(state->status); ++i)
    copy_op(state, &state->parts.ops[i], out);
  if (!tune_status_is_ok(state->status))
    return;
  for (size_t i = 0; i < body->result_count; ++i) {
    values[i] = get_copy(state, body->results[i]);
    types[state->parts.input_count + i] = mlirValueGetType(body->results[i]);
  }
  append_op(state, "func.return", location, values, body->result_count, NULL, NULL);
}

static bool is_destination(const builder *state, MlirValue value) {
  for (size_t i = 0; i < state->parts.destination_count; ++i)
    if (mlirValueEqual(state->parts.destinations[i], value))
      return true;
  return false;
}

// What is constant for the callers, or made of constants by another task, which is done ahead, is
// so for the task, and part of its key. What the task writes into is a copy.
static void mark_constants(const builder *state, MlirOperation function) {
  for (size_t i = 0; i < state->parts.input_count; ++i)
    if ((tune_constant_is_value(state->parts.inputs[i]) ||
         tune_constant_is_derived(state->parts.inputs[i])) &&
        !is_destination(state, state->parts.inputs[i]))
      mlirFuncSetArgAttr(function, (intptr_t)i, tune_ir_string(TUNE_CONSTANT_ATTRIBUTE),
                         mlirUnitAttrGet(state->context));
}

static void create_function(builder *state, const char *name, MlirLocation location,
                            tune_task_function *out) {
  size_t result_count = state->parts.body->result_count;
  MlirType *types = calloc(state->parts.input_count + result_count, sizeof *types);
  MlirLocation *locations = calloc(state->parts.input_count + 1, sizeof *locations);
  MlirValue *values = calloc(result_count, sizeof *values);
  if (!types || !locations || !values) {
    state->status = tune_status_out_of_memory("copying a task");
  } else {
    for (size_t i = 0; i < state->parts.input_count; ++i) {
      types[i] = mlirValueGetType(state->parts.inputs[i]);
      locations[i] = location;
    }
    state->block = mlirBlockCreate((intptr_t)state->parts.input_count, types, locations);
    fill_block(state, location, types, values, out);
  }
  if (tune_status_is_ok(state->status)) {
    MlirType type = mlirFunctionTypeGet(state->context, (intptr_t)state->parts.input_count, types,
                                        (intptr_t)result_count, types + state->parts.input_count);
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

tune_status tune_task_function_build(const tune_task_body *body, const char *name,
                                     tune_task_function *out_function) {
  *out_function = (tune_task_function){.input_count = 0};
  builder state = {.context = mlirValueGetContext(body->results[0])};
  tune_op_map_init(&state.copy_of);
  state.status = tune_task_parts_collect(body, &state.parts);
  if (tune_status_is_ok(state.status))
    create_function(&state, name, mlirOperationGetLocation(mlirOpResultGetOwner(body->results[0])),
                    out_function);

  out_function->inputs = state.parts.inputs;
  out_function->input_count = state.parts.input_count;
  out_function->destination_count = state.parts.destination_count;
  state.parts.inputs = NULL;
  tune_task_parts_deinit(&state.parts);
  free(state.copies);
  free(state.dims);
  free(state.dim_values);
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
