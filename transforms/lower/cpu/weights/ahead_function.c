//===- ahead_function.c -------------------------------------------------------===//

#include "transforms/lower/cpu/weights/ahead_function.h"

#include "transforms/ir/function_type.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/op_map.h"
#include "transforms/lower/common/attributes.h"

#include <stdio.h>
#include <stdlib.h>

//===--------------------------------------------------------------------------===//
// Moving ops
//===--------------------------------------------------------------------------===//

// Copies ops from one function into another, with what they use.
typedef struct mover {
  MlirOperation from;
  MlirBlock to;
  MlirValue *copies;
  size_t count, capacity;
  tune_op_map copy_of; // values to the index in copies
  size_t *arguments;   // of `from`, those that are used
  size_t argument_count;
  tune_status status;
} mover;

static void note_copy(mover *self, MlirValue original, MlirValue copy) {
  if (self->count == self->capacity) {
    size_t capacity = self->capacity ? 2 * self->capacity : 16;
    MlirValue *copies = realloc(self->copies, capacity * sizeof *copies);
    if (!copies) {
      self->status = tune_status_out_of_memory("packing ahead");
      return;
    }
    self->copies = copies;
    self->capacity = capacity;
  }
  self->status = tune_op_map_set(&self->copy_of, original.ptr, self->count);
  self->copies[self->count++] = copy;
}

static MlirValue find_copy(const mover *self, MlirValue original) {
  size_t index = tune_op_map_get(&self->copy_of, original.ptr);
  return index == TUNE_OP_MAP_NONE ? (MlirValue){NULL} : self->copies[index];
}

static void copy_op(mover *self, MlirOperation op);

static MlirWalkResult copy_used(MlirOperation op, void *user_data) {
  mover *self = user_data;
  MlirBlock from = tune_ir_body(self->from);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && tune_status_is_ok(self->status);
       ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!mlirValueIsNull(find_copy(self, value)))
      continue;
    if (mlirValueIsABlockArgument(value)) {
      if (!mlirBlockEqual(mlirBlockArgumentGetOwner(value), from))
        continue;
      self->arguments[self->argument_count++] = (size_t)mlirBlockArgumentGetArgNumber(value);
      note_copy(
          self, value,
          mlirBlockAddArgument(self->to, mlirValueGetType(value), mlirOperationGetLocation(op)));
    } else if (mlirBlockEqual(mlirOperationGetBlock(mlirOpResultGetOwner(value)), from)) {
      copy_op(self, mlirOpResultGetOwner(value));
    }
  }
  return tune_status_is_ok(self->status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static MlirWalkResult redirect(MlirOperation op, void *user_data) {
  const mover *self = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue copy = find_copy(self, mlirOperationGetOperand(op, i));
    if (!mlirValueIsNull(copy))
      mlirOperationSetOperand(op, i, copy);
  }
  return MlirWalkResultAdvance;
}

// What was to live on the stack outlives the function now.
static MlirOperation copy_allocation(MlirOperation op) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirOperationState state =
      mlirOperationStateGet(tune_ir_string("memref.alloc"), mlirOperationGetLocation(op));
  mlirOperationStateAddResults(&state, 1, &type);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
    mlirOperationStateAddAttributes(&state, 1, &attribute);
  }
  return mlirOperationCreate(&state);
}

static void copy_op(mover *self, MlirOperation op) {
  mlirOperationWalk(op, copy_used, self, MlirWalkPreOrder);
  if (!tune_status_is_ok(self->status))
    return;
  MlirOperation copy =
      tune_ir_is(op, "memref.alloca") ? copy_allocation(op) : mlirOperationClone(op);
  mlirBlockAppendOwnedOperation(self->to, copy);
  mlirOperationWalk(copy, redirect, self, MlirWalkPreOrder);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && tune_status_is_ok(self->status); ++i)
    note_copy(self, mlirOperationGetResult(op, i), mlirOperationGetResult(copy, i));
}

//===--------------------------------------------------------------------------===//
// Splitting a function
//===--------------------------------------------------------------------------===//

static MlirOperation make_return(MlirLocation location, intptr_t count, const MlirValue *values) {
  MlirOperationState state = mlirOperationStateGet(tune_ir_string("func.return"), location);
  mlirOperationStateAddOperands(&state, count, values);
  return mlirOperationCreate(&state);
}

