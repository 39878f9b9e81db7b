//===- input_facts.c - Analysis: which arguments outputs are defined for -----===//

#include "transforms/ir/input_facts.h"

#include "transforms/ir/arith_facts.h"
#include "transforms/ir/constant_value.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_sums.h"

#include <math.h>

#define DEPTH_LIMIT 64
// What sums and products of steps (targets/sparse.h) may be computed with, to be exact in f32.
#define LARGEST_TERM 1024.0
#define FINEST_TERM 0x1p-6
#define LARGEST_FACTOR 0x1p8
#define MOST_SUMS 8

// Ops that are undefined for some operands, beside those that are said to be by their flags.
static const char *const converting_floats[] = {"arith.fptosi", "arith.fptoui", NULL};
static const char *const partial_ops[] = {"arith.index_cast", "arith.index_castui", "func.call",
                                          "math.ipowi", NULL};

static bool differs_from(MlirAttribute flags, const char *text) {
  MlirContext context = mlirAttributeGetContext(flags);
  return !mlirAttributeEqual(flags, mlirAttributeParseGet(context, tune_ir_string(text)));
}

// Whether values that a flag of `op` says there are not would make it undefined.
static bool has_promise(MlirOperation op) {
  MlirAttribute fast = tune_ir_attribute(op, "fastmath");
  if (!mlirAttributeIsNull(fast) && differs_from(fast, "#arith.fastmath<none>") &&
      differs_from(fast, "#arith.fastmath<contract>"))
    return true;
  return tune_arith_promises_no_overflow(op) ||
         !mlirAttributeIsNull(tune_ir_attribute(op, "nonNeg"));
}

// By a constant that is no zero, and not -1, of which the smallest integer has no quotient.
static bool divides_safely(MlirOperation op) {
  double by;
  return tune_constant_value(mlirOperationGetOperand(op, 1), &by) && by != 0 && by != -1;
}

static bool shifts_safely(MlirOperation op) {
  double by;
  return tune_constant_value(mlirOperationGetOperand(op, 1), &by) && by >= 0 &&
         by < (double)tune_arith_width(mlirValueGetType(mlirOperationGetOperand(op, 0)));
}

// Whether constants hold it between two numbers, on the way from `value` up, looked at for `low`
// and `high`.
static bool is_clamped(MlirValue value, double low, double high) {
  bool has_low = false, has_high = false;
  for (int depth = 0; depth < DEPTH_LIMIT && !(has_low && has_high); ++depth) {
    MlirOperation op = tune_ir_definition(value);
    double constant;
    if (tune_arith_rounds(op)) {
      value = mlirOperationGetOperand(op, 0);
      continue;
    }
    if (!tune_arith_clamps_floats(op))
      return false;
    bool is_second = tune_constant_value(mlirOperationGetOperand(op, 1), &constant);
    if (!is_second && !tune_constant_value(mlirOperationGetOperand(op, 0), &constant))
      return false;
    bool is_most = tune_ir_string_starts(tune_ir_name(op), "arith.min");
    has_high |= is_most && constant <= high;
    has_low |= !is_most && constant >= low;
    value = mlirOperationGetOperand(op, is_second ? 0 : 1);
  }
  return has_low && has_high;
}

static bool converts_safely(MlirOperation op) {
  bool is_signed = tune_ir_is(op, "arith.fptosi");
  int64_t width = tune_arith_width(mlirValueGetType(mlirOperationGetResult(op, 0)));
  double end = ldexp(1, (int)(is_signed ? width - 1 : width));
  return is_clamped(mlirOperationGetOperand(op, 0), is_signed ? -end : 0, end - 1);
}

static bool is_partial(MlirOperation op) {
  if (has_promise(op) || tune_ir_is_one_of(op, partial_ops))
    return true;
  if (tune_arith_divides(op))
    return !divides_safely(op);
  if (tune_arith_shifts(op))
    return !shifts_safely(op);
  return tune_ir_is_one_of(op, converting_floats) && !converts_safely(op);
}

static bool is_infinite(MlirOperation op) {
  double value;
  return mlirOperationGetNumResults(op) == 1 &&
         tune_constant_value(mlirOperationGetResult(op, 0), &value) && isinf(value);
}

static bool is_selected(MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (tune_ir_is(op, "arith.select") || tune_ir_is(op, "linalg.select") ||
        tune_ir_is(op, "linalg.yield") || tune_ir_is(op, "linalg.generic"))
      return true;
  }
  return false;
}

