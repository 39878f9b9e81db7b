//===- nvvm_math.c - Math functions on NVIDIA's GPUs -------------------------===//

#include "transforms/lower/cuda/nvvm_math.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/math_calls.h"
#include "transforms/lower/gpu/device_math.h"
#include "transforms/lower/gpu/reciprocal_division.h"

#include <math.h>
#include <stdio.h>

static const char *const APPROXIMATED[] = {"math.asin",  "math.erf",  "math.erfc", "math.expm1",
                                           "math.log1p", "math.tanh", NULL};
static const char *const EXPANDED[] = {"fpowi", "tan", NULL};

//===--------------------------------------------------------------------------===//
// Expressions
//===--------------------------------------------------------------------------===//

typedef struct math {
  tune_ir_builder builder;
  MlirType type, integer; // f32 and i32, or vectors of them
} math;

static MlirType make_integer(const tune_ir_builder *builder, MlirType type) {
  return tune_ir_with_element(type, mlirIntegerTypeGet(builder->context, 32));
}

static MlirValue number(const math *m, double value) {
  return tune_ir_build_number(&m->builder, m->type, value);
}

static MlirValue call(const math *m, const char *name, MlirValue a) {
  return tune_ir_build_value(&m->builder, name, m->type, 1, &a);
}

static MlirValue binary(const math *m, const char *name, MlirValue a, MlirValue b) {
  return tune_ir_build_binary(&m->builder, name, a, b);
}

static MlirValue fma_of(const math *m, MlirValue a, MlirValue b, MlirValue c) {
  MlirValue operands[] = {a, b, c};
  return tune_ir_build_value(&m->builder, "math.fma", m->type, 3, operands);
}

static MlirValue choose(const math *m, MlirValue condition, MlirValue yes, MlirValue no) {
  MlirValue operands[] = {condition, yes, no};
  return tune_ir_build_value(&m->builder, "arith.select", mlirValueGetType(yes), 3, operands);
}

static MlirValue polynomial(const math *m, MlirValue x, const double *coefficients, size_t count) {
  MlirValue sum = number(m, coefficients[0]);
  for (size_t i = 1; i < count; ++i)
    sum = fma_of(m, sum, x, number(m, coefficients[i]));
  return sum;
}

// e^x = 2^n 2^f, n + f = x log2(e), where f is taken to more digits than a product has. 2^n goes in
// two steps: 2^128 is no number, and e^88.7 still is.
static MlirValue make_exp(const math *m, MlirValue x) {
  static const double LOG2_E = 1.44269502162933349609375, REST = 1.925963033500011e-8;
  x = binary(m, "arith.minimumf", binary(m, "arith.maximumf", x, number(m, -104)), number(m, 89));
  MlirValue whole = call(m, "math.roundeven", binary(m, "arith.mulf", x, number(m, LOG2_E)));
  MlirValue minus = call(m, "arith.negf", whole);
  MlirValue part = fma_of(m, x, number(m, LOG2_E), minus);
  part = call(m, "math.exp2", fma_of(m, x, number(m, REST), part));
  MlirValue twice = binary(m, "arith.addf", part, part);
  MlirValue scale = call(m, "math.exp2", binary(m, "arith.addf", whole, number(m, -1)));
  return binary(m, "arith.mulf", twice, scale);
}

