//===- nest_body.c - The body of a nest, on vectors --------------------------------------===//
//
// What is the same for all lanes stays a scalar, and is computed once.
//
//===--------------------------------------------------------------------------------------===//

#include "transforms/lower/cpu/nests/nest_emitter.h"

#include "transforms/ir/ir.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdio.h>

#define MOST_VALUES 192
#define MOST_ATTRIBUTES 8

// Values of the body and what they are in this copy.
typedef struct known_values {
  MlirValue of[MOST_VALUES];
  tune_nest_value is[MOST_VALUES];
  size_t count;
} known_values;

static void keep(known_values *known, MlirValue of, tune_nest_value is) {
  known->of[known->count] = of;
  known->is[known->count++] = is;
}

// What comes from outside of the body is the same for all lanes.
static tune_nest_value look_up(const known_values *known, MlirValue value) {
  for (size_t i = 0; i < known->count; ++i)
    if (mlirValueEqual(known->of[i], value))
      return known->is[i];
  return (tune_nest_value){.one = value};
}

static bool is_one(const tune_nest_value *value) { return !mlirValueIsNull(value->one); }
static bool is_run(const tune_nest_value *value) {
  return mlirValueIsNull(value->one) && mlirValueIsNull(value->vector);
}

static MlirOperation copy_scalar(const tune_nest_emitter *emitter, MlirOperation op,
                                 const tune_nest_value *operands) {
  MlirOperation copy = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(copy, i, operands[i].one);
  if (mlirOperationIsNull(emitter->builder.before))
    mlirBlockAppendOwnedOperation(emitter->builder.block, copy);
  else
    mlirBlockInsertOwnedOperationBefore(emitter->builder.block, emitter->builder.before, copy);
  return copy;
}

// The same op on vectors. The condition of a select may stay one for all.
static MlirValue copy_vector(const tune_nest_emitter *emitter, MlirOperation op,
                             const tune_nest_value *operands) {
  MlirValue values[TUNE_NEST_MAX_OPERANDS];
  MlirNamedAttribute attributes[MOST_ATTRIBUTES];
  intptr_t count = mlirOperationGetNumOperands(op),
           attribute_count = mlirOperationGetNumAttributes(op);
  for (intptr_t i = 0; i < count; ++i)
    values[i] = i == 0 && tune_ir_is(op, "arith.select") && is_one(&operands[0])
                    ? operands[0].one
                    : tune_nest_as_vector(emitter, &operands[i]);
  for (intptr_t i = 0; i < attribute_count && i < MOST_ATTRIBUTES; ++i)
    attributes[i] = mlirOperationGetAttribute(op, i);
  MlirStringRef name = tune_ir_name(op);
  char text[64];
  snprintf(text, sizeof text, "%.*s", (int)name.length, name.data);
  MlirType type = tune_nest_vector_type(emitter, mlirValueGetType(mlirOperationGetResult(op, 0)));
  return tune_ir_build_result(&emitter->builder,
                              &(tune_ir_parts){.name = text,
                                               .operand_count = count,
                                               .operands = values,
                                               .type_count = 1,
                                               .types = &type,
                                               .attribute_count = attribute_count,
                                               .attributes = attributes});
}

// Neighbouring numbers stay such when the same is added to all, and as i64.
static bool stays_run(MlirOperation op, const tune_nest_value *operands) {
  if (tune_ir_is(op, "arith.index_cast")) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    MlirType from = mlirValueGetType(mlirOperationGetOperand(op, 0));
    return is_run(&operands[0]) &&
           (mlirTypeIsAIndex(type) || mlirIntegerTypeGetWidth(type) == 64) &&
           (mlirTypeIsAIndex(from) || mlirIntegerTypeGetWidth(from) == 64);
  }
  if (tune_ir_is(op, "arith.subi"))
    return is_run(&operands[0]) && is_one(&operands[1]);
  return tune_ir_is(op, "arith.addi") && ((is_run(&operands[0]) && is_one(&operands[1])) ||
                                          (is_one(&operands[0]) && is_run(&operands[1])));
}

