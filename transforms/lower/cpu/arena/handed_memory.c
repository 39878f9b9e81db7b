//===- handed_memory.c ------------------------------------------------------------===//

#include "transforms/lower/cpu/arena/handed_memory.h"

#include "dialects/threads.h"
#include "transforms/ir/function_type.h"
#include "transforms/ir/ir.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/common/memory_access.h"
#include "transforms/lower/cpu/arena/known_buffers.h"

#include <stdlib.h>

//===--------------------------------------------------------------------------===//
// One tensor for each call
//===--------------------------------------------------------------------------===//

// Calls, and all else that is in loops that threads share. (No task calls another one: loops of
// schedules have no calls around them, nor in them.)
static MlirWalkResult list_writer(MlirOperation op, void *user_data) {
  if (!tune_ir_is(op, "func.call") && !tune_threads_share(op))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

// Whether `op` has `value` alone, each time that it is there.
static bool has_own(MlirOperation op, MlirValue value) {
  return tune_ir_has_one_use(value) &&
         mlirBlockEqual(mlirOperationGetBlock(mlirOpResultGetOwner(value)),
                        mlirOperationGetBlock(op));
}

// Whether images of a batch take turns in it, be it that no task is among what these go through.
static bool takes_turns(MlirOperation function) {
  return !mlirAttributeIsNull(tune_ir_attribute(function, TUNE_IMAGES_TAKEN_ATTRIBUTE));
}

// Whether `call` shows what it writes into its operand `operand`, a buffer, by its result alone: it
// gives that back, or leaves it alone. So it was on tensors, and is until results are dropped.
static bool gives_back(MlirOperation call, intptr_t operand) {
  MlirOperation callee = tune_ir_called_function(call);
  if (mlirOperationIsNull(callee) || !tune_ir_is_only_block(tune_ir_body(callee)))
    return false;
  MlirBlock body = tune_ir_body(callee);
  MlirValue argument = mlirBlockGetArgument(body, operand);
  MlirOperation end = mlirBlockGetTerminator(body);
  bool is_given = mlirOpOperandIsNull(mlirValueGetFirstUse(argument));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i)
    is_given |= mlirValueEqual(mlirOperationGetOperand(end, i), argument);
  return is_given;
}

// Whether nobody who reads `value` asks what another one has left there: a tensor.empty, or what a
// schedule's bufferization has made of one.
static bool is_fresh(MlirValue value) {
  MlirOperation maker = tune_ir_definition(value);
  if (tune_ir_is(maker, "tensor.empty"))
    return true;
  bool is_so = tune_ir_is(maker, "memref.alloc") && mlirOperationGetNumOperands(maker) == 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); is_so && !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    is_so = tune_ir_is(mlirOpOperandGetOwner(use), "func.call") &&
            gives_back(mlirOpOperandGetOwner(use), mlirOpOperandGetOperandNumber(use));
  return is_so;
}

static bool separate(MlirOperation function) {
  tune_op_list writers = {0};
  mlirOperationWalk(function, list_writer, &writers, MlirWalkPreOrder);
  for (size_t i = 0; i < writers.count; ++i)
    for (intptr_t o = 0; o < mlirOperationGetNumOperands(writers.ops[i]); ++o) {
      MlirValue value = mlirOperationGetOperand(writers.ops[i], o);
      if (!is_fresh(value) || has_own(writers.ops[i], value))
        continue;
      MlirOperation own = mlirOperationClone(tune_ir_definition(value));
      mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(writers.ops[i]), writers.ops[i],
                                          own);
      mlirOperationSetOperand(writers.ops[i], o, mlirOperationGetResult(own, 0));
    }
  tune_op_list_deinit(&writers);
  return !writers.failed;
}

tune_status tune_handed_memory_separate(MlirOperation module) {
  bool is_done = true;
  MlirBlock body = tune_ir_body(module);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op) && is_done;
       op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "func.func") && (tune_ir_has_calls(op) || takes_turns(op)))
      is_done = separate(op);
  return is_done ? TUNE_OK : tune_status_out_of_memory("listing calls");
}