// A private function of the body `block`, named after `of`.
static tune_status make_function(MlirOperation module, MlirOperation of, MlirBlock block,
                                 MlirOperation *out_function) {
  MlirContext context = mlirOperationGetContext(module);
  MlirStringRef name = tune_ir_string_attribute(of, "sym_name");
  char *text = malloc(name.length + 32);
  if (!text)
    return tune_status_out_of_memory("packing ahead");
  snprintf(text, name.length + 32, "%.*s_prepack", (int)name.length, name.data);
  for (unsigned i = 0; !mlirOperationIsNull(tune_ir_find_symbol(module, tune_ir_string(text))); ++i)
    snprintf(text, name.length + 32, "%.*s_prepack_%u", (int)name.length, name.data, i);
  MlirType type = mlirFunctionTypeGet(context, 0, NULL, 0, NULL);
  MlirNamedAttribute attributes[] = {
      tune_ir_named(context, "sym_name", mlirStringAttrGet(context, tune_ir_string(text))),
      tune_ir_named(context, "sym_visibility",
                    mlirStringAttrGet(context, tune_ir_string("private"))),
      tune_ir_named(context, "function_type", mlirTypeAttrGet(type)),
      tune_ir_named(context, TUNE_AHEAD_ATTRIBUTE, mlirUnitAttrGet(context))};
  free(text);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  MlirOperationState state =
      mlirOperationStateGet(tune_ir_string("func.func"), mlirOperationGetLocation(of));
  mlirOperationStateAddAttributes(&state, 4, attributes);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  *out_function = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(tune_ir_body(module), of, *out_function);
  return tune_function_type_set(*out_function);
}

// Copies what is ahead to `move->to`, with a return of what is kept.
static tune_status fill_prepack(const tune_constant_dependence *ahead, mover *move) {
  for (size_t i = 0; i < ahead->op_count && tune_status_is_ok(move->status); ++i)
    if (mlirOperationGetNumResults(ahead->ops[i]) == 0 ||
        mlirValueIsNull(find_copy(move, mlirOperationGetResult(ahead->ops[i], 0))))
      copy_op(move, ahead->ops[i]);
  if (!tune_status_is_ok(move->status))
    return move->status;
  MlirValue *values = calloc(ahead->kept_count + 1, sizeof *values);
  if (!values)
    return tune_status_out_of_memory("packing ahead");
  for (size_t i = 0; i < ahead->kept_count; ++i)
    values[i] = find_copy(move, ahead->kept[i]);
  mlirBlockAppendOwnedOperation(move->to, make_return(mlirOperationGetLocation(move->from),
                                                      (intptr_t)ahead->kept_count, values));
  free(values);
  return TUNE_OK;
}

// Takes what is ahead out of the function, which is handed its memory instead.
static tune_status shorten(MlirOperation of, const tune_constant_dependence *ahead) {
  MlirBlock block = tune_ir_body(of);
  MlirLocation location = mlirOperationGetLocation(of);
  for (size_t i = 0; i < ahead->kept_count; ++i) {
    MlirValue argument = mlirBlockAddArgument(block, mlirValueGetType(ahead->kept[i]), location);
    mlirValueReplaceAllUsesOfWith(ahead->kept[i], argument);
  }
  // Users before what they use. Views of memory that is not kept may be left, unused: they go with
  // the next canonicalization, and stand before nothing.
  for (size_t i = ahead->op_count; i-- > 0;) {
    bool is_used = false;
    for (intptr_t r = 0; r < mlirOperationGetNumResults(ahead->ops[i]); ++r)
      is_used |=
          !mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(ahead->ops[i], r)));
    if (!is_used)
      mlirOperationDestroy(ahead->ops[i]);
  }
  return tune_function_type_set(of);
}

tune_status tune_ahead_function_split(MlirOperation module, MlirOperation function,
                                      const tune_constant_dependence *ahead,
                                      tune_ahead_function *out_ahead) {
  *out_ahead = (tune_ahead_function){.argument_count = 0};
  mover move = {.from = function, .to = mlirBlockCreate(0, NULL, NULL), .status = TUNE_OK};
  tune_op_map_init(&move.copy_of);
  move.arguments =
      calloc((size_t)mlirBlockGetNumArguments(tune_ir_body(function)) + 1, sizeof *move.arguments);
  tune_status status =
      move.arguments ? fill_prepack(ahead, &move) : tune_status_out_of_memory("packing ahead");
  if (tune_status_is_ok(status))
    status = make_function(module, function, move.to, &out_ahead->op);
  else
    mlirBlockDestroy(move.to);
  out_ahead->arguments = move.arguments;
  out_ahead->argument_count = move.argument_count;
  if (tune_status_is_ok(status))
    status = shorten(function, ahead);
  free(move.copies);
  tune_op_map_deinit(&move.copy_of);
  return status;
}
