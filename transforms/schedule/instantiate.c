//===- instantiate.c - A schedule with its knobs decided, and its application -===//

#include "transforms/schedule/instantiate.h"

#include "dialects/allow.h"
#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/no_elements.h"
#include "transforms/schedule/quick_messages.h"
#include "transforms/schedule/schedule_constraints.h"
#include "transforms/schedule/schedule_knobs.h"
#include "transforms/schedule/schedule_result.h"
#include "transforms/structure/rounded_factors.h"

#include "mlir-c/Dialect/Transform/Interpreter.h"

#include <stdlib.h>

//===--------------------------------------------------------------------------===//
// Deciding
//===--------------------------------------------------------------------------===//

typedef struct decided {
  const tune_space *space;
  const tune_config *config;
} decided;

static tune_status select_in_block(const decided *decisions, MlirBlock block);

// The knob that `op` is about, or NULL; `*out_choice` is the config's choice.
static const tune_knob *find_knob(const decided *decisions, MlirOperation op, size_t *out_choice) {
  size_t index = tune_schedule_find_knob(decisions->space, op);
  if (index == SIZE_MAX)
    return NULL;
  *out_choice = decisions->config->choices[index];
  return tune_space_knob(decisions->space, index);
}

static tune_status unknown_knob(MlirOperation op, MlirStringRef name) {
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, op, "the knob \"%.*s\" is not in the space",
                             (int)name.length, name.data);
}

// Puts a transform.param.constant of `value` in the place of result number `result` of `op`.
static void replace_by_constant(MlirOperation op, intptr_t result, MlirAttribute value,
                                MlirStringRef knob) {
  MlirContext context = mlirOperationGetContext(op);
  MlirValue old = mlirOperationGetResult(op, result);
  MlirOperationState state = mlirOperationStateGet(tune_ir_string("transform.param.constant"),
                                                   mlirOperationGetLocation(op));
  MlirType type = mlirValueGetType(old);
  mlirOperationStateAddResults(&state, 1, &type);
  MlirNamedAttribute attributes[] = {
      tune_ir_named(context, "value", value),
      tune_ir_named(context, "tune.knob", mlirStringAttrGet(context, knob)),
  };
  mlirOperationStateAddAttributes(&state, knob.data ? 2 : 1, attributes);
  MlirOperation constant = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, constant);
  mlirValueReplaceAllUsesOfWith(old, mlirOperationGetResult(constant, 0));
}

static MlirAttribute integer_attribute(MlirContext context, int64_t value) {
  return mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), value);
}

static tune_status select_knob(const decided *decisions, MlirOperation op) {
  MlirStringRef name = tune_ir_string_attribute(op, "name");
  size_t choice = 0;
  const tune_knob *knob = find_knob(decisions, op, &choice);
  if (!knob)
    return unknown_knob(op, name);
  MlirContext context = mlirOperationGetContext(op);
  replace_by_constant(op, 0,
                      knob->labels
                          ? mlirStringAttrGet(context, tune_ir_string(knob->labels[choice]))
                          : integer_attribute(context, knob->values[choice]),
                      name);
  mlirOperationDestroy(op);
  return TUNE_OK;
}

// The region of alternatives that is chosen: by a param, an attribute or the config, in this order.
static tune_status choose_region(const decided *decisions, MlirOperation op, int64_t *out_region) {
  MlirStringRef name = tune_ir_string_attribute(op, "name");
  MlirAttribute selected = tune_ir_attribute(op, "selected_region_attr");
  if (mlirOperationGetNumOperands(op) > 0) {
    MlirValue param = mlirOperationGetOperand(op, 0);
    MlirAttribute value = {NULL};
    if (mlirValueIsAOpResult(param))
      value = tune_ir_attribute(mlirOpResultGetOwner(param), "value");
    if (mlirAttributeIsNull(value) || !mlirAttributeIsAInteger(value))
      return tune_status_make_at(
          TUNE_INVALID_ARGUMENT, op,
          "the region of alternatives \"%.*s\" is selected by something that "
          "is no knob or constant",
          (int)name.length, name.data);
    *out_region = mlirIntegerAttrGetValueInt(value);
  } else if (!mlirAttributeIsNull(selected)) {
    *out_region = mlirIntegerAttrGetValueSInt(selected);
  } else {
    size_t choice = 0;
    const tune_knob *knob = find_knob(decisions, op, &choice);
    if (!knob)
      return unknown_knob(op, name);
    *out_region = knob->values[choice];
  }
  if (*out_region >= 0 && *out_region < mlirOperationGetNumRegions(op))
    return TUNE_OK;
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                             "alternatives \"%.*s\" have no region %lld, but 0 to %lld",
                             (int)name.length, name.data, (long long)*out_region,
                             (long long)mlirOperationGetNumRegions(op) - 1);
}

// Puts the ops of the chosen region where the alternatives stand, decided themselves.
static tune_status select_alternatives(const decided *decisions, MlirOperation op) {
  int64_t region = 0;
  TUNE_RETURN_IF_ERROR(choose_region(decisions, op, &region));
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, (intptr_t)region));
  TUNE_RETURN_IF_ERROR(select_in_block(decisions, body));
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, i), mlirOperationGetOperand(yield, i));
  for (MlirOperation inner = mlirBlockGetFirstOperation(body); !mlirOperationEqual(inner, yield);) {
    MlirOperation next = mlirOperationGetNextInBlock(inner);
    mlirOperationMoveBefore(inner, op);
    inner = next;
  }
  mlirOperationDestroy(op);
  return TUNE_OK;
}