// Whether terms that are zero add nothing.
static bool sums_terms_alone(MlirOperation op, const tune_op_sum *sum) {
  static const char *const fitting[] = {"arith.addf",   "arith.mulf",   "arith.extf",
                                        "arith.truncf", "linalg.yield", NULL};
  MlirBlock body = tune_ir_body(op);
  double constant;
  for (MlirOperation inner = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(inner);
       inner = mlirOperationGetNextInBlock(inner)) {
    if (!tune_ir_is_one_of(inner, fitting))
      return false;
    for (intptr_t i = 0; tune_ir_is(inner, "arith.addf") && i < 2; ++i)
      if (tune_constant_value(mlirOperationGetOperand(inner, i), &constant))
        return false;
  }
  for (intptr_t i = 0; i < sum->input_count; ++i)
    if (!tune_input_is_moved(mlirOperationGetOperand(op, i)))
      return false;
  return true;
}

static MlirWalkResult is_float_comparison(MlirOperation op, void *found) {
  *(bool *)found |= tune_ir_is(op, "arith.cmpf");
  return MlirWalkResultAdvance;
}

static int digits_of(MlirType type) {
  return mlirTypeIsABF16(type) ? 8 : mlirTypeIsAF16(type) ? 11 : mlirTypeIsAF32(type) ? 24 : 53;
}

// What `op` sums up into: its last operand, as its results are.
static void note_sums(MlirOperation op, tune_input_facts *facts) {
  intptr_t count = mlirOperationGetNumOperands(op);
  if (count == 0)
    return;
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, count - 1));
  type = tune_ir_element_type(type);
  if (mlirTypeIsAFloat(type) &&
      (mlirTypeIsNull(facts->sums) || digits_of(type) < digits_of(facts->sums)))
    facts->sums = type;
}

static void look_at_structured(MlirOperation op, tune_input_facts *facts) {
  tune_op_sum of = tune_op_sum_of(op);
  if (of.reduces || of.multiplies || !of.is_known)
    note_sums(op, facts);
  facts->is_partial |= of.multiplies_up;
  bool is_product = of.multiplies, is_pool = of.reduces && !of.multiplies, is_other = !of.is_known;
  bool compares = false;
  if (is_pool)
    mlirOperationWalk(op, is_float_comparison, &compares, MlirWalkPreOrder);
  facts->takes_special &=
      !is_product && !compares && (!is_other || tune_ir_is(op, "linalg.softmax"));
  facts->sums_arguments &= (!is_pool && !is_product && !is_other) ||
                           ((is_pool || is_product) && sums_terms_alone(op, &of));
}

// How many ops add or multiply what is not constant.
typedef struct step_counts {
  int sums, products;
  bool is_inexact;
} step_counts;

static bool is_wide_float(MlirType type) {
  type = tune_ir_element_type(type);
  return mlirTypeIsAF32(type) || mlirTypeIsAF64(type);
}

static bool is_fine_term(double value) {
  return fabs(value) <= LARGEST_TERM && value / FINEST_TERM == rint(value / FINEST_TERM);
}

static bool is_fine_factor(double value) {
  int exponent;
  double size = fabs(value);
  bool is_power = frexp(size, &exponent) == 0.5;
  return size <= LARGEST_FACTOR &&
         ((is_power && size >= 1 / LARGEST_FACTOR) || (size <= 16 && size == rint(size)));
}

// Of an op of arith or math that gives or takes floats.
static void count_steps(MlirOperation op, step_counts *counts) {
  static const char *const exact[] = {
      "arith.constant", "arith.extf",    "arith.truncf", "arith.cmpf",
      "arith.select",   "arith.negf",    "math.absf",    "math.copysign",
      "arith.fptosi",   "arith.fptoui",  "arith.sitofp", "arith.uitofp",
      "math.isnan",     "math.isfinite", "math.isinf",   NULL};
  static const char *const adding[] = {"arith.addf", "arith.subf", NULL};
  MlirValue result = mlirOperationGetResult(op, 0);
  double constant;
  if (tune_ir_is_one_of(op, exact) || tune_arith_rounds(op) || tune_arith_clamps_floats(op))
    return;
  bool is_sum = tune_ir_is_one_of(op, adding);
  if ((!is_sum && !tune_ir_is(op, "arith.mulf")) || !is_wide_float(mlirValueGetType(result))) {
    counts->is_inexact = true;
    return;
  }
  bool is_constant = tune_constant_value(mlirOperationGetOperand(op, 1), &constant) ||
                     tune_constant_value(mlirOperationGetOperand(op, 0), &constant);
  counts->sums += is_sum;
  counts->products += !is_sum && !is_constant;
  if (is_constant)
    counts->is_inexact |= is_sum ? !is_fine_term(constant) : !is_fine_factor(constant);
}

// Of ops of arith and math.
static bool takes_or_gives_floats(MlirOperation op) {
  MlirStringRef name = tune_ir_name(op);
  if (mlirOperationGetNumResults(op) == 0 ||
      !(tune_ir_string_starts(name, "arith.") || tune_ir_string_starts(name, "math.")))
    return false;
  bool has_float = false;
  for (intptr_t i = 0; i <= mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = i < mlirOperationGetNumOperands(op) ? mlirOperationGetOperand(op, i)
                                                          : mlirOperationGetResult(op, 0);
    MlirType type = mlirValueGetType(value);
    has_float |= mlirTypeIsAFloat(tune_ir_element_type(type));
  }
  return has_float;
}