static tune_nest_value copy_run(const tune_nest_emitter *emitter, MlirOperation op,
                                const tune_nest_value *operands) {
  tune_nest_value firsts[2] = {{{NULL}, {NULL}, {NULL}}, {{NULL}, {NULL}, {NULL}}};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    firsts[i].one = is_one(&operands[i]) ? operands[i].one : operands[i].first;
  return (tune_nest_value){.first = mlirOperationGetResult(copy_scalar(emitter, op, firsts), 0)};
}

//===--- Reads by computed places --------------------------------------------------------===//

static bool is_dense(MlirValue buffer) {
  int64_t strides[TUNE_NEST_MAX_RANK], offset;
  MlirType type = mlirValueGetType(buffer);
  intptr_t rank = mlirShapedTypeGetRank(type);
  return rank > 0 && rank <= TUNE_NEST_MAX_RANK &&
         mlirLogicalResultIsSuccess(mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)) &&
         strides[rank - 1] == 1;
}

static bool is_bit(MlirType type) {
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1;
}

static MlirValue load_lanes(const tune_nest_emitter *emitter, MlirOperation op,
                            const tune_nest_value *operands) {
  MlirType element = mlirValueGetType(mlirOperationGetResult(op, 0));
  intptr_t rank = mlirOperationGetNumOperands(op) - 1;
  MlirValue vectors[TUNE_NEST_MAX_RANK], elements[TUNE_NEST_MAX_LANES];
  for (intptr_t i = 0; i < rank; ++i)
    vectors[i] = is_one(&operands[1 + i]) ? operands[1 + i].one
                 : is_run(&operands[1 + i])
                     ? tune_nest_lane_places(emitter, operands[1 + i].first, false)
                     : operands[1 + i].vector;
  for (int64_t lane = 0; lane < emitter->plan->lanes; ++lane) {
    MlirValue values[TUNE_NEST_MAX_RANK + 1] = {operands[0].one};
    for (intptr_t i = 0; i < rank; ++i)
      values[1 + i] = is_one(&operands[1 + i])
                          ? vectors[i]
                          : tune_ir_build_lane(&emitter->builder, vectors[i], lane);
    elements[lane] =
        tune_ir_build_value(&emitter->builder, "memref.load", element, rank + 1, values);
  }
  return tune_ir_build_value(&emitter->builder, "vector.from_elements",
                             tune_nest_vector_type(emitter, element), emitter->plan->lanes,
                             elements);
}

static tune_nest_value load(const tune_nest_emitter *emitter, MlirOperation op,
                            const tune_nest_value *operands) {
  intptr_t rank = mlirOperationGetNumOperands(op) - 1;
  MlirType element = mlirValueGetType(mlirOperationGetResult(op, 0));
  bool is_same = true, is_row = rank > 0 && is_run(&operands[rank]);
  for (intptr_t i = 0; i < rank; ++i) {
    is_same &= is_one(&operands[1 + i]);
    is_row &= i + 1 == rank || is_one(&operands[1 + i]);
  }
  if (is_same)
    return (tune_nest_value){.one = mlirOperationGetResult(copy_scalar(emitter, op, operands), 0)};
  if (!is_row || !is_dense(operands[0].one) || is_bit(element))
    return (tune_nest_value){.vector = load_lanes(emitter, op, operands)};
  MlirValue indices[TUNE_NEST_MAX_RANK];
  for (intptr_t i = 0; i < rank; ++i)
    indices[i] = i + 1 == rank ? operands[rank].first : operands[1 + i].one;
  return (tune_nest_value){
      .vector = tune_nest_load(emitter, operands[0].one, element, indices, (size_t)rank)};
}

//===--- The body -----------------------------------------------------------------------===//

static tune_nest_value index_of(const tune_nest_emitter *emitter, MlirOperation op,
                                tune_nest_copy copy) {
  size_t loop = (size_t)mlirIntegerAttrGetValueInt(tune_ir_attribute(op, "dim"));
  MlirValue place = tune_nest_place(emitter, loop, copy);
  if (loop != emitter->plan->lane_loop)
    return (tune_nest_value){.one = place};
  if (tune_nest_clamps(emitter))
    return (tune_nest_value){.vector = tune_nest_lane_places(emitter, place, true)};
  return (tune_nest_value){.first = place};
}