// Within a quarter of a turn on either side of zero by polynomials; which of the two, and its sign,
// is the quadrant's.
static MlirValue make_sine(const math *m, MlirValue x, bool is_cosine) {
  static const double SINE[] = {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1},
                      COSINE[] = {2.443315711809948e-5, -1.388731625493765e-3,
                                  4.166664568298827e-2};
  static const double PARTS[] = {1.5703125, 4.837512969970703125e-4, 7.549789948768648e-8};
  MlirValue turns = binary(m, "arith.mulf", x, number(m, 2 / M_PI));
  turns = call(m, "math.roundeven", turns);
  MlirValue minus = call(m, "arith.negf", turns), rest = x;
  for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; ++i)
    rest = fma_of(m, minus, number(m, PARTS[i]), rest);
  MlirValue square = binary(m, "arith.mulf", rest, rest);
  MlirValue sine = binary(m, "arith.mulf", polynomial(m, square, SINE, 3), square);
  sine = fma_of(m, sine, rest, rest);
  MlirValue cosine = polynomial(m, square, COSINE, 3);
  cosine = fma_of(m, cosine, square, number(m, -0.5));
  cosine = fma_of(m, cosine, square, number(m, 1));
  MlirValue quadrant = tune_ir_build_value(&m->builder, "arith.fptosi", m->integer, 1, &turns);
  MlirValue one = tune_ir_build_number(&m->builder, m->integer, 1),
            two = tune_ir_build_number(&m->builder, m->integer, 2),
            zero = tune_ir_build_number(&m->builder, m->integer, 0);
  if (is_cosine)
    quadrant = binary(m, "arith.addi", quadrant, one);
  MlirValue is_odd =
      tune_ir_build_compare(&m->builder, "ne", binary(m, "arith.andi", quadrant, one), zero);
  MlirValue is_negative =
      tune_ir_build_compare(&m->builder, "ne", binary(m, "arith.andi", quadrant, two), zero);
  MlirValue value = choose(m, is_odd, cosine, sine);
  return choose(m, is_negative, call(m, "arith.negf", value), value);
}

//===--------------------------------------------------------------------------===//
// Logarithms and powers
//===--------------------------------------------------------------------------===//

static MlirValue compare(const math *m, const char *how, MlirValue a, MlirValue b) {
  return tune_ir_build_compare(&m->builder, how, a, b);
}

static MlirValue whole_number(const math *m, int64_t value) {
  return tune_ir_build_number(&m->builder, m->integer, value);
}

// `x`, above zero, as 2^exponent times a number of which `least` (its bits) is the smallest.
static MlirValue split(const math *m, MlirValue x, int64_t least, MlirValue *out_exponent) {
  MlirValue is_denormal = compare(m, "olt", x, number(m, 0x1p-126));
  MlirValue scaled = choose(m, is_denormal, binary(m, "arith.mulf", x, number(m, 0x1p24)), x);
  MlirValue bits = tune_ir_build_value(&m->builder, "arith.bitcast", m->integer, 1, &scaled);
  MlirValue steps = binary(m, "arith.subi", bits, whole_number(m, least));
  MlirValue exponent = binary(m, "arith.andi", steps, whole_number(m, -0x800000));
  MlirValue rest = binary(m, "arith.subi", bits, exponent);
  *out_exponent = fma_of(m, call(m, "arith.sitofp", exponent), number(m, 0x1p-23),
                         choose(m, is_denormal, number(m, -24), number(m, 0)));
  return tune_ir_build_value(&m->builder, "arith.bitcast", m->type, 1, &rest);
}

// The logarithm to the base of which 2 has the logarithm `of_two` and e `of_e`: a polynomial of
// least largest error about 1, by Norbert Juffa.
static MlirValue make_log(const math *m, MlirValue x, double of_two, double of_e) {
  static const double ODD[] = {-0x1.0aap-3, -0.166845024, -0.249996364, -0.5};
  MlirValue exponent, part = split(m, x, 0x3f2aaaab, &exponent); // from 2/3 on
  part = binary(m, "arith.subf", part, number(m, 1));
  MlirValue square = binary(m, "arith.mulf", part, part);
  MlirValue sum = fma_of(m, part, number(m, ODD[0]), number(m, 0.140889585)),
            low = fma_of(m, part, number(m, -0.121489584), number(m, 0.139809534));
  sum = fma_of(m, sum, square, low);
  sum = fma_of(m, sum, part, number(m, ODD[1]));
  sum = fma_of(m, sum, part, number(m, 0.200121149));
  sum = fma_of(m, sum, part, number(m, ODD[2]));
  sum = fma_of(m, sum, part, number(m, 0.333331943));
  sum = fma_of(m, sum, part, number(m, ODD[3]));
  sum = fma_of(m, sum, square, part);
  if (of_e != 1)
    sum = binary(m, "arith.mulf", sum, number(m, of_e));
  sum = fma_of(m, exponent, number(m, of_two), sum);
  // Of infinity and NaN it is these, of numbers below zero NaN.
  sum = choose(m, compare(m, "olt", x, number(m, INFINITY)), sum, x);
  sum = choose(m, compare(m, "oeq", x, number(m, 0)), number(m, -INFINITY), sum);
  return choose(m, compare(m, "olt", x, number(m, 0)), number(m, NAN), sum);
}