//===--------------------------------------------------------------------------===//
// Functions and their calls
//===--------------------------------------------------------------------------===//

typedef struct function {
  MlirOperation op;
  tune_op_list calls;
  bool is_known; // its calls are these
  bool is_open;  // while what it calls is looked for
  bool is_done;
} function;

typedef struct functions {
  MlirOperation module;
  function *items;
  size_t count;
  size_t *order; // those that are called before those that call
  size_t order_count;
} functions;

static bool may_be_handed(MlirOperation op) {
  MlirBlock body = tune_ir_is(op, "func.func") ? tune_ir_body(op) : (MlirBlock){NULL};
  return !mlirBlockIsNull(body) && mlirBlockIsNull(mlirBlockGetNextInRegion(body)) &&
         tune_ir_is(mlirBlockGetTerminator(body), "func.return") &&
         tune_ir_string_equal(tune_ir_string_attribute(op, "sym_visibility"), "private") &&
         mlirAttributeIsNull(tune_ir_attribute(op, TUNE_AHEAD_ATTRIBUTE));
}

static function *find(const functions *self, MlirStringRef name) {
  for (size_t i = 0; i < self->count; ++i)
    if (mlirStringRefEqual(tune_ir_string_attribute(self->items[i].op, "sym_name"), name))
      return &self->items[i];
  return NULL;
}

static MlirWalkResult look_at_references(MlirOperation op, void *user_data) {
  const functions *self = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirAttribute attribute = mlirOperationGetAttribute(op, i).attribute;
    if (!mlirAttributeIsAFlatSymbolRef(attribute))
      continue;
    function *named = find(self, mlirFlatSymbolRefAttrGetValue(attribute));
    if (!named)
      continue;
    if (tune_ir_is(op, "func.call"))
      named->is_known &= tune_op_list_add(&named->calls, op);
    else
      named->is_known = false;
  }
  return MlirWalkResultAdvance;
}

static void order_from(functions *self, function *at);

// What calls itself is not known: each of its calls needs memory.
static MlirWalkResult order_callee(MlirOperation op, void *user_data) {
  functions *self = user_data;
  MlirOperation callee =
      tune_ir_is(op, "func.call") ? tune_ir_called_function(op) : (MlirOperation){NULL};
  function *found =
      mlirOperationIsNull(callee) ? NULL : find(self, tune_ir_string_attribute(callee, "sym_name"));
  if (found && found->is_open)
    found->is_known = false;
  else if (found && !found->is_done)
    order_from(self, found);
  return MlirWalkResultAdvance;
}

// What `at` calls, then `at`.
static void order_from(functions *self, function *at) {
  at->is_open = true;
  mlirOperationWalk(at->op, order_callee, self, MlirWalkPreOrder);
  at->is_open = false;
  at->is_done = true;
  self->order[self->order_count++] = (size_t)(at - self->items);
}

static tune_status find_functions(MlirOperation module, functions *out) {
  *out = (functions){.module = module};
  size_t count = 0;
  MlirBlock body = tune_ir_body(module);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    count += may_be_handed(op);
  out->items = calloc(count + 1, sizeof *out->items);
  out->order = calloc(count + 1, sizeof *out->order);
  if (!out->items || !out->order)
    return tune_status_out_of_memory("looking for memory to hand over");
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (may_be_handed(op))
      out->items[out->count++] = (function){.op = op, .is_known = true};
  mlirOperationWalk(module, look_at_references, out, MlirWalkPreOrder);
  for (size_t i = 0; i < out->count; ++i)
    if (!out->items[i].is_done)
      order_from(out, &out->items[i]);
  return TUNE_OK;
}

static void free_functions(functions *self) {
  for (size_t i = 0; i < self->count; ++i)
    tune_op_list_deinit(&self->items[i].calls);
  free(self->items);
  free(self->order);
}

//===--------------------------------------------------------------------------===//
// Changing both sides
//===--------------------------------------------------------------------------===//

