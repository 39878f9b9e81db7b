//===- prepack.c --------------------------------------------------------------===//

#include "transforms/lower/cpu/prepack.h"

#include "dialects/constant.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/op_map.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/common/constant_dependence.h"

#include <stdio.h>
#include <stdlib.h>

//===--------------------------------------------------------------------------===//
// The functions of a module
//===--------------------------------------------------------------------------===//

typedef struct function {
  MlirOperation op;
  bool *constant;  // by argument
  bool is_reached; // called by the entry or what that calls
  bool is_open;    // while its callees are looked for
  bool stays;      // some call could not hand over what is packed
  bool is_done;    // split, or seen not to be
  // How it was split: its ahead function (null: not), and which arguments that takes.
  MlirOperation prepack;
  size_t *arguments;
  size_t argument_count;
} function;

typedef struct splitter {
  MlirOperation module;
  MlirContext context;
  MlirOperation entry;
  bool is_called;      // the caller of the entry packs, by threads maybe: not the load
  bool parallel_stays; // what threads do together is not packed
  function *functions; // with a body
  size_t count;
} splitter;

static tune_constant_dependence_constants constants_of(const splitter *self, const function *of) {
  return (tune_constant_dependence_constants){.arguments = of->constant,
                                              .parallel_stays = self->parallel_stays};
}

static MlirStringRef name_of(MlirOperation op) { return tune_ir_string_attribute(op, "sym_name"); }

// The function that `call` calls, or NULL.
static function *find_callee(const splitter *self, MlirOperation call) {
  MlirAttribute callee = tune_ir_attribute(call, "callee");
  if (!tune_ir_is(call, "func.call") || mlirAttributeIsNull(callee))
    return NULL;
  for (size_t i = 0; i < self->count; ++i)
    if (mlirStringRefEqual(name_of(self->functions[i].op), mlirFlatSymbolRefAttrGetValue(callee)))
      return &self->functions[i];
  return NULL;
}

static tune_status add_function(splitter *self, MlirOperation op) {
  bool is_entry = mlirOperationEqual(op, self->entry);
  intptr_t count = mlirBlockGetNumArguments(tune_ir_body(op));
  function *added = &self->functions[self->count++];
  *added = (function){.op = op, .constant = calloc((size_t)count + 1, sizeof *added->constant)};
  if (!added->constant)
    return tune_status_out_of_memory("packing ahead");
  // Of the others until a caller is found that says otherwise.
  for (intptr_t i = 0; i < count; ++i)
    added->constant[i] =
        is_entry ? tune_constant_is_argument(op, i)
                 : mlirTypeIsAMemRef(mlirValueGetType(mlirBlockGetArgument(tune_ir_body(op), i)));
  return TUNE_OK;
}

static tune_status list_functions(splitter *self) {
  size_t count = 0;
  MlirBlock body = tune_ir_body(self->module);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    ++count;
  self->functions = calloc(count + 1, sizeof *self->functions);
  if (!self->functions)
    return tune_status_out_of_memory("packing ahead");
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "func.func") && !mlirBlockIsNull(tune_ir_body(op)))
      TUNE_RETURN_IF_ERROR(add_function(self, op));
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Which arguments are constant
//===--------------------------------------------------------------------------===//

typedef struct call_look {
  const splitter *self;
  const function *caller;
  bool changed;
} call_look;

// What the function gets or makes is no constant to it. Returns whether that is news.
static bool keep_whole(function *of) {
  if (of->stays)
    return false;
  of->stays = true;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(tune_ir_body(of->op)); ++i)
    of->constant[i] = false;
  return true;
}