static tune_nest_value copy_op(const tune_nest_emitter *emitter, MlirOperation op,
                               const tune_nest_value *operands) {
  intptr_t count = mlirOperationGetNumOperands(op);
  if (tune_ir_is(op, "memref.load"))
    return load(emitter, op, operands);
  if (stays_run(op, operands))
    return copy_run(emitter, op, operands);
  bool is_scalar = true;
  for (intptr_t i = 0; i < count; ++i)
    is_scalar &= is_one(&operands[i]);
  if (is_scalar)
    return (tune_nest_value){.one = mlirOperationGetResult(copy_scalar(emitter, op, operands), 0)};
  return (tune_nest_value){.vector = copy_vector(emitter, op, operands)};
}

static void keep_arguments(const tune_nest_emitter *emitter, const tune_nest_value *arguments,
                           known_values *known) {
  for (size_t o = 0; o < emitter->nest->operand_count; ++o)
    if (emitter->nest->operands[o].is_needed)
      keep(known, mlirBlockGetArgument(emitter->nest->body, (intptr_t)o), arguments[o]);
}

static void keep_op(const tune_nest_emitter *emitter, MlirOperation op, tune_nest_copy copy,
                    known_values *known) {
  tune_nest_value operands[TUNE_NEST_MAX_RANK + 1];
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    operands[i] = look_up(known, mlirOperationGetOperand(op, i));
  keep(known, mlirOperationGetResult(op, 0),
       tune_ir_is(op, "linalg.index") ? index_of(emitter, op, copy)
                                      : copy_op(emitter, op, operands));
}

void tune_nest_write_body(tune_nest_emitter *emitter, tune_nest_copy copy,
                          const tune_nest_value *arguments, MlirValue *results) {
  known_values known = {.count = 0};
  keep_arguments(emitter, arguments, &known);
  MlirOperation op = mlirBlockGetFirstOperation(emitter->nest->body);
  for (; !tune_ir_is(op, "linalg.yield"); op = mlirOperationGetNextInBlock(op))
    keep_op(emitter, op, copy, &known);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    tune_nest_value value = look_up(&known, mlirOperationGetOperand(op, i));
    results[i] = tune_nest_as_vector(emitter, &value);
  }
}

// What `value` is made of, `needed` says for each op of the body, in their order.
static void find_needed(MlirBlock body, MlirValue value, bool *needed) {
  MlirOperation maker = tune_ir_definition(value);
  size_t number = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op), ++number) {
    if (!mlirOperationEqual(op, maker) || needed[number])
      continue;
    needed[number] = true;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      find_needed(body, mlirOperationGetOperand(op, i), needed);
  }
}

MlirValue tune_nest_write_value(tune_nest_emitter *emitter, tune_nest_copy copy,
                                const tune_nest_value *arguments, MlirValue value) {
  known_values known = {.count = 0};
  bool needed[MOST_VALUES] = {false};
  size_t number = 0;
  keep_arguments(emitter, arguments, &known);
  find_needed(emitter->nest->body, value, needed);
  for (MlirOperation op = mlirBlockGetFirstOperation(emitter->nest->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (needed[number++])
      keep_op(emitter, op, copy, &known);
  tune_nest_value made = look_up(&known, value);
  return tune_nest_as_vector(emitter, &made);
}

void tune_nest_write_scalars(const tune_nest_emitter *emitter, const MlirValue *arguments,
                             MlirValue *results) {
  known_values known = {.count = 0};
  for (size_t o = 0; o < emitter->nest->operand_count; ++o)
    keep(&known, mlirBlockGetArgument(emitter->nest->body, (intptr_t)o),
         (tune_nest_value){.one = arguments[o]});
  MlirOperation op = mlirBlockGetFirstOperation(emitter->nest->body);
  for (; !tune_ir_is(op, "linalg.yield"); op = mlirOperationGetNextInBlock(op)) {
    tune_nest_value operands[TUNE_NEST_MAX_RANK + 1], made;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      operands[i] = look_up(&known, mlirOperationGetOperand(op, i));
    if (tune_ir_is(op, "linalg.index"))
      made.one = emitter->at[mlirIntegerAttrGetValueInt(tune_ir_attribute(op, "dim"))];
    else
      made.one = mlirOperationGetResult(copy_scalar(emitter, op, operands), 0);
    keep(&known, mlirOperationGetResult(op, 0), (tune_nest_value){.one = made.one});
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    results[i] = look_up(&known, mlirOperationGetOperand(op, i)).one;
}