// The natural logarithm of `x`, above zero, as a sum of two numbers, to some 30 bits: twice the
// inverse hyperbolic tangent of (x - 1) / (x + 1), by Norbert Juffa.
static MlirValue make_long_log(const math *m, MlirValue x, MlirValue *out_rest) {
  static const double TERMS[] = {0x1.08cp-3, 0x1.22cd9cp-3, 0x1.99a162p-3, 0x1.55555p-2};
  static const double LOG_2 = 0x1.62e43p-1, LOG_2_REST = -0x1.05c61p-29;
  MlirValue exponent, part = split(m, x, 0x3f3504f3, &exponent); // from the root of 1/2 on
  MlirValue below = binary(m, "arith.addf", part, number(m, 1)),
            above = binary(m, "arith.subf", part, number(m, 1));
  MlirValue inverse = binary(m, "arith.divf", number(m, 1), below);
  MlirValue q = binary(m, "arith.mulf", inverse, above), minus = call(m, "arith.negf", above);
  MlirValue rest = fma_of(m, q, minus, fma_of(m, q, number(m, -2), above));
  rest = binary(m, "arith.mulf", inverse, rest);
  MlirValue square = binary(m, "arith.mulf", q, q);
  MlirValue sum = polynomial(m, square, TERMS, 4);
  MlirValue square_rest = fma_of(m, q, binary(m, "arith.addf", rest, rest),
                                 fma_of(m, q, q, call(m, "arith.negf", square)));
  MlirValue cube = binary(m, "arith.mulf", square, q);
  MlirValue cube_rest = fma_of(m, square, q, call(m, "arith.negf", cube));
  cube_rest = fma_of(m, square, rest, fma_of(m, square_rest, q, cube_rest));
  sum = fma_of(m, sum, cube, fma_of(m, sum, cube_rest, rest));
  MlirValue twice = binary(m, "arith.addf", q, q);
  MlirValue high = fma_of(m, exponent, number(m, LOG_2), twice);
  MlirValue back = fma_of(m, exponent, number(m, -LOG_2), high);
  MlirValue low = fma_of(m, sum, number(m, 2), binary(m, "arith.subf", twice, back));
  low = fma_of(m, exponent, number(m, LOG_2_REST), low);
  MlirValue all = binary(m, "arith.addf", high, low);
  *out_rest = binary(m, "arith.addf", binary(m, "arith.subf", high, all), low);
  return all;
}

// |x|^y, but for what the logarithm of 1 times infinity is.
static MlirValue make_positive_power(const math *m, MlirValue x, MlirValue y) {
  MlirValue rest, log = make_long_log(m, x, &rest);
  log = choose(m, compare(m, "olt", x, number(m, INFINITY)), log, x);
  log = choose(m, compare(m, "oeq", x, number(m, 0)), number(m, -INFINITY), log);
  MlirValue product = binary(m, "arith.mulf", log, y);
  MlirValue low = fma_of(m, log, y, call(m, "arith.negf", product));
  low = fma_of(m, rest, y, low);
  // Beyond what e^x has results for there is nothing to mend, and infinities would become NaN.
  MlirValue is_small = compare(m, "olt", call(m, "math.absf", product), number(m, 104));
  low = choose(m, is_small, low, number(m, 0));
  MlirValue power = make_exp(m, product);
  MlirValue mended = fma_of(m, power, low, power);
  return choose(m, compare(m, "olt", power, number(m, INFINITY)), mended, power);
}