static MlirWalkResult look_at_call(MlirOperation op, void *user_data) {
  call_look *state = user_data;
  if (tune_ir_is(op, "func.constant")) {
    // A function that is called who knows how.
    MlirAttribute value = tune_ir_attribute(op, "value");
    for (size_t i = 0; i < state->self->count; ++i)
      if (mlirStringRefEqual(name_of(state->self->functions[i].op),
                             mlirFlatSymbolRefAttrGetValue(value)))
        state->changed |= keep_whole(&state->self->functions[i]);
    return MlirWalkResultAdvance;
  }
  function *callee = find_callee(state->self, op);
  if (!callee)
    return MlirWalkResultAdvance;
  // All calls have to hand over what the callee was packed from, or none can.
  const function *caller = state->caller;
  MlirBlock block = tune_ir_body(caller->op);
  bool is_outermost = mlirBlockEqual(mlirOperationGetBlock(op), block) &&
                      mlirBlockIsNull(mlirBlockGetNextInRegion(block));
  if (!is_outermost || caller->stays || !caller->is_reached) {
    state->changed |= keep_whole(callee);
    return MlirWalkResultAdvance;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!callee->constant[i] ||
        (mlirTypeIsAMemRef(mlirValueGetType(value)) &&
         tune_constant_dependence_is_constant(value, constants_of(state->self, state->caller)) &&
         tune_constant_dependence_is_derived(value, constants_of(state->self, state->caller))))
      continue;
    callee->constant[i] = false;
    state->changed = true;
  }
  return MlirWalkResultAdvance;
}

typedef struct reach {
  splitter *self;
  function *caller;
} reach;

static MlirWalkResult reach_callee(MlirOperation op, void *user_data);

// Marks what `from` calls, and what is called again from within.
static void reach_from(splitter *self, function *from) {
  from->is_reached = from->is_open = true;
  reach state = {self, from};
  mlirOperationWalk(from->op, reach_callee, &state, MlirWalkPreOrder);
  from->is_open = false;
}

static MlirWalkResult reach_callee(MlirOperation op, void *user_data) {
  reach *state = user_data;
  function *callee = find_callee(state->self, op);
  if (callee && callee->is_open)
    keep_whole(callee);
  else if (callee && !callee->is_reached)
    reach_from(state->self, callee);
  return MlirWalkResultAdvance;
}

static void find_constants(splitter *self) {
  for (size_t i = 0; i < self->count; ++i)
    if (mlirOperationEqual(self->functions[i].op, self->entry))
      reach_from(self, &self->functions[i]);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < self->count; ++i) {
      call_look state = {.self = self, .caller = &self->functions[i]};
      mlirOperationWalk(self->functions[i].op, look_at_call, &state, MlirWalkPreOrder);
      changed |= state.changed;
    }
  }
}

//===--------------------------------------------------------------------------===//
// Moving ops
//===--------------------------------------------------------------------------===//