// Makes the memory of `allocation`, in `of`, an argument of it, which its calls hand over; what
// they hand over is noted in `out_handed`, a value for each call, where that is not NULL.
static tune_status hand_over(function *of, MlirOperation allocation, MlirValue *out_handed) {
  MlirValue buffer = mlirOperationGetResult(allocation, 0);
  MlirType type = mlirValueGetType(buffer);
  MlirValue argument =
      mlirBlockAddArgument(tune_ir_body(of->op), type, mlirOperationGetLocation(allocation));
  mlirValueReplaceAllUsesOfWith(buffer, argument);
  mlirOperationDestroy(allocation);
  for (size_t i = 0; i < of->calls.count; ++i) {
    MlirOperation call = of->calls.ops[i];
    intptr_t count = mlirOperationGetNumOperands(call);
    MlirValue *operands = calloc((size_t)count + 1, sizeof *operands);
    if (!operands)
      return tune_status_out_of_memory("handing memory over");
    for (intptr_t k = 0; k < count; ++k)
      operands[k] = mlirOperationGetOperand(call, k);
    tune_ir_builder builder = tune_ir_builder_before(call);
    operands[count] = tune_known_buffer_allocate(&builder, type);
    mlirOperationSetOperands(call, count + 1, operands);
    if (out_handed)
      out_handed[i] = operands[count];
    free(operands);
  }
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Results
//===--------------------------------------------------------------------------===//

// The allocation whose memory `of` returns as result `index`, and nothing else of it, or null.
static MlirOperation find_returned(const function *of, intptr_t index) {
  MlirOperation back = mlirBlockGetTerminator(tune_ir_body(of->op));
  MlirValue value = mlirOperationGetOperand(back, index);
  MlirOperation maker = tune_ir_definition(value);
  if (mlirOperationIsNull(maker) || !tune_known_buffer_is(maker) ||
      !mlirBlockEqual(mlirOperationGetBlock(maker), tune_ir_body(of->op)))
    return (MlirOperation){NULL};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(back); ++i)
    if (i != index && mlirValueEqual(mlirOperationGetOperand(back, i), value))
      return (MlirOperation){NULL};
  return maker;
}

// The same call without result `index`, which is `instead`.
static MlirOperation drop_result(MlirOperation call, intptr_t index, MlirValue instead) {
  MlirOperationState state =
      mlirOperationStateGet(tune_ir_string("func.call"), mlirOperationGetLocation(call));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i) {
    MlirValue operand = mlirOperationGetOperand(call, i);
    mlirOperationStateAddOperands(&state, 1, &operand);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(call, i));
    if (i != index)
      mlirOperationStateAddResults(&state, 1, &type);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(call); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(call, i);
    if (!tune_ir_string_equal(mlirIdentifierStr(attribute.name), "res_attrs"))
      mlirOperationStateAddAttributes(&state, 1, &attribute);
  }
  MlirOperation shorter = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(call), call, shorter);
  for (intptr_t i = 0, k = 0; i < mlirOperationGetNumResults(call); ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(call, i),
                                  i == index ? instead : mlirOperationGetResult(shorter, k++));
  return shorter;
}

// Calls are in the lists of the functions that they call alone.
static void replace_call(function *of, size_t number, intptr_t index, MlirValue instead) {
  MlirOperation call = of->calls.ops[number];
  of->calls.ops[number] = drop_result(call, index, instead);
  mlirOperationDestroy(call);
}

static tune_status hand_result(function *of, intptr_t index, MlirOperation allocation) {
  MlirValue *handed = calloc(of->calls.count + 1, sizeof *handed);
  if (!handed)
    return tune_status_out_of_memory("handing memory over");
  MlirOperation back = mlirBlockGetTerminator(tune_ir_body(of->op));
  intptr_t count = mlirOperationGetNumOperands(back), kept = 0;
  MlirValue *values = calloc((size_t)count + 1, sizeof *values);
  tune_status status =
      values ? hand_over(of, allocation, handed) : tune_status_out_of_memory("handing memory over");
  if (tune_status_is_ok(status)) {
    for (intptr_t i = 0; i < count; ++i)
      if (i != index)
        values[kept++] = mlirOperationGetOperand(back, i);
    mlirOperationSetOperands(back, kept, values);
    for (size_t i = 0; i < of->calls.count; ++i)
      replace_call(of, i, index, handed[i]);
    status = tune_function_type_set(of->op);
  }
  free(values);
  free(handed);
  return status;
}