// As C has it: x has a sign also where it is zero, and a negative one has no powers but whole ones.
static MlirValue make_power(const math *m, MlirValue x, MlirValue y) {
  MlirValue zero = number(m, 0), size = call(m, "math.absf", x);
  MlirValue power = make_positive_power(m, size, y);
  MlirValue is_one =
      binary(m, "arith.ori", compare(m, "oeq", y, zero), compare(m, "oeq", x, number(m, 1)));
  MlirValue is_endless = compare(m, "oeq", call(m, "math.absf", y), number(m, INFINITY));
  MlirValue of_minus_one = binary(m, "arith.andi", compare(m, "oeq", x, number(m, -1)), is_endless);
  is_one = binary(m, "arith.ori", is_one, of_minus_one);
  MlirValue halves = binary(m, "arith.mulf", y, number(m, 0.5));
  MlirValue is_whole = compare(m, "oeq", y, call(m, "math.floor", y));
  MlirValue is_odd = compare(m, "une", halves, call(m, "math.floor", halves));
  is_odd = binary(m, "arith.andi", is_odd, is_whole);
  MlirValue bits = tune_ir_build_value(&m->builder, "arith.bitcast", m->integer, 1, &x);
  MlirValue is_signed = compare(m, "slt", bits, whole_number(m, 0));
  MlirValue is_turned = binary(m, "arith.andi", is_signed, is_odd);
  power = choose(m, is_turned, call(m, "arith.negf", power), power);
  MlirValue is_negative = binary(m, "arith.andi", compare(m, "olt", x, zero),
                                 compare(m, "olt", size, number(m, INFINITY)));
  MlirValue is_none =
      binary(m, "arith.andi", is_negative, compare(m, "une", y, call(m, "math.floor", y)));
  return choose(m, is_one, number(m, 1), choose(m, is_none, number(m, NAN), power));
}

// By a power, and a step of Newton's method.
static MlirValue make_cube_root(const math *m, MlirValue x) {
  MlirValue size = call(m, "math.absf", x), third = number(m, 1.0 / 3);
  MlirValue log = make_log(m, size, 1, M_LOG2E);
  MlirValue root = call(m, "math.exp2", binary(m, "arith.mulf", log, third));
  MlirValue square = binary(m, "arith.mulf", root, root);
  MlirValue error = binary(m, "arith.subf", root, binary(m, "arith.divf", size, square));
  MlirValue better = fma_of(m, error, number(m, -1.0 / 3), root);
  better = tune_ir_build_binary(&m->builder, "math.copysign", better, x);
  MlirValue is_number = binary(m, "arith.andi", compare(m, "olt", size, number(m, INFINITY)),
                               compare(m, "ogt", size, number(m, 0)));
  return choose(m, is_number, better, x);
}

//===--------------------------------------------------------------------------===//
// Hyperbolic functions
//===--------------------------------------------------------------------------===//

// e^|x| / 2 is made of e^(|x| / 2), for it is a number where e^|x| is none.
static MlirValue make_half_exp(const math *m, MlirValue size, MlirValue *out_inverse) {
  MlirValue half = number(m, 0.5);
  MlirValue root = make_exp(m, binary(m, "arith.mulf", size, half));
  MlirValue value = binary(m, "arith.mulf", binary(m, "arith.mulf", root, half), root);
  *out_inverse = binary(m, "arith.divf", number(m, 0.25), value);
  return value;
}

static MlirValue make_cosh(const math *m, MlirValue x) {
  MlirValue inverse, value = make_half_exp(m, call(m, "math.absf", x), &inverse);
  return binary(m, "arith.addf", value, inverse);
}

static MlirValue make_sinh(const math *m, MlirValue x) {
  MlirValue size = call(m, "math.absf", x);
  MlirValue inverse, value = make_half_exp(m, size, &inverse);
  MlirValue large = binary(m, "arith.subf", value, inverse);
  MlirValue less = call(m, "math.expm1", size), one = number(m, 1);
  MlirValue small = binary(m, "arith.divf", less, binary(m, "arith.addf", less, one));
  small = binary(m, "arith.mulf", binary(m, "arith.addf", less, small), number(m, 0.5));
  value = choose(m, compare(m, "ogt", size, one), large, small);
  return tune_ir_build_binary(&m->builder, "math.copysign", value, x);
}

// Where x^2 + 1 is x^2 in any case, log(2 x); elsewhere by log1p, which keeps small numbers.
static MlirValue make_inverse(const math *m, MlirValue size, MlirValue small) {
  MlirValue large = make_log(m, size, M_LN2, 1);
  large = binary(m, "arith.addf", large, number(m, M_LN2));
  return choose(m, compare(m, "ogt", size, number(m, 0x1p13)), large, call(m, "math.log1p", small));
}

static MlirValue make_asinh(const math *m, MlirValue x) {
  MlirValue size = call(m, "math.absf", x), one = number(m, 1);
  MlirValue square = binary(m, "arith.mulf", size, size);
  MlirValue root = call(m, "math.sqrt", binary(m, "arith.addf", square, one));
  MlirValue more = binary(m, "arith.divf", square, binary(m, "arith.addf", root, one));
  MlirValue value = make_inverse(m, size, binary(m, "arith.addf", size, more));
  return tune_ir_build_binary(&m->builder, "math.copysign", value, x);
}

