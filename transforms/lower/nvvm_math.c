//===- nvvm_math.c - Math functions on NVIDIA's GPUs ------------------------------------===//

#include "transforms/lower/nvvm_math.h"

#include "dialects/diagnostic.h"
#include "transforms/lower/device_math.h"
#include "transforms/lower/math_calls.h"
#include "transforms/op_list.h"

#include <math.h>
#include <stdio.h>

static const char *const APPROXIMATED[] = {"math.asin",  "math.cbrt", "math.erf",   "math.erfc",
                                           "math.expm1", "math.log",  "math.log1p", "math.log2",
                                           "math.tanh",  NULL};
static const char *const EXPANDED[] = {"acosh", "asinh", "atanh", "cosh",
                                       "fpowi", "sinh",  "tan",   NULL};

//===--------------------------------------------------------------------------===//
// Expressions
//===--------------------------------------------------------------------------===//

typedef struct math {
  tune_ir_builder builder;
  MlirType type, integer; // f32 and i32, or vectors of them
} math;

static MlirType make_integer(const tune_ir_builder *builder, MlirType type) {
  MlirType i32 = mlirIntegerTypeGet(builder->context, 32);
  if (!mlirTypeIsAVector(type))
    return i32;
  int64_t shape[4];
  intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t i = 0; i < rank && i < 4; ++i)
    shape[i] = mlirShapedTypeGetDimSize(type, i);
  return mlirVectorTypeGet(rank, shape, i32);
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

// |x|^y with the sign that x has for odd y; NaN where x is negative and y no whole number.
static MlirValue make_power(const math *m, MlirValue x, MlirValue y) {
  MlirValue zero = number(m, 0), half = number(m, 0.5);
  MlirValue log = call(m, "math.log2", call(m, "math.absf", x));
  MlirValue power = call(m, "math.exp2", binary(m, "arith.mulf", y, log));
  // 0 times infinity is 0 here: anything to the power of 0 is 1, and so is 1 to any.
  MlirValue is_one = tune_ir_build_compare(&m->builder, "oeq", y, zero);
  MlirValue of_one = tune_ir_build_compare(&m->builder, "oeq", x, number(m, 1));
  is_one = binary(m, "arith.ori", is_one, of_one);
  MlirValue is_broken = tune_ir_build_compare(&m->builder, "une", y, call(m, "math.floor", y));
  MlirValue halves = binary(m, "arith.mulf", y, half);
  MlirValue is_odd =
      tune_ir_build_compare(&m->builder, "une", halves, call(m, "math.floor", halves));
  MlirValue is_negative = tune_ir_build_compare(&m->builder, "olt", x, zero);
  MlirValue signed_power = choose(m, is_odd, call(m, "arith.negf", power), power);
  MlirValue below = choose(m, is_broken, number(m, NAN), signed_power);
  return choose(m, is_one, number(m, 1), choose(m, is_negative, below, power));
}

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
  if (tune_ir_is(op, "math.log10"))
    return binary(&m, "arith.mulf", call(&m, "math.log", x), number(&m, M_LOG10E));
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
  for (bool found = true, changed = true; found && changed;) {
    TUNE_RETURN_IF_ERROR(tune_device_math_open(kernels, APPROXIMATED, EXPANDED, &found));
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
  tune_status status =
      calls.failed ? tune_status_make(TUNE_OUT_OF_MEMORY, "listing calls") : TUNE_OK;
  for (size_t i = 0; i < calls.count && tune_status_is_ok(status); ++i)
    status = open_call(calls.ops[i]);
  tune_op_list_deinit(&calls);
  return status;
}