static tune_status remove_constraints(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    int64_t value;
    TUNE_RETURN_IF_ERROR(tune_schedule_evaluate(op, i, &value));
    replace_by_constant(op, i, integer_attribute(mlirOperationGetContext(op), value),
                        mlirStringRefCreate(NULL, 0));
  }
  mlirOperationDestroy(op);
  return TUNE_OK;
}

// Of a sequence that says so: its argument is consumed by what was selected.
static void mark_consumed(MlirOperation op) {
  if (!tune_ir_is(op, "transform.named_sequence") ||
      !mlirOperationRemoveDiscardableAttributeByName(op, tune_ir_string(TUNE_CONSUMES_ATTRIBUTE)))
    return;
  MlirContext context = mlirOperationGetContext(op);
  MlirNamedAttribute consumed = mlirNamedAttributeGet(
      mlirIdentifierGet(context, tune_ir_string("transform.consumed")), mlirUnitAttrGet(context));
  MlirAttribute argument = mlirDictionaryAttrGet(context, 1, &consumed);
  mlirOperationSetAttributeByName(op, tune_ir_string("arg_attrs"),
                                  mlirArrayAttrGet(context, 1, &argument));
}

static tune_status select_in_op(const decided *decisions, MlirOperation op) {
  if (tune_ir_is(op, "transform.tune.knob"))
    return select_knob(decisions, op);
  if (tune_ir_is(op, "transform.tune.alternatives"))
    return select_alternatives(decisions, op);
  if (tune_ir_is(op, "transform.smt.constrain_params"))
    return remove_constraints(op);
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      TUNE_RETURN_IF_ERROR(select_in_block(decisions, block));
  mark_consumed(op);
  return TUNE_OK;
}

// In order, so that what an op uses is decided before it.
static tune_status select_in_block(const decided *decisions, MlirBlock block) {
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    TUNE_RETURN_IF_ERROR(select_in_op(decisions, op));
  }
  return TUNE_OK;
}

tune_status tune_schedule_select(MlirOperation module, const tune_space *space,
                                 const tune_config *config) {
  decided decisions = {.space = space, .config = config};
  return select_in_op(&decisions, module);
}

//===--------------------------------------------------------------------------===//
// Applying
//===--------------------------------------------------------------------------===//

// What upstream's tiling to forall says about a reduction dimension, and goes on.
#define RACE_WARNING "not thread safe"

// `warnings` begins with the place of the first, "p.mlir:3:8: warning: ...".
static tune_status refuse_race(const char *warnings) {
  const char *word = strstr(warnings, ": warning: ");
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "%.*s%sparallel tiles of a reduction would race; upstream says: %s",
                          word ? (int)(word - warnings) : 0, warnings, word ? ": error: " : "",
                          word ? word + strlen(": warning: ") : warnings);
}

static tune_status interpret(MlirOperation payload, MlirOperation schedule, bool verifies) {
  // A module, before it is normalized; a task is so.
  tune_allow_place(payload);
  TUNE_RETURN_IF_ERROR(tune_no_elements_replace(payload));
  MlirOperation entry = tune_ir_find_symbol(schedule, tune_ir_string("__transform_main"));
  if (mlirOperationIsNull(entry))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, schedule,
                               "the schedule has no sequence @__transform_main");
  tune_diagnostics diagnostics;
  tune_diagnostics_begin(&diagnostics, mlirOperationGetContext(payload));
  MlirTransformOptions options = mlirTransformOptionsCreate();
  mlirTransformOptionsEnableExpensiveChecks(options, false);
  tune_rounded_factors_register();
  tune_quick_messages_begin();
  bool failed = mlirLogicalResultIsFailure(
      mlirTransformApplyNamedSequence(payload, entry, schedule, options));
  tune_quick_messages_end();
  mlirTransformOptionsDestroy(options);
  failed = failed || (verifies && !mlirOperationVerify(payload));
  tune_status status =
      tune_diagnostics_end(&diagnostics, failed, TUNE_INVALID_ARGUMENT, "applying the schedule");
  if (tune_status_is_ok(status) && diagnostics.warnings.text &&
      strstr(diagnostics.warnings.text, RACE_WARNING))
    status = refuse_race(diagnostics.warnings.text);
  tune_diagnostics_deinit(&diagnostics);
  return status;
}

tune_status tune_schedule_apply(MlirOperation payload, MlirOperation schedule) {
  tune_schedule_given given;
  tune_status status = tune_schedule_given_init(&given, payload);
  if (tune_status_is_ok(status))
    status = interpret(payload, schedule, true);
  if (tune_status_is_ok(status))
    status = tune_schedule_given_compare(&given, payload, schedule);
  tune_schedule_given_deinit(&given);
  return status;
}

tune_status tune_schedule_apply_part(MlirOperation payload, MlirOperation schedule) {
  return interpret(payload, schedule, false);
}