static MlirValue make_acosh(const math *m, MlirValue x) {
  MlirValue above = binary(m, "arith.subf", x, number(m, 1));
  MlirValue square = fma_of(m, above, above, binary(m, "arith.addf", above, above));
  MlirValue root = call(m, "math.sqrt", square);
  MlirValue value = make_inverse(m, x, binary(m, "arith.addf", above, root));
  return choose(m, compare(m, "olt", x, number(m, 1)), number(m, NAN), value);
}

static MlirValue make_atanh(const math *m, MlirValue x) {
  MlirValue size = call(m, "math.absf", x);
  MlirValue below = binary(m, "arith.subf", number(m, 1), size);
  MlirValue ratio = binary(m, "arith.divf", binary(m, "arith.addf", size, size), below);
  MlirValue value = binary(m, "arith.mulf", call(m, "math.log1p", ratio), number(m, 0.5));
  return tune_ir_build_binary(&m->builder, "math.copysign", value, x);
}

//===--------------------------------------------------------------------------===//
// All functions
//===--------------------------------------------------------------------------===//

// What `op` is in other words, or a null value.
static MlirValue say(MlirOperation op) {
  MlirValue x = mlirOperationGetOperand(op, 0);
  math m = {.builder = tune_ir_builder_before(op), .type = mlirValueGetType(x)};
  m.integer = make_integer(&m.builder, m.type);
  if (tune_ir_is(op, "math.exp"))
    return make_exp(&m, x);
  if (tune_ir_is(op, "math.sin") || tune_ir_is(op, "math.cos"))
    return make_sine(&m, x, tune_ir_is(op, "math.cos"));
  if (tune_ir_is(op, "math.powf"))
    return make_power(&m, x, mlirOperationGetOperand(op, 1));
  if (tune_ir_is(op, "math.absi"))
    return binary(&m, "arith.maxsi", x, binary(&m, "arith.subi", number(&m, 0), x));
  if (tune_ir_is(op, "math.log"))
    return make_log(&m, x, M_LN2, 1);
  if (tune_ir_is(op, "math.log2"))
    return make_log(&m, x, 1, M_LOG2E);
  if (tune_ir_is(op, "math.log10"))
    return make_log(&m, x, M_LN2 * M_LOG10E, M_LOG10E);
  if (tune_ir_is(op, "math.cbrt"))
    return make_cube_root(&m, x);
  if (tune_ir_is(op, "math.cosh"))
    return make_cosh(&m, x);
  if (tune_ir_is(op, "math.sinh"))
    return make_sinh(&m, x);
  if (tune_ir_is(op, "math.acosh"))
    return make_acosh(&m, x);
  if (tune_ir_is(op, "math.asinh"))
    return make_asinh(&m, x);
  if (tune_ir_is(op, "math.atanh"))
    return make_atanh(&m, x);
  return tune_device_math_arc(&m.builder, op);
}

// PTX has no functions of float64 but roots and rounding.
static tune_status check_type(MlirOperation op) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirType element = mlirTypeIsAVector(type) ? mlirShapedTypeGetElementType(type) : type;
  const char *name;
  for (size_t i = 0; mlirTypeIsAF64(element) && (name = tune_math_calls_op(i)); ++i)
    if (tune_ir_is(op, name))
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                 "%s: there is no such function of float64 on this target", name);
  return TUNE_OK;
}

static tune_status in_other_words(MlirOperation op, MlirValue *out_value) {
  TUNE_RETURN_IF_ERROR(check_type(op));
  *out_value = say(op);
  return TUNE_OK;
}

