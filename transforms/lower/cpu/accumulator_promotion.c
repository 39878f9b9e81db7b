//===- accumulator_promotion.c - Accumulator promotion: the reference's sums in wider types -===//

#include "transforms/lower/cpu/accumulator_promotion.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/lower/cpu/reference_loops.h"

// From here on the errors of a sum of f32, one addition after the other, come near what is allowed:
// of a million numbers of one sign they are more. Below it a reference in f32 is faster.
#define LONG_SUM 65536

// What of an op becomes what.
typedef struct widening {
  MlirBlock body;
  bool from_f32; // else from f16 and bf16
  MlirType wide;
} widening;

static bool is_narrow(const widening *w, MlirType type) {
  return w->from_f32 ? mlirTypeIsAF32(type) : tune_ir_is_short_float(type);
}

static bool is_narrow_buffer(const widening *w, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsAMemRef(type) && is_narrow(w, mlirShapedTypeGetElementType(type)) &&
         mlirShapedTypeGetRank(type) <= TUNE_IR_MAX_RANK;
}

//===--- Bodies -----------------------------------------------------------------------===//

// Whether `op` computes the same in a wider type, but for roundings.
static bool is_arithmetic(MlirOperation op) {
  static const char *const names[] = {"arith.addf",    "arith.subf",     "arith.mulf",
                                      "arith.divf",    "arith.remf",     "arith.negf",
                                      "arith.select",  "arith.cmpf",     "arith.maxnumf",
                                      "arith.minnumf", "arith.maximumf", "arith.minimumf"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (tune_ir_is(op, names[i]))
      return true;
  return tune_ir_string_starts(tune_ir_name(op), "math.");
}

// Makes `value` one of the wide type. What is no arithmetic gets it as it was: rounded.
static void widen_value(const widening *w, MlirValue value) {
  MlirType narrow = mlirValueGetType(value);
  mlirValueSetType(value, w->wide);
  MlirOpOperand next;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = next) {
    next = mlirOpOperandGetNextUse(use);
    MlirOperation owner = mlirOpOperandGetOwner(use);
    bool is_of_body = mlirBlockEqual(mlirOperationGetBlock(owner), w->body);
    if (is_of_body && (is_arithmetic(owner) || tune_ir_is(owner, "linalg.yield")))
      continue;
    tune_ir_builder before = tune_ir_builder_before(owner);
    mlirOperationSetOperand(owner, mlirOpOperandGetOperandNumber(use),
                            tune_ir_build_value(&before, "arith.truncf", narrow, 1, &value));
  }
}

static void extend_operands(const widening *w, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (!is_narrow(w, mlirValueGetType(operand)))
      continue;
    tune_ir_builder before = tune_ir_builder_before(op);
    mlirOperationSetOperand(op, i,
                            tune_ir_build_value(&before, "arith.extf", w->wide, 1, &operand));
  }
}

// Of a body whose arguments are wide already where what they stand for is.
static void widen_body(const widening *w) {
  for (MlirOperation op = mlirBlockGetFirstOperation(w->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    bool ends = tune_ir_is(op, "linalg.yield");
    if (!ends && !is_arithmetic(op))
      continue;
    extend_operands(w, op);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
      if (is_narrow(w, mlirValueGetType(mlirOperationGetResult(op, i))))
        widen_value(w, mlirOperationGetResult(op, i));
  }
}

//===--- Ops --------------------------------------------------------------------------===//

static void widen(const widening *w, MlirOperation op) {
  intptr_t count = mlirOperationGetNumOperands(op);
  intptr_t first = mlirDenseI32ArrayGetElement(tune_ir_attribute(op, "operandSegmentSizes"), 0);
  tune_ir_builder before = tune_ir_builder_before(op), after = before;
  after.before = mlirOperationGetNextInBlock(op);
  bool is_changed = false;
  for (intptr_t i = first; i < count; ++i) {
    MlirValue narrow = mlirOperationGetOperand(op, i);
    if (!is_narrow_buffer(w, narrow))
      continue;
    MlirValue wide = tune_ir_build_buffer_like(&before, narrow, w->wide);
    tune_ir_build_conversion(&before, "arith.extf", narrow, wide);
    mlirOperationSetOperand(op, i, wide);
    tune_ir_build_conversion(&after, "arith.truncf", wide, narrow);
    tune_ir_build(
        &after, &(tune_ir_parts){.name = "memref.dealloc", .operand_count = 1, .operands = &wide});
    widen_value(w, mlirBlockGetArgument(w->body, i));
    is_changed = true;
  }
  if (is_changed)
    widen_body(w);
}

// Where the place of the largest is asked for, say, products that would be equal when rounded have
// to be so.
static bool has_other_results(MlirOperation op) {
  intptr_t first = mlirDenseI32ArrayGetElement(tune_ir_attribute(op, "operandSegmentSizes"), 0);
  for (intptr_t i = first; i < mlirOperationGetNumOperands(op); ++i)
    if (!mlirTypeIsAFloat(
            mlirShapedTypeGetElementType(mlirValueGetType(mlirOperationGetOperand(op, i)))))
      return true;
  return false;
}

static MlirWalkResult widen_sum(MlirOperation op, void *user_data) {
  (void)user_data;
  int64_t length;
  if (!tune_reference_loops_reduces(op, &length) || has_other_results(op))
    return MlirWalkResultAdvance;
  MlirContext context = mlirOperationGetContext(op);
  MlirBlock body = tune_ir_body(op);
  // First those of f32, or what becomes f32 would be widened again.
  widening to_f64 = {body, true, mlirF64TypeGet(context)};
  if (length > LONG_SUM)
    widen(&to_f64, op);
  widening to_f32 = {body, false, mlirF32TypeGet(context)};
  widen(&to_f32, op);
  return MlirWalkResultAdvance;
}

void tune_accumulator_promotion_run(MlirOperation module) {
  tune_ir_load_dialects(mlirOperationGetContext(module),
                        (const char *const[]){"arith", "linalg", "memref", NULL});
  mlirOperationWalk(module, widen_sum, NULL, MlirWalkPostOrder);
}