// Copies ops from one function into another, with what they use.
typedef struct mover {
  const function *from;
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
  MlirBlock from = tune_ir_body(self->from->op);
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

// Sets the type of the function `op` by its block and what it returns.
static tune_status set_type(MlirOperation op) {
  MlirBlock block = tune_ir_body(op);
  MlirOperation back = mlirBlockGetTerminator(block);
  intptr_t inputs = mlirBlockGetNumArguments(block), results = mlirOperationGetNumOperands(back);
  MlirType *types = calloc((size_t)(inputs + results) + 1, sizeof *types);
  if (!types)
    return tune_status_out_of_memory("packing ahead");
  for (intptr_t i = 0; i < inputs; ++i)
    types[i] = mlirValueGetType(mlirBlockGetArgument(block, i));
  for (intptr_t i = 0; i < results; ++i)
    types[inputs + i] = mlirValueGetType(mlirOperationGetOperand(back, i));
  MlirType type =
      mlirFunctionTypeGet(mlirOperationGetContext(op), inputs, types, results, types + inputs);
  mlirOperationSetAttributeByName(op, tune_ir_string("function_type"), mlirTypeAttrGet(type));
  // One entry for each argument; nothing below reads them.
  mlirOperationRemoveAttributeByName(op, tune_ir_string("arg_attrs"));
  free(types);
  return TUNE_OK;
}

// A private function of the body `block`, named after `of`.
static tune_status make_function(const splitter *self, MlirOperation of, MlirBlock block,
                                 MlirOperation *out_function) {
  MlirStringRef name = name_of(of);
  char *text = malloc(name.length + 32);
  if (!text)
    return tune_status_out_of_memory("packing ahead");
  snprintf(text, name.length + 32, "%.*s_prepack", (int)name.length, name.data);
  for (unsigned i = 0;
       !mlirOperationIsNull(tune_ir_find_symbol(self->module, tune_ir_string(text))); ++i)
    snprintf(text, name.length + 32, "%.*s_prepack_%u", (int)name.length, name.data, i);
  MlirType type = mlirFunctionTypeGet(self->context, 0, NULL, 0, NULL);
  MlirNamedAttribute attributes[] = {
      tune_ir_named(self->context, "sym_name",
                    mlirStringAttrGet(self->context, tune_ir_string(text))),
      tune_ir_named(self->context, "sym_visibility",
                    mlirStringAttrGet(self->context, tune_ir_string("private"))),
      tune_ir_named(self->context, "function_type", mlirTypeAttrGet(type)),
      tune_ir_named(self->context, TUNE_AHEAD_ATTRIBUTE, mlirUnitAttrGet(self->context))};
  free(text);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  MlirOperationState state =
      mlirOperationStateGet(tune_ir_string("func.func"), mlirOperationGetLocation(of));
  mlirOperationStateAddAttributes(&state, 4, attributes);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  *out_function = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(tune_ir_body(self->module), of, *out_function);
  return set_type(*out_function);
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
  mlirBlockAppendOwnedOperation(move->to, make_return(mlirOperationGetLocation(move->from->op),
                                                      (intptr_t)ahead->kept_count, values));
  free(values);
  return TUNE_OK;
}

// Takes what is ahead out of the function, which is handed its memory instead.
static tune_status shorten(function *of, const tune_constant_dependence *ahead) {
  MlirBlock block = tune_ir_body(of->op);
  MlirLocation location = mlirOperationGetLocation(of->op);
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
  return set_type(of->op);
}

static tune_status split_at(splitter *self, function *of, const tune_constant_dependence *ahead) {
  mover move = {.from = of, .to = mlirBlockCreate(0, NULL, NULL), .status = TUNE_OK};
  tune_op_map_init(&move.copy_of);
  move.arguments =
      calloc((size_t)mlirBlockGetNumArguments(tune_ir_body(of->op)) + 1, sizeof *move.arguments);
  tune_status status =
      move.arguments ? fill_prepack(ahead, &move) : tune_status_out_of_memory("packing ahead");
  if (tune_status_is_ok(status))
    status = make_function(self, of->op, move.to, &of->prepack);
  else
    mlirBlockDestroy(move.to);
  of->arguments = move.arguments;
  of->argument_count = move.argument_count;
  if (tune_status_is_ok(status))
    status = shorten(of, ahead);
  free(move.copies);
  tune_op_map_deinit(&move.copy_of);
  return status;
}

//===--------------------------------------------------------------------------===//
// Callers
//===--------------------------------------------------------------------------===//

// Calls the ahead function of `callee` before `call`, which is handed what that gives back.
static tune_status pack_before(const splitter *self, MlirOperation call, const function *callee) {
  MlirBlock packed = tune_ir_body(callee->prepack);
  MlirOperation back = mlirBlockGetTerminator(packed);
  intptr_t results = mlirOperationGetNumOperands(back);
  intptr_t operands = mlirOperationGetNumOperands(call);
  MlirType *types = calloc((size_t)results + 1, sizeof *types);
  MlirValue *values = calloc((size_t)(operands + results) + 1, sizeof *values);
  if (!types || !values) {
    free(types);
    free(values);
    return tune_status_out_of_memory("packing ahead");
  }
  for (intptr_t i = 0; i < results; ++i)
    types[i] = mlirValueGetType(mlirOperationGetOperand(back, i));
  for (size_t i = 0; i < callee->argument_count; ++i)
    values[i] = mlirOperationGetOperand(call, (intptr_t)callee->arguments[i]);
  MlirOperationState state =
      mlirOperationStateGet(tune_ir_string("func.call"), mlirOperationGetLocation(call));
  mlirOperationStateAddOperands(&state, (intptr_t)callee->argument_count, values);
  mlirOperationStateAddResults(&state, results, types);
  MlirNamedAttribute attributes[] = {
      tune_ir_named(self->context, "callee",
                    mlirFlatSymbolRefAttrGet(self->context, name_of(callee->prepack))),
      tune_ir_named(self->context, TUNE_AHEAD_ATTRIBUTE, mlirUnitAttrGet(self->context))};
  mlirOperationStateAddAttributes(&state, 2, attributes);
  MlirOperation ahead = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(call), call, ahead);
  for (intptr_t i = 0; i < operands; ++i)
    values[i] = mlirOperationGetOperand(call, i);
  for (intptr_t i = 0; i < results; ++i)
    values[operands + i] = mlirOperationGetResult(ahead, i);
  mlirOperationSetOperands(call, operands + results, values);
  free(types);
  free(values);
  return TUNE_OK;
}

