//===- host_functions.c -------------------------------------------------------===//

#include "transforms/lower/gpu/host/host_functions.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/common/memory_access.h"

#include <stdio.h>
#include <stdlib.h>

// On what has been cut out, in place of the mark of the schedule.
#define IS_CUT "tune.host_function"

bool tune_host_functions_is(MlirOperation op) {
  return tune_ir_is(op, "func.func") && !mlirAttributeIsNull(tune_ir_attribute(op, IS_CUT));
}

bool tune_host_functions_is_call(MlirOperation module, MlirOperation op) {
  if (!tune_ir_is(op, "func.call"))
    return false;
  MlirOperation called =
      tune_ir_find_symbol(module, mlirFlatSymbolRefAttrGetValue(tune_ir_attribute(op, "callee")));
  return !mlirOperationIsNull(called) && tune_host_functions_is(called);
}

// A function on its way.
typedef struct cutting {
  MlirOperation function, host; // what is left, and what is cut out
  MlirValue *results;           // of `function`: what it gives back
  MlirValue *operands;          // of the call
  intptr_t argument_count, operand_count, result_count;
} cutting;

static MlirType type_of(MlirOperation function) {
  return mlirTypeAttrGetValue(tune_ir_attribute(function, "function_type"));
}

static tune_status check(MlirOperation function) {
  MlirType type = type_of(function);
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i)
    if (!mlirTypeIsAMemRef(mlirFunctionTypeGetInput(type, i)))
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                                 "argument %d is a scalar; a step on the host takes buffers",
                                 (int)i);
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); ++i) {
    MlirType result = mlirFunctionTypeGetResult(type, i);
    if (!mlirTypeIsAMemRef(result) || !mlirShapedTypeHasStaticShape(result))
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                                 "result %d is no buffer of a size that is known; a step on the "
                                 "host makes such",
                                 (int)i);
  }
  return TUNE_OK;
}

// A copy of the function beside it, which nobody else calls.
static void copy_function(cutting *self) {
  MlirContext context = mlirOperationGetContext(self->function);
  char name[256];
  MlirStringRef of = tune_ir_string_attribute(self->function, "sym_name");
  snprintf(name, sizeof name, "%.*s_on_host", (int)of.length, of.data);
  self->host = mlirOperationClone(self->function);
  static const char *const GONE[] = {TUNE_HOST_ATTRIBUTE, "arg_attrs", "res_attrs"};
  for (size_t i = 0; i < sizeof GONE / sizeof *GONE; ++i)
    mlirOperationRemoveAttributeByName(self->host, tune_ir_string(GONE[i]));
  mlirOperationRemoveAttributeByName(self->function, tune_ir_string(TUNE_HOST_ATTRIBUTE));
  mlirOperationSetAttributeByName(self->host, tune_ir_string("sym_name"),
                                  mlirStringAttrGet(context, tune_ir_string(name)));
  mlirOperationSetAttributeByName(self->host, tune_ir_string("sym_visibility"),
                                  mlirStringAttrGet(context, tune_ir_string("private")));
  mlirOperationSetAttributeByName(self->host, tune_ir_string(IS_CUT), mlirUnitAttrGet(context));
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(self->function), self->function,
                                      self->host);
}

static MlirOperation last_op(MlirOperation function) {
  return mlirBlockGetTerminator(tune_ir_body(function));
}

// What is given back has to be in memory that the caller hands over: an argument, or one more.
static void take_results(cutting *self) {
  MlirOperation back = last_op(self->host);
  MlirBlock body = tune_ir_body(self->host);
  tune_ir_builder at_end = tune_ir_builder_before(back);
  MlirBlock left = tune_ir_body(self->function);
  tune_ir_builder before = tune_ir_builder_before(mlirBlockGetFirstOperation(left));
  for (intptr_t i = 0; i < self->argument_count; ++i)
    self->operands[self->operand_count++] = mlirBlockGetArgument(left, i);
  for (intptr_t i = 0; i < self->result_count; ++i) {
    MlirValue value = mlirOperationGetOperand(back, i);
    MlirType type = mlirValueGetType(value);
    if (mlirValueIsABlockArgument(value) &&
        mlirBlockEqual(mlirBlockArgumentGetOwner(value), body)) {
      self->results[i] = mlirBlockGetArgument(left, mlirBlockArgumentGetArgNumber(value));
      continue;
    }
    int32_t segments[] = {0, 0};
    MlirNamedAttribute attribute = tune_ir_named(before.context, "operandSegmentSizes",
                                                 mlirDenseI32ArrayGet(before.context, 2, segments));
    self->results[i] = tune_ir_build_result(&before, &(tune_ir_parts){.name = "memref.alloc",
                                                                      .type_count = 1,
                                                                      .types = &type,
                                                                      .attribute_count = 1,
                                                                      .attributes = &attribute});
    self->operands[self->operand_count++] = self->results[i];
    MlirValue copied[] = {value,
                          mlirBlockAddArgument(body, type, mlirOperationGetLocation(self->host))};
    tune_ir_build(&at_end,
                  &(tune_ir_parts){.name = "memref.copy", .operand_count = 2, .operands = copied});
  }
  mlirOperationSetOperands(back, 0, NULL);
}