static MlirWalkResult look_at_steps(MlirOperation op, void *context) {
  if (takes_or_gives_floats(op))
    count_steps(op, context);
  return MlirWalkResultAdvance;
}

// What decides the signs of zeros.
typedef struct zero_findings {
  bool adds, multiplies, has_other;
} zero_findings;

static MlirWalkResult look_at_zeros(MlirOperation op, void *context) {
  static const char *const keeping[] = {"arith.constant",
                                        "arith.negf",
                                        "arith.select",
                                        "arith.cmpf",
                                        "arith.extf",
                                        "arith.truncf",
                                        "arith.bitcast",
                                        "arith.sitofp",
                                        "arith.uitofp",
                                        "arith.fptosi",
                                        "arith.fptoui",
                                        "math.copysign",
                                        "math.absf",
                                        "math.isnan",
                                        "math.isinf",
                                        "math.isfinite",
                                        NULL};
  static const char *const adding[] = {"arith.addf", "arith.subf", NULL};
  static const char *const multiplying[] = {"arith.mulf", "arith.divf", NULL};
  zero_findings *found = context;
  if (!takes_or_gives_floats(op))
    return MlirWalkResultAdvance;
  found->adds |= tune_ir_is_one_of(op, adding);
  found->multiplies |= tune_ir_is_one_of(op, multiplying);
  found->has_other |= !tune_ir_is_one_of(op, keeping) && !tune_ir_is_one_of(op, adding) &&
                      !tune_ir_is_one_of(op, multiplying) && !tune_arith_rounds(op);
  return MlirWalkResultAdvance;
}

static MlirWalkResult look_at(MlirOperation op, void *context) {
  static const char *const structured_not[] = {"linalg.yield", "linalg.index", NULL};
  static const char *const foreign[] = {"scf.", "affine.",   "memref.", "vector.",
                                        "cf.",  "func.call", NULL};
  tune_input_facts *facts = context;
  MlirStringRef name = tune_ir_name(op);
  facts->is_partial |= is_partial(op);
  facts->takes_special &= !tune_ir_is_one_of(op, converting_floats);
  if (tune_ir_string_starts(name, "linalg.") && !tune_ir_is_one_of(op, structured_not))
    look_at_structured(op, facts);
  for (const char *const *begin = foreign; *begin; ++begin)
    if (tune_ir_string_starts(name, *begin))
      facts->takes_special = facts->sums_arguments = false;
  if (tune_ir_string_equal(name, "arith.constant") && is_infinite(op))
    facts->has_infinities |= is_selected(mlirOperationGetResult(op, 0));
  return MlirWalkResultAdvance;
}

// Ops with more to them than a body of scalars.
static MlirWalkResult find_foreign(MlirOperation op, void *found) {
  static const char *const other[] = {"scf.", "affine.", "vector.", "func.call", "memref.", NULL};
  MlirStringRef name = tune_ir_name(op);
  for (const char *const *begin = other; *begin; ++begin)
    *(bool *)found |= tune_ir_string_starts(name, *begin);
  return MlirWalkResultAdvance;
}

// These, and reductions.
static MlirWalkResult find_sums(MlirOperation op, void *found) {
  MlirStringRef name = tune_ir_name(op);
  find_foreign(op, found);
  if (tune_ir_string_starts(name, "linalg.") && mlirOperationGetNumResults(op) > 0) {
    tune_op_sum sum = tune_op_sum_of(op);
    *(bool *)found |= !sum.is_known || sum.reduces;
  }
  return MlirWalkResultAdvance;
}

tune_input_facts tune_input_facts_of(MlirOperation function) {
  tune_input_facts facts = {.takes_special = true, .sums_arguments = true};
  bool has_sums = false;
  mlirOperationWalk(function, look_at, &facts, MlirWalkPreOrder);
  mlirOperationWalk(function, find_sums, &has_sums, MlirWalkPreOrder);
  facts.takes_special &= !facts.is_partial;
  bool is_foreign = false;
  mlirOperationWalk(function, find_foreign, &is_foreign, MlirWalkPreOrder);
  if (is_foreign)
    facts.sums = (MlirType){NULL};
  step_counts counts = {0};
  mlirOperationWalk(function, look_at_steps, &counts, MlirWalkPreOrder);
  facts.keeps_steps = !facts.is_partial && !has_sums && !counts.is_inexact &&
                      counts.sums <= MOST_SUMS && counts.products <= 1;
  // A product that is lost in its sum may be a zero of either sign.
  zero_findings zeros = {0};
  mlirOperationWalk(function, look_at_zeros, &zeros, MlirWalkPreOrder);
  facts.keeps_zeros =
      !facts.is_partial && !has_sums && !zeros.has_other && !(zeros.adds && zeros.multiplies);
  return facts;
}