// Splits `of`, after what it calls.
static tune_status split_function(splitter *self, function *of) {
  if (of->is_done || of->stays)
    return TUNE_OK;
  of->is_done = true;
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(of->op));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    function *callee = find_callee(self, op);
    if (!callee)
      continue;
    TUNE_RETURN_IF_ERROR(split_function(self, callee));
    if (!mlirOperationIsNull(callee->prepack))
      TUNE_RETURN_IF_ERROR(pack_before(self, op, callee));
  }
  tune_constant_dependence ahead;
  TUNE_RETURN_IF_ERROR(tune_constant_dependence_find(of->op, constants_of(self, of), &ahead));
  tune_status status = ahead.kept_count ? split_at(self, of, &ahead) : TUNE_OK;
  tune_constant_dependence_deinit(&ahead);
  return status;
}

static tune_status describe(const splitter *self, const function *entry, tune_prepack *out) {
  if (mlirOperationIsNull(entry->prepack))
    return TUNE_OK;
  MlirOperation back = mlirBlockGetTerminator(tune_ir_body(entry->prepack));
  MlirStringRef name = name_of(entry->prepack);
  out->result_count = (size_t)mlirOperationGetNumOperands(back);
  out->argument_count = entry->argument_count;
  out->is_at_load = !self->is_called && out->argument_count == 0;
  out->function = strndup(name.data, name.length);
  out->arguments = calloc(out->argument_count + 1, sizeof *out->arguments);
  out->ranks = calloc(out->result_count + 1, sizeof *out->ranks);
  if (!out->function || !out->arguments || !out->ranks)
    return tune_status_out_of_memory("packing ahead");
  memcpy(out->arguments, entry->arguments, out->argument_count * sizeof *out->arguments);
  for (size_t i = 0; i < out->result_count; ++i)
    out->ranks[i] =
        (size_t)mlirShapedTypeGetRank(mlirValueGetType(mlirOperationGetOperand(back, (intptr_t)i)));
  return TUNE_OK;
}

static tune_status split(splitter *self, tune_prepack *out) {
  TUNE_RETURN_IF_ERROR(list_functions(self));
  find_constants(self);
  for (size_t i = 0; i < self->count; ++i)
    if (mlirOperationEqual(self->functions[i].op, self->entry)) {
      TUNE_RETURN_IF_ERROR(split_function(self, &self->functions[i]));
      return describe(self, &self->functions[i], out);
    }
  return TUNE_OK;
}

static bool has_constant_arguments(MlirOperation entry) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(tune_ir_body(entry)); ++i)
    if (tune_constant_is_argument(entry, i))
      return true;
  return false;
}

static bool has_globals(MlirOperation module) {
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "memref.global"))
      return true;
  return false;
}

tune_status tune_prepack_split(MlirOperation module, MlirOperation entry, bool has_threads,
                               tune_prepack *out_prepack) {
  bool has_arguments = has_constant_arguments(entry);
  *out_prepack = (tune_prepack){0};
  if (!has_arguments && !has_globals(module))
    return TUNE_OK;
  splitter self = {.module = module,
                   .context = mlirOperationGetContext(module),
                   .entry = entry,
                   .is_called = has_threads && has_arguments,
                   .parallel_stays = has_threads && !has_arguments};
  tune_status status = split(&self, out_prepack);
  for (size_t i = 0; i < self.count; ++i) {
    free(self.functions[i].constant);
    free(self.functions[i].arguments);
  }
  free(self.functions);
  if (!tune_status_is_ok(status))
    tune_prepack_deinit(out_prepack);
  return status;
}

void tune_prepack_deinit(tune_prepack *prepack) {
  free(prepack->function);
  free(prepack->arguments);
  free(prepack->ranks);
  *prepack = (tune_prepack){0};
}