static tune_status hand_results(function *of) {
  MlirOperation back = mlirBlockGetTerminator(tune_ir_body(of->op));
  for (intptr_t i = mlirOperationGetNumOperands(back); i-- > 0;) {
    MlirOperation allocation = find_returned(of, i);
    if (!mlirOperationIsNull(allocation))
      TUNE_RETURN_IF_ERROR(hand_result(of, i, allocation));
  }
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// What nobody uses
//===--------------------------------------------------------------------------===//

static tune_status drop_operand(MlirOperation call, intptr_t index) {
  intptr_t count = mlirOperationGetNumOperands(call);
  MlirValue *operands = calloc((size_t)count, sizeof *operands);
  if (!operands)
    return tune_status_out_of_memory("handing memory over");
  MlirOperation maker = tune_ir_definition(mlirOperationGetOperand(call, index));
  for (intptr_t i = 0, k = 0; i < count; ++i)
    if (i != index)
      operands[k++] = mlirOperationGetOperand(call, i);
  mlirOperationSetOperands(call, count - 1, operands);
  free(operands);
  while (!mlirOperationIsNull(maker) && !tune_ir_is_used(maker) &&
         (tune_ir_is(maker, "memref.alloc") || tune_memory_access_is_view(maker))) {
    MlirOperation unused = maker;
    maker = mlirOperationGetNumOperands(maker)
                ? tune_ir_definition(mlirOperationGetOperand(maker, 0))
                : (MlirOperation){NULL};
    mlirOperationDestroy(unused);
  }
  return TUNE_OK;
}

static tune_status drop_unused_arguments(function *of) {
  MlirBlock body = tune_ir_body(of->op);
  bool drops = false;
  for (intptr_t i = mlirBlockGetNumArguments(body); i-- > 0;) {
    MlirValue argument = mlirBlockGetArgument(body, i);
    if (!mlirTypeIsAMemRef(mlirValueGetType(argument)) ||
        !mlirOpOperandIsNull(mlirValueGetFirstUse(argument)))
      continue;
    drops = true;
    mlirBlockEraseArgument(body, (unsigned)i);
    for (size_t k = 0; k < of->calls.count; ++k)
      TUNE_RETURN_IF_ERROR(drop_operand(of->calls.ops[k], i));
  }
  return drops ? tune_function_type_set(of->op) : TUNE_OK;
}

tune_status tune_handed_memory_results(MlirOperation module) {
  functions all;
  tune_status status = find_functions(module, &all);
  for (size_t i = 0; i < all.order_count && tune_status_is_ok(status); ++i) {
    function *of = &all.items[all.order[i]];
    if (!of->is_known)
      continue;
    status = hand_results(of);
    if (tune_status_is_ok(status))
      status = drop_unused_arguments(of);
  }
  free_functions(&all);
  return status;
}

//===--------------------------------------------------------------------------===//
// Temporaries
//===--------------------------------------------------------------------------===//

static tune_status hand_temporaries(function *of, bool has_threads) {
  tune_op_list buffers = {0};
  tune_known_buffers_list(of->op, has_threads, &buffers);
  tune_status status = buffers.failed ? tune_status_out_of_memory("handing memory over") : TUNE_OK;
  for (size_t i = 0; i < buffers.count && tune_status_is_ok(status); ++i)
    status = hand_over(of, buffers.ops[i], NULL);
  if (tune_status_is_ok(status) && buffers.count)
    status = tune_function_type_set(of->op);
  tune_op_list_deinit(&buffers);
  return status;
}

tune_status tune_handed_memory_temporaries(MlirOperation module, bool has_threads) {
  functions all;
  tune_status status = find_functions(module, &all);
  for (size_t i = 0; i < all.order_count && tune_status_is_ok(status); ++i) {
    function *of = &all.items[all.order[i]];
    if (of->is_known && of->calls.count)
      status = hand_temporaries(of, has_threads);
  }
  free_functions(&all);
  return status;
}