// Leaves the call in the function, and nothing else.
static void leave_call(cutting *self) {
  MlirContext context = mlirOperationGetContext(self->function);
  MlirOperation back = last_op(self->function);
  tune_ir_builder before = tune_ir_builder_before(back);
  MlirNamedAttribute callee = tune_ir_named(
      context, "callee",
      mlirFlatSymbolRefAttrGet(context, tune_ir_string_attribute(self->host, "sym_name")));
  MlirOperation call = tune_ir_build(&before, &(tune_ir_parts){.name = "func.call",
                                                               .operand_count = self->operand_count,
                                                               .operands = self->operands,
                                                               .attribute_count = 1,
                                                               .attributes = &callee});
  mlirOperationSetOperands(back, self->result_count, self->results);
  // What it did, from the end on; the allocations are kept.
  MlirBlock body = tune_ir_body(self->function);
  tune_op_list ops = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, call);
       op = mlirOperationGetNextInBlock(op))
    tune_op_list_add(&ops, op);
  for (size_t i = ops.count; i-- > 0;) {
    bool is_kept = false;
    for (intptr_t r = 0; r < self->result_count; ++r)
      is_kept = is_kept || mlirOperationEqual(tune_ir_definition(self->results[r]), ops.ops[i]);
    if (!is_kept)
      mlirOperationDestroy(ops.ops[i]);
  }
  tune_op_list_deinit(&ops);
}

static void set_type(MlirOperation function) {
  MlirBlock body = tune_ir_body(function);
  intptr_t count = mlirBlockGetNumArguments(body);
  MlirType *types = calloc((size_t)count + 1, sizeof *types);
  for (intptr_t i = 0; types && i < count; ++i)
    types[i] = mlirValueGetType(mlirBlockGetArgument(body, i));
  if (types)
    mlirOperationSetAttributeByName(function, tune_ir_string("function_type"),
                                    mlirTypeAttrGet(mlirFunctionTypeGet(
                                        mlirOperationGetContext(function), count, types, 0, NULL)));
  free(types);
}

static tune_status cut(MlirOperation function) {
  TUNE_RETURN_IF_ERROR(check(function));
  MlirType type = type_of(function);
  cutting self = {.function = function,
                  .argument_count = mlirFunctionTypeGetNumInputs(type),
                  .result_count = mlirFunctionTypeGetNumResults(type)};
  self.results = calloc((size_t)self.result_count + 1, sizeof *self.results);
  self.operands =
      calloc((size_t)(self.argument_count + self.result_count) + 1, sizeof *self.operands);
  tune_status status = self.results && self.operands
                           ? TUNE_OK
                           : tune_status_out_of_memory("cutting out a step on the host");
  if (tune_status_is_ok(status)) {
    copy_function(&self);
    take_results(&self);
    set_type(self.host);
    leave_call(&self);
  }
  free(self.results);
  free(self.operands);
  return status;
}

tune_status tune_host_functions_cut(MlirOperation module) {
  static const char *const MADE_OF[] = {"func", "memref", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(module), MADE_OF);
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "func.func") && !mlirBlockIsNull(tune_ir_body(op)) &&
        !mlirAttributeIsNull(tune_ir_attribute(op, TUNE_HOST_ATTRIBUTE)))
      TUNE_RETURN_IF_ERROR(cut(op));
  return TUNE_OK;
}
