//===- prepack.c --------------------------------------------------------------===//

#include "transforms/lower/cpu/weights/prepack.h"

#include "dialects/constant.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/common/constant_dependence.h"
#include "transforms/lower/common/memory_access.h"
#include "transforms/lower/cpu/weights/ahead_function.h"
#include "transforms/lower/cpu/weights/known_branches.h"
#include "transforms/lower/cpu/weights/weights_ahead.h"

#include <stdlib.h>

//===--------------------------------------------------------------------------===//
// The functions of a module
//===--------------------------------------------------------------------------===//

typedef struct function {
  MlirOperation op;
  bool *constant;            // by argument
  bool is_reached;           // called by the entry or what that calls
  bool is_open;              // while its callees are looked for
  bool stays;                // some call could not hand over what is packed
  bool is_done;              // split, or seen not to be
  tune_ahead_function ahead; // how it was split; without an op: not
  tune_op_list ahead_calls;  // of that, each with other operands or from another function
} function;

typedef struct splitter {
  MlirOperation module;
  MlirContext context;
  MlirOperation entry;
  bool is_called;      // the caller of the entry packs, by threads maybe: not the load
  bool parallel_stays; // what threads do together is not packed
  function *functions; // with a body
  size_t count;
  tune_constant_dependence of_entry; // what is ahead in it before its callees are split
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

// Whether `value` of `caller` is the same in all calls of the entry: a constant, or what the entry
// makes of constants alone ahead of them, as a task that turns a filter does.
static bool is_constant_to(const splitter *self, const function *caller, MlirValue value) {
  if (!mlirTypeIsAMemRef(mlirValueGetType(value)) ||
      !tune_constant_dependence_is_derived(value, constants_of(self, caller)))
    return false;
  if (tune_constant_dependence_is_constant(value, constants_of(self, caller)))
    return true;
  MlirValue root = tune_memory_access_look_through_views(value);
  for (size_t i = 0; i < self->of_entry.kept_count; ++i)
    if (mlirValueEqual(root, self->of_entry.kept[i]))
      return mlirOperationEqual(caller->op, self->entry);
  return false;
}

// Before which op of `caller`'s only block what `call` reads may be packed: itself, or the
// outermost of the loops that it is in; null: before none.
static MlirOperation find_place(const function *caller, MlirOperation call) {
  static const char *const LOOPS[] = {"scf.for", "scf.forall", "scf.parallel", NULL};
  MlirBlock block = tune_ir_body(caller->op);
  MlirOperation place = call, none = {NULL};
  if (!mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
    return none;
  while (!mlirBlockEqual(mlirOperationGetBlock(place), block)) {
    place = mlirOperationGetParentOperation(place);
    if (!tune_ir_is_one_of(place, LOOPS))
      return none;
  }
  return place;
}

// Whether `value` is there before all ops of `caller` with regions: no loop makes it.
static bool is_of_no_loop(const function *caller, MlirValue value) {
  return mlirBlockEqual(tune_ir_body(caller->op),
                        mlirValueIsABlockArgument(value)
                            ? mlirBlockArgumentGetOwner(value)
                            : mlirOperationGetBlock(mlirOpResultGetOwner(value)));
}

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
  if (mlirOperationIsNull(find_place(caller, op)) || caller->stays || !caller->is_reached) {
    state->changed |= keep_whole(callee);
    return MlirWalkResultAdvance;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!callee->constant[i] ||
        (is_of_no_loop(caller, value) && is_constant_to(state->self, caller, value)))
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

static tune_status find_constants(splitter *self) {
  for (size_t i = 0; i < self->count; ++i) {
    function *of = &self->functions[i];
    if (!mlirOperationEqual(of->op, self->entry))
      continue;
    reach_from(self, of);
    TUNE_RETURN_IF_ERROR(
        tune_constant_dependence_find(of->op, constants_of(self, of), &self->of_entry));
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < self->count; ++i) {
      call_look state = {.self = self, .caller = &self->functions[i]};
      mlirOperationWalk(self->functions[i].op, look_at_call, &state, MlirWalkPreOrder);
      changed |= state.changed;
    }
  }
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Callers
//===--------------------------------------------------------------------------===//

typedef struct write_look {
  MlirValue memory;
  bool is_written;
} write_look;

static MlirWalkResult look_for_write(MlirOperation op, void *user_data) {
  write_look *look = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !look->is_written; ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!mlirTypeIsAMemRef(mlirValueGetType(value)) ||
        !mlirValueEqual(tune_memory_access_look_through_views(value), look->memory))
      continue;
    look->is_written = (tune_memory_access_through_call(op, i) & TUNE_WRITES) != 0;
  }
  return look->is_written ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Whether `value` may have other contents in `to` than at `from`, an earlier op of its block.
static bool is_written_between(MlirValue value, MlirOperation from, MlirOperation to) {
  write_look look = {.memory = tune_memory_access_look_through_views(value)};
  for (MlirOperation op = mlirOperationGetNextInBlock(from);
       !mlirOperationIsNull(op) && !mlirOperationEqual(op, to) && !look.is_written;
       op = mlirOperationGetNextInBlock(op))
    mlirOperationWalk(op, look_for_write, &look, MlirWalkPreOrder);
  if (mlirOperationGetNumRegions(to))
    mlirOperationWalk(to, look_for_write, &look, MlirWalkPreOrder);
  return look.is_written;
}

// The call of the ahead function of `callee` from the block of `place`, in which `call` is, with
// the same constants; null: there is none. What it packs is only read, so that both calls of the
// callee can have it. Memory of the caller's may have been filled anew meanwhile.
static MlirOperation find_ahead_call(MlirOperation call, MlirOperation place,
                                     const function *callee) {
  for (size_t i = 0; i < callee->ahead_calls.count; ++i) {
    MlirOperation before = callee->ahead_calls.ops[i];
    bool is_same = mlirBlockEqual(mlirOperationGetBlock(before), mlirOperationGetBlock(place));
    for (size_t k = 0; k < callee->ahead.argument_count && is_same; ++k)
      is_same = mlirValueEqual(mlirOperationGetOperand(before, (intptr_t)k),
                               mlirOperationGetOperand(call, (intptr_t)callee->ahead.arguments[k]));
    for (size_t k = 0; k < callee->ahead.argument_count && is_same; ++k)
      is_same = mlirValueIsABlockArgument(mlirOperationGetOperand(before, (intptr_t)k)) ||
                !is_written_between(mlirOperationGetOperand(before, (intptr_t)k), before, place);
    if (is_same)
      return before;
  }
  return (MlirOperation){NULL};
}

// Calls the ahead function of `callee`, which gives back `types`, before `place`. `values` has room
// for its operands.
static MlirOperation build_ahead_call(const splitter *self, MlirOperation call, MlirOperation place,
                                      const function *callee, intptr_t results,
                                      const MlirType *types, MlirValue *values) {
  for (size_t i = 0; i < callee->ahead.argument_count; ++i)
    values[i] = mlirOperationGetOperand(call, (intptr_t)callee->ahead.arguments[i]);
  MlirNamedAttribute attributes[] = {
      tune_ir_named(self->context, "callee",
                    mlirFlatSymbolRefAttrGet(self->context, name_of(callee->ahead.op))),
      tune_ir_named(self->context, TUNE_AHEAD_ATTRIBUTE, mlirUnitAttrGet(self->context))};
  tune_ir_builder before = tune_ir_builder_before(place);
  return tune_ir_build(&before,
                       &(tune_ir_parts){.name = "func.call",
                                        .operand_count = (intptr_t)callee->ahead.argument_count,
                                        .operands = values,
                                        .type_count = results,
                                        .types = types,
                                        .attribute_count = 2,
                                        .attributes = attributes});
}

// Hands `call` what the ahead function of `callee` gives back, which is called before `place`
// unless an earlier call with the same constants had it called.
static tune_status pack_before(const splitter *self, MlirOperation call, MlirOperation place,
                               function *callee) {
  MlirOperation back = mlirBlockGetTerminator(tune_ir_body(callee->ahead.op));
  intptr_t results = mlirOperationGetNumOperands(back);
  intptr_t operands = mlirOperationGetNumOperands(call);
  MlirType *types = calloc((size_t)results + 1, sizeof *types);
  MlirValue *values = calloc((size_t)(operands + results) + 1, sizeof *values);
  bool is_done = types && values;
  for (intptr_t i = 0; i < results && is_done; ++i)
    types[i] = mlirValueGetType(mlirOperationGetOperand(back, i));
  MlirOperation ahead = is_done ? find_ahead_call(call, place, callee) : (MlirOperation){NULL};
  if (is_done && mlirOperationIsNull(ahead)) {
    ahead = build_ahead_call(self, call, place, callee, results, types, values);
    is_done = tune_op_list_add(&callee->ahead_calls, ahead);
  }
  for (intptr_t i = 0; i < operands && is_done; ++i)
    values[i] = mlirOperationGetOperand(call, i);
  for (intptr_t i = 0; i < results && is_done; ++i)
    values[operands + i] = mlirOperationGetResult(ahead, i);
  if (is_done)
    mlirOperationSetOperands(call, operands + results, values);
  free(types);
  free(values);
  return is_done ? TUNE_OK : tune_status_out_of_memory("packing ahead");
}

// What is ahead in `of`, with the parts of weights that loops make, where it asks for that.
static tune_status find_ahead(const splitter *self, const function *of,
                              tune_constant_dependence *out) {
  bool changed = false;
  TUNE_RETURN_IF_ERROR(tune_known_branches_open(of->op));
  TUNE_RETURN_IF_ERROR(tune_constant_dependence_find(of->op, constants_of(self, of), out));
  if (!tune_ir_take_flag(of->op, TUNE_WEIGHTS_AHEAD_ATTRIBUTE))
    return TUNE_OK;
  tune_ir_load_dialects(self->context, (const char *const[]){"arith", "memref", "scf", NULL});
  tune_status status = tune_weights_ahead_run(of->op, constants_of(self, of), out, &changed);
  if (!changed && tune_status_is_ok(status))
    return TUNE_OK;
  tune_constant_dependence_deinit(out);
  return tune_status_is_ok(status)
             ? tune_constant_dependence_find(of->op, constants_of(self, of), out)
             : status;
}

static tune_status split_function(splitter *self, function *of);

typedef struct packer {
  splitter *self;
  const function *caller;
  tune_status status;
} packer;

static MlirWalkResult pack_for_call(MlirOperation op, void *user_data) {
  packer *p = user_data;
  function *callee = find_callee(p->self, op);
  if (!callee || tune_memory_access_is_call_ahead(op))
    return MlirWalkResultAdvance;
  p->status = split_function(p->self, callee);
  if (tune_status_is_ok(p->status) && !mlirOperationIsNull(callee->ahead.op))
    p->status = pack_before(p->self, op, find_place(p->caller, op), callee);
  return tune_status_is_ok(p->status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

// Splits `of`, after what it calls.
static tune_status split_function(splitter *self, function *of) {
  if (of->is_done || of->stays)
    return TUNE_OK;
  of->is_done = true;
  packer p = {.self = self, .caller = of};
  mlirOperationWalk(of->op, pack_for_call, &p, MlirWalkPreOrder);
  TUNE_RETURN_IF_ERROR(p.status);
  tune_constant_dependence ahead;
  TUNE_RETURN_IF_ERROR(find_ahead(self, of, &ahead));
  tune_status status = ahead.kept_count
                           ? tune_ahead_function_split(self->module, of->op, &ahead, &of->ahead)
                           : TUNE_OK;
  tune_constant_dependence_deinit(&ahead);
  return status;
}

static tune_status describe(const splitter *self, const function *entry, tune_prepack *out) {
  if (mlirOperationIsNull(entry->ahead.op))
    return TUNE_OK;
  MlirOperation back = mlirBlockGetTerminator(tune_ir_body(entry->ahead.op));
  MlirStringRef name = name_of(entry->ahead.op);
  out->result_count = (size_t)mlirOperationGetNumOperands(back);
  out->argument_count = entry->ahead.argument_count;
  out->is_at_load = !self->is_called && out->argument_count == 0;
  out->function = strndup(name.data, name.length);
  out->arguments = calloc(out->argument_count + 1, sizeof *out->arguments);
  out->ranks = calloc(out->result_count + 1, sizeof *out->ranks);
  if (!out->function || !out->arguments || !out->ranks)
    return tune_status_out_of_memory("packing ahead");
  memcpy(out->arguments, entry->ahead.arguments, out->argument_count * sizeof *out->arguments);
  for (size_t i = 0; i < out->result_count; ++i)
    out->ranks[i] =
        (size_t)mlirShapedTypeGetRank(mlirValueGetType(mlirOperationGetOperand(back, (intptr_t)i)));
  return TUNE_OK;
}

static tune_status split(splitter *self, tune_prepack *out) {
  TUNE_RETURN_IF_ERROR(list_functions(self));
  TUNE_RETURN_IF_ERROR(find_constants(self));
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
    free(self.functions[i].ahead.arguments);
    tune_op_list_deinit(&self.functions[i].ahead_calls);
  }
  free(self.functions);
  tune_constant_dependence_deinit(&self.of_entry);
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
