//===- nest_body.c ------------------------------------------------------------===//

#include "transforms/structure/nest_body.h"

#include "dialects/allow.h"
#include "transforms/ir/arith_facts.h"
#include "transforms/ir/ir.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_extension(MlirOperation op) {
  return tune_ir_is(op, "arith.extf") || tune_ir_is(op, "arith.extsi") ||
         tune_ir_is(op, "arith.extui") || tune_ir_is(op, "arith.sitofp");
}

// The block argument behind `value`, seen through widenings, or -1.
static intptr_t argument_behind(MlirValue value, MlirBlock block, bool *widened,
                                bool *zero_extended) {
  MlirOperation op = tune_ir_definition(value);
  while (!mlirOperationIsNull(op) && is_extension(op)) {
    *widened = true;
    *zero_extended |= tune_ir_is(op, "arith.extui");
    value = mlirOperationGetOperand(op, 0);
    op = tune_ir_definition(value);
  }
  if (!mlirValueIsABlockArgument(value) || !mlirBlockEqual(mlirBlockArgumentGetOwner(value), block))
    return -1;
  return mlirBlockArgumentGetArgNumber(value);
}

// Whether the body is `yield out + a * b` of the first two inputs.
static bool is_multiply_add(MlirBlock body, tune_nest *nest) {
  MlirOperation yield = mlirBlockGetTerminator(body);
  if (nest->input_count != 2 || mlirOperationGetNumOperands(yield) != 1)
    return false;
  MlirOperation add = tune_ir_definition(mlirOperationGetOperand(yield, 0));
  if (!tune_ir_is(add, "arith.addf") && !tune_ir_is(add, "arith.addi"))
    return false;
  for (intptr_t side = 0; side < 2; side++) {
    bool widened = false, zero_extended[2] = {false, false};
    intptr_t out =
        argument_behind(mlirOperationGetOperand(add, side), body, &widened, &zero_extended[0]);
    MlirOperation multiply = tune_ir_definition(mlirOperationGetOperand(add, 1 - side));
    if (out != 2 || widened ||
        (!tune_ir_is(multiply, "arith.mulf") && !tune_ir_is(multiply, "arith.muli")))
      continue;
    intptr_t a =
        argument_behind(mlirOperationGetOperand(multiply, 0), body, &widened, &zero_extended[0]);
    intptr_t b =
        argument_behind(mlirOperationGetOperand(multiply, 1), body, &widened, &zero_extended[1]);
    nest->widens = widened;
    nest->zero_extends[0] = zero_extended[a == 0 ? 0 : 1];
    nest->zero_extends[1] = zero_extended[a == 0 ? 1 : 0];
    return (a == 0 && b == 1) || (a == 1 && b == 0);
  }
  return false;
}

// Whether the body is `yield out + x`, with any op for + of which upstream knows the neutral
// element, and x not of out.
static bool is_combination(MlirBlock body, size_t input_count) {
  static const char *const combiners[] = {
      "arith.addf",     "arith.addi",    "arith.mulf",    "arith.muli",  "arith.maximumf",
      "arith.minimumf", "arith.maxnumf", "arith.minnumf", "arith.maxsi", "arith.minsi",
      "arith.maxui",    "arith.minui",   "arith.andi",    "arith.ori",   "arith.xori"};
  MlirOperation yield = mlirBlockGetTerminator(body);
  if (mlirOperationGetNumOperands(yield) != 1)
    return false;
  MlirOperation combine = tune_ir_definition(mlirOperationGetOperand(yield, 0));
  if (mlirOperationIsNull(combine))
    return false;
  bool is_known = false;
  for (size_t i = 0; i < sizeof combiners / sizeof *combiners; i++)
    is_known |= tune_ir_is(combine, combiners[i]);
  if (!is_known)
    return false;
  MlirValue out = mlirBlockGetArgument(body, (intptr_t)input_count);
  MlirOpOperand use = mlirValueGetFirstUse(out);
  return !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)) &&
         mlirOperationEqual(mlirOpOperandGetOwner(use), combine);
}

// Appends what `value` is to nest->expression; false where it does not fit, or is something else.
static bool write_expression(MlirBlock body, MlirValue value, tune_nest *nest) {
  size_t used = strlen(nest->expression), room = sizeof nest->expression - used;
  char *end = nest->expression + used;
  if (mlirValueIsABlockArgument(value)) {
    int64_t number = mlirBlockArgumentGetArgNumber(value);
    return mlirBlockEqual(mlirBlockArgumentGetOwner(value), body) &&
           (size_t)snprintf(end, room, "%" PRId64, number) < room;
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  MlirStringRef name = tune_ir_name(op);
  if (!mlirBlockEqual(mlirOperationGetBlock(op), body) || mlirOperationGetNumOperands(op) == 0 ||
      mlirOperationGetNumRegions(op) || tune_ir_is(op, "arith.cmpf") ||
      tune_ir_is(op, "arith.cmpi") ||
      (size_t)snprintf(end, room, "%.*s(", (int)name.length, name.data) >= room)
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    used = strlen(nest->expression);
    if (used + 3 >= sizeof nest->expression)
      return false;
    if (i)
      memcpy(nest->expression + used, ", ", 3);
    if (!write_expression(body, mlirOperationGetOperand(op, i), nest))
      return false;
  }
  used = strlen(nest->expression);
  if (used + 2 > sizeof nest->expression)
    return false;
  memcpy(nest->expression + used, ")", 2);
  return true;
}

static void read_expression(MlirBlock body, tune_nest *nest) {
  MlirOperation yield = mlirBlockGetTerminator(body);
  if (mlirOperationGetNumOperands(yield) != 1 ||
      !write_expression(body, mlirOperationGetOperand(yield, 0), nest))
    nest->expression[0] = '\0';
}

static bool is_costly_math(MlirOperation op) {
  static const char *const cheap[] = {"math.absf",  "math.absi",      "math.ceil",
                                      "math.floor", "math.fma",       "math.sqrt",
                                      "math.rsqrt", "math.roundeven", "math.copysign"};
  if (!tune_ir_string_starts(tune_ir_name(op), "math."))
    return false;
  for (size_t i = 0; i < sizeof cheap / sizeof *cheap; i++)
    if (tune_ir_is(op, cheap[i]))
      return false;
  return true;
}

void tune_nest_body_read(MlirOperation op, tune_nest *nest) {
  if (mlirOperationGetNumRegions(op) != 1)
    return;
  MlirBlock body = tune_ir_body(op);
  if (mlirBlockIsNull(body))
    return;
  nest->multiplies_and_adds = is_multiply_add(body, nest);
  tune_allowances allowances = tune_allow_get(op);
  nest->allows_tf32 = allowances & TUNE_ALLOWS_TF32;
  nest->allows_bf16 = allowances & TUNE_ALLOWS_BF16;
  nest->allows_f16 = allowances & TUNE_ALLOWS_F16;
  nest->combines = is_combination(body, nest->input_count);
  read_expression(body, nest);
  for (MlirOperation inner = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(inner);
       inner = mlirOperationGetNextInBlock(inner)) {
    if (is_costly_math(inner))
      nest->math_op_count++;
    nest->divides_integers |= tune_arith_divides(inner);
    if (tune_ir_is(inner, "linalg.index") || tune_ir_is(inner, "tensor.extract"))
      nest->has_index = true;
  }
}
