//===- shader_math.c - Math functions of shaders ----------------------------------------===//

#include "transforms/lower/shader_math.h"

#include "transforms/ir_builder.h"
#include "transforms/lower/math.h"
#include "transforms/lower/math_calls.h"
#include "transforms/lower/math_patterns.h"
#include "transforms/op_list.h"

#include <math.h>

// GLSL has asin as well, to four digits.
static const char *const APPROXIMATED[] = {"math.asin", "math.cbrt",  "math.erf",
                                           "math.erfc", "math.expm1", "math.log1p"};
static const char *const EXPANDED[] = {"fpowi"};

static MlirWalkResult find_math(MlirOperation op, void *user_data) {
  MlirStringRef name = tune_ir_name(op);
  if (!tune_ir_string_starts(name, "math.") && !tune_ir_string_starts(name, "arith.floordiv") &&
      !tune_ir_string_starts(name, "arith.ceildiv"))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static tune_status apply_patterns(MlirOperation kernels) {
  MlirContext context = mlirOperationGetContext(kernels);
  MlirRewritePatternSet patterns = mlirRewritePatternSetCreate(context);
  const char *names[TUNE_MATH_CALLS_LIMIT];
  size_t count = 0;
  while ((names[count] = tune_math_calls_op(count)))
    ++count;
  tune_math_patterns_add_extension(patterns, names, count);
  tune_math_patterns_add_approximation(patterns, APPROXIMATED,
                                       sizeof APPROXIMATED / sizeof *APPROXIMATED);
  tune_math_patterns_add_powers(patterns);
  tune_math_patterns_add_rounding_division(patterns);
  tune_math_patterns_add_expansion(patterns, EXPANDED, sizeof EXPANDED / sizeof *EXPANDED);
  return tune_math_apply(kernels, patterns);
}

//===--------------------------------------------------------------------------===//
// Single ops
//===--------------------------------------------------------------------------===//

static MlirValue call(const tune_ir_builder *builder, const char *name, MlirValue operand) {
  return tune_ir_build_value(builder, name, mlirValueGetType(operand), 1, &operand);
}

// Upstream takes the power of what is below zero for that of what is above.
static MlirValue make_power(const tune_ir_builder *builder, MlirOperation op, MlirType type) {
  MlirValue base = mlirOperationGetOperand(op, 0), exponent = mlirOperationGetOperand(op, 1);
  MlirValue is_broken =
      tune_ir_build_compare(builder, "une", exponent, call(builder, "math.floor", exponent));
  MlirValue is_negative =
      tune_ir_build_compare(builder, "olt", base, tune_ir_build_number(builder, type, 0));
  MlirValue operands[] = {tune_ir_build_binary(builder, "arith.andi", is_negative, is_broken),
                          tune_ir_build_number(builder, type, NAN),
                          tune_ir_build_binary(builder, "math.powf", base, exponent)};
  return tune_ir_build_value(builder, "arith.select", type, 3, operands);
}

static MlirValue number(const tune_ir_builder *builder, MlirValue like, double value) {
  return tune_ir_build_number(builder, mlirValueGetType(like), value);
}

static MlirValue choose(const tune_ir_builder *builder, MlirValue condition, MlirValue a,
                        MlirValue b) {
  MlirValue operands[] = {condition, a, b};
  return tune_ir_build_value(builder, "arith.select", mlirValueGetType(a), 3, operands);
}

// Of `a` from 0 to 1, to 1.3 ulp: a polynomial of least largest error, by Norbert Juffa.
static MlirValue make_arc_of_small(const tune_ir_builder *builder, MlirValue a) {
  static const double COEFFICIENTS[] = {0x1.7ed1ccp-9,  -0x1.0c2c08p-6, 0x1.61fdd0p-5,
                                        -0x1.3556b2p-4, 0x1.b4e128p-4,  -0x1.230ad2p-3,
                                        0x1.9978ecp-3,  -0x1.5554dcp-2};
  MlirType type = mlirValueGetType(a);
  MlirValue square = tune_ir_build_binary(builder, "arith.mulf", a, a);
  MlirValue sum = number(builder, a, COEFFICIENTS[0]);
  for (size_t i = 1; i < sizeof COEFFICIENTS / sizeof *COEFFICIENTS; ++i) {
    MlirValue operands[] = {sum, square, number(builder, a, COEFFICIENTS[i])};
    sum = tune_ir_build_value(builder, "math.fma", type, 3, operands);
  }
  MlirValue operands[] = {tune_ir_build_binary(builder, "arith.mulf", sum, square), a, a};
  return tune_ir_build_value(builder, "math.fma", type, 3, operands);
}

// The angle of the point (x, y) to the x axis. Whether x is negative is given, for zeroes have
// signs; null: it is not.
static MlirValue make_arc(const tune_ir_builder *builder, MlirValue y, MlirValue x,
                          MlirValue is_left) {
  MlirValue up = call(builder, "math.absf", y), along = call(builder, "math.absf", x);
  MlirValue is_steep = tune_ir_build_compare(builder, "ogt", up, along);
  MlirValue less = choose(builder, is_steep, along, up),
            more = choose(builder, is_steep, up, along);
  // Of two zeroes and two infinities the quotient is NaN.
  MlirValue ratio = tune_ir_build_binary(builder, "arith.divf", less, more);
  MlirValue is_equal = tune_ir_build_compare(builder, "oeq", less, more);
  MlirValue is_zero = tune_ir_build_compare(builder, "oeq", more, number(builder, x, 0));
  ratio = choose(builder, is_equal, number(builder, x, 1), ratio);
  ratio = choose(builder, is_zero, number(builder, x, 0), ratio);
  MlirValue arc = make_arc_of_small(builder, ratio);
  arc = choose(
      builder, is_steep,
      tune_ir_build_binary(builder, "arith.subf", number(builder, x, 0x1.921fb54442d18p0), arc),
      arc);
  if (!mlirValueIsNull(is_left))
    arc = choose(
        builder, is_left,
        tune_ir_build_binary(builder, "arith.subf", number(builder, x, 0x1.921fb54442d18p1), arc),
        arc);
  arc = tune_ir_build_binary(builder, "math.copysign", arc, y);
  return choose(builder, tune_ir_build_compare(builder, "uno", x, y), number(builder, x, NAN), arc);
}

// Whether `value`, of f32, has a minus sign.
static MlirValue has_sign(const tune_ir_builder *builder, MlirValue value) {
  MlirType type = mlirIntegerTypeGet(builder->context, 32), given = mlirValueGetType(value);
  if (mlirTypeIsAVector(given)) {
    int64_t length = mlirShapedTypeGetDimSize(given, 0);
    type = mlirVectorTypeGet(1, &length, type);
  }
  MlirValue bits = tune_ir_build_value(builder, "arith.bitcast", type, 1, &value);
  return tune_ir_build_compare(builder, "slt", bits, tune_ir_build_number(builder, type, 0));
}

static MlirValue make_arc_cosine(const tune_ir_builder *builder, MlirValue x) {
  MlirValue one = number(builder, x, 1);
  MlirValue y = call(builder, "math.sqrt", tune_ir_build_binary(builder, "arith.subf", one, x));
  MlirValue z = call(builder, "math.sqrt", tune_ir_build_binary(builder, "arith.addf", one, x));
  MlirValue half = make_arc(builder, y, z, (MlirValue){NULL});
  MlirValue is_outside = tune_ir_build_compare(builder, "ogt", call(builder, "math.absf", x), one);
  return choose(builder, is_outside, number(builder, x, NAN),
                tune_ir_build_binary(builder, "arith.addf", half, half));
}

// An arc function of f32, or a null value.
static MlirValue make_arc_function(const tune_ir_builder *builder, MlirOperation op, MlirValue x) {
  MlirType type = mlirValueGetType(x);
  MlirValue none = {NULL};
  if (!mlirTypeIsAF32(mlirTypeIsAVector(type) ? mlirShapedTypeGetElementType(type) : type))
    return none;
  if (tune_ir_is(op, "math.atan"))
    return make_arc(builder, x, number(builder, x, 1), none);
  if (tune_ir_is(op, "math.acos"))
    return make_arc_cosine(builder, x);
  if (!tune_ir_is(op, "math.atan2"))
    return none;
  MlirValue along = mlirOperationGetOperand(op, 1);
  return make_arc(builder, x, along, has_sign(builder, along));
}

// What `op` is in other words, or a null value.
static MlirValue in_other_words(MlirOperation op) {
  tune_ir_builder builder = tune_ir_builder_before(op);
  MlirValue operand = mlirOperationGetOperand(op, 0);
  MlirType type = mlirValueGetType(operand);
  if (tune_ir_is(op, "math.exp2"))
    return call(&builder, "spirv.GL.Exp2", operand);
  if (tune_ir_is(op, "math.powf"))
    return make_power(&builder, op, type);
  if (tune_ir_is(op, "math.isfinite"))
    return tune_ir_build_compare(&builder, "olt", call(&builder, "math.absf", operand),
                                 tune_ir_build_number(&builder, type, INFINITY));
  if (tune_ir_is(op, "math.trunc")) {
    MlirValue zero = tune_ir_build_number(&builder, type, 0);
    MlirValue operands[] = {tune_ir_build_compare(&builder, "olt", operand, zero),
                            call(&builder, "math.ceil", operand),
                            call(&builder, "math.floor", operand)};
    return tune_ir_build_value(&builder, "arith.select", type, 3, operands);
  }
  return make_arc_function(&builder, op, operand);
}

//===--------------------------------------------------------------------------===//
// Quotients
//===--------------------------------------------------------------------------===//

static MlirWalkResult find_quotient(MlirOperation op, void *user_data) {
  if (!tune_ir_is(op, "arith.divf"))
    return MlirWalkResultAdvance;
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  if (!mlirTypeIsAF32(mlirTypeIsAVector(type) ? mlirShapedTypeGetElementType(type) : type))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

// Where one number divides all that a loop goes over, it is divided by before: a product with what
// that gives is within the 2.5 ulp that Vulkan asks of quotients.
static void make_product(MlirOperation op) {
  MlirValue divisor = mlirOperationGetOperand(op, 1);
  MlirOperation outermost = {NULL};
  for (MlirOperation loop = mlirOperationGetParentOperation(op);
       tune_ir_is(loop, "scf.for") && !tune_ir_is_made_inside(divisor, loop);
       loop = mlirOperationGetParentOperation(loop))
    outermost = loop;
  if (mlirOperationIsNull(outermost))
    return;
  tune_ir_builder before = tune_ir_builder_before(outermost), place = tune_ir_builder_before(op);
  MlirValue inverse =
      tune_ir_build_binary(&before, "arith.divf", number(&before, divisor, 1), divisor);
  mlirValueReplaceAllUsesOfWith(
      mlirOperationGetResult(op, 0),
      tune_ir_build_binary(&place, "arith.mulf", mlirOperationGetOperand(op, 0), inverse));
  mlirOperationDestroy(op);
}

static tune_status make_products(MlirOperation kernels) {
  tune_op_list ops = {0};
  mlirOperationWalk(kernels, find_quotient, &ops, MlirWalkPreOrder);
  for (size_t i = 0; i < ops.count; ++i)
    make_product(ops.ops[i]);
  bool failed = ops.failed;
  tune_op_list_deinit(&ops);
  return failed ? tune_status_make(TUNE_OUT_OF_MEMORY, "listing quotients") : TUNE_OK;
}

tune_status tune_shader_math_lower(MlirOperation kernels) {
  static const char *const MADE_OF[] = {"arith", "math", "spirv", "vector", NULL};
  TUNE_RETURN_IF_ERROR(make_products(kernels));
  tune_op_list ops = {0};
  mlirOperationWalk(kernels, find_math, &ops, MlirWalkPreOrder);
  bool found = ops.count > 0, failed = ops.failed;
  tune_op_list_deinit(&ops);
  if (failed)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "listing math functions");
  if (!found)
    return TUNE_OK;
  tune_ir_load_dialects(mlirOperationGetContext(kernels), MADE_OF);
  TUNE_RETURN_IF_ERROR(apply_patterns(kernels));
  ops = (tune_op_list){0};
  mlirOperationWalk(kernels, find_math, &ops, MlirWalkPreOrder);
  for (size_t i = 0; i < ops.count; ++i) {
    MlirValue replacement = in_other_words(ops.ops[i]);
    if (mlirValueIsNull(replacement))
      continue;
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(ops.ops[i], 0), replacement);
    mlirOperationDestroy(ops.ops[i]);
  }
  failed = ops.failed;
  tune_op_list_deinit(&ops);
  return failed ? tune_status_make(TUNE_OUT_OF_MEMORY, "listing math functions") : TUNE_OK;
}