// What some are made of may need the same again.
tune_status tune_nvvm_math_lower(MlirOperation kernels) {
  TUNE_RETURN_IF_ERROR(tune_reciprocal_division_run(kernels));
  for (bool found = true, changed = true; found && changed;) {
    TUNE_RETURN_IF_ERROR(tune_device_math_lower(kernels, APPROXIMATED, EXPANDED, &found));
    if (found)
      TUNE_RETURN_IF_ERROR(tune_device_math_rewrite(kernels, in_other_words, &changed));
  }
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Calls
//===--------------------------------------------------------------------------===//

#define LIBRARY "__nv_"

// What NVIDIA calls a function of float64; that of float32 has an f at its end.
static const struct {
  const char *name, *op, *intrinsic;
} CALLS[] = {
    {"ceil", "llvm.intr.ceil", NULL},   {"copysign", "llvm.intr.copysign", NULL},
    {"exp2", "llvm.intr.exp2", NULL},   {"fabs", "llvm.intr.fabs", NULL},
    {"floor", "llvm.intr.floor", NULL}, {"fma", "llvm.intr.fma", NULL},
    {"fmax", "llvm.intr.maxnum", NULL}, {"fmin", "llvm.intr.minnum", NULL},
    {"fmod", "llvm.frem", NULL},        {"rint", "llvm.intr.rint", NULL},
    {"round", "llvm.intr.round", NULL}, {"rsqrt", NULL, "llvm.nvvm.rsqrt.approx."},
    {"sqrt", "llvm.intr.sqrt", NULL},   {"trunc", "llvm.intr.trunc", NULL},
};

static MlirStringRef callee_of(MlirOperation op) {
  MlirAttribute callee = tune_ir_attribute(op, "callee");
  return tune_ir_is(op, "llvm.call") && !mlirAttributeIsNull(callee)
             ? mlirFlatSymbolRefAttrGetValue(callee)
             : (MlirStringRef){NULL, 0};
}

static MlirWalkResult find_call(MlirOperation op, void *user_data) {
  MlirStringRef callee = callee_of(op);
  if (!callee.data || !tune_ir_string_starts(callee, LIBRARY))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static MlirValue call_intrinsic(const tune_ir_builder *builder, const char *name, bool is_f32,
                                MlirType type, intptr_t count, const MlirValue *operands) {
  char text[64];
  snprintf(text, sizeof text, "%s%s", name, is_f32 ? "f" : "d");
  int32_t segments[] = {(int32_t)count, 0};
  MlirNamedAttribute attributes[] = {
      tune_ir_named(builder->context, "intrin",
                    mlirStringAttrGet(builder->context, tune_ir_string(text))),
      tune_ir_named(builder->context, "operandSegmentSizes",
                    mlirDenseI32ArrayGet(builder->context, 2, segments)),
      tune_ir_named(builder->context, "op_bundle_sizes",
                    mlirDenseI32ArrayGet(builder->context, 0, NULL))};
  return tune_ir_build_result(builder, &(tune_ir_parts){.name = "llvm.call_intrinsic",
                                                        .operand_count = count,
                                                        .operands = operands,
                                                        .type_count = 1,
                                                        .types = &type,
                                                        .attribute_count = 3,
                                                        .attributes = attributes});
}

static tune_status open_call(MlirOperation op) {
  MlirStringRef callee = callee_of(op);
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  bool is_f32 = mlirTypeIsAF32(type);
  MlirValue operands[3];
  intptr_t count = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < count && i < 3; ++i)
    operands[i] = mlirOperationGetOperand(op, i);
  for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS && count <= 3; ++i) {
    char name[32];
    snprintf(name, sizeof name, LIBRARY "%s%s", CALLS[i].name, is_f32 ? "f" : "");
    if (!tune_ir_string_equal(callee, name))
      continue;
    tune_ir_builder builder = tune_ir_builder_before(op);
    MlirValue value =
        CALLS[i].op ? tune_ir_build_value(&builder, CALLS[i].op, type, count, operands)
                    : call_intrinsic(&builder, CALLS[i].intrinsic, is_f32, type, count, operands);
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), value);
    mlirOperationDestroy(op);
    return TUNE_OK;
  }
  return tune_status_make_at(TUNE_INTERNAL, op, "no instruction is known for %.*s",
                             (int)callee.length, callee.data);
}

tune_status tune_nvvm_math_finish(MlirOperation kernels) {
  tune_op_list calls = {0};
  mlirOperationWalk(kernels, find_call, &calls, MlirWalkPreOrder);
  tune_status status = calls.failed ? tune_status_out_of_memory("listing calls") : TUNE_OK;
  for (size_t i = 0; i < calls.count && tune_status_is_ok(status); ++i)
    status = open_call(calls.ops[i]);
  tune_op_list_deinit(&calls);
  return status;
}
