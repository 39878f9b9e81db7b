//===- shader_math.c - Math functions of shaders ----------------------------------------===//

#include "transforms/lower/shader_math.h"

#include "transforms/lower/builder.h"
#include "transforms/lower/math.h"
#include "transforms/lower/math_calls.h"
#include "transforms/lower/math_patterns.h"
#include "transforms/op_list.h"

#include <math.h>

// GLSL has asin, acos and atan as well, to four digits.
static const char *const APPROXIMATED[] = {"math.acos",  "math.asin",  "math.atan",
                                           "math.atan2", "math.cbrt",  "math.erf",
                                           "math.erfc",  "math.expm1", "math.log1p"};
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

static MlirValue compare(MlirOperation place, int64_t predicate, MlirValue left, MlirValue right) {
  MlirContext context = mlirOperationGetContext(place);
  MlirNamedAttribute attribute = tune_ir_named(
      context, "predicate", mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), predicate));
  MlirType bit = mlirIntegerTypeGet(context, 1), type = mlirValueGetType(left);
  if (mlirTypeIsAVector(type)) {
    int64_t length = mlirShapedTypeGetDimSize(type, 0);
    bit = mlirVectorTypeGet(1, &length, bit);
  }
  MlirValue operands[] = {left, right};
  tune_build_parts parts = {.operands = operands,
                            .operand_count = 2,
                            .results = &bit,
                            .result_count = 1,
                            .attributes = &attribute,
                            .attribute_count = 1};
  return mlirOperationGetResult(tune_build_op(place, "arith.cmpf", &parts), 0);
}

static MlirValue make_constant(MlirOperation place, MlirType type, double number) {
  MlirContext context = mlirOperationGetContext(place);
  MlirAttribute value;
  if (mlirTypeIsAVector(type))
    value = mlirDenseElementsAttrSplatGet(
        type, mlirFloatAttrDoubleGet(context, mlirShapedTypeGetElementType(type), number));
  else
    value = mlirFloatAttrDoubleGet(context, type, number);
  MlirNamedAttribute attribute = tune_ir_named(context, "value", value);
  tune_build_parts parts = {
      .results = &type, .result_count = 1, .attributes = &attribute, .attribute_count = 1};
  return mlirOperationGetResult(tune_build_op(place, "arith.constant", &parts), 0);
}

// arith.cmpf's.
enum { OLT = 4, UNE = 13 };

// Upstream takes the power of what is below zero for that of what is above.
static MlirValue make_power(MlirOperation op, MlirType type) {
  MlirValue base = mlirOperationGetOperand(op, 0), exponent = mlirOperationGetOperand(op, 1);
  MlirValue is_broken =
      compare(op, UNE, exponent, tune_build_value(op, "math.floor", &exponent, 1, type));
  MlirValue is_negative = compare(op, OLT, base, make_constant(op, type, 0));
  MlirValue operands[] = {tune_build_binary(op, "arith.andi", is_negative, is_broken),
                          make_constant(op, type, NAN),
                          tune_build_binary(op, "math.powf", base, exponent)};
  return tune_build_value(op, "arith.select", operands, 3, type);
}

// What `op` is in other words, or a null value.
static MlirValue in_other_words(MlirOperation op) {
  MlirValue operand = mlirOperationGetOperand(op, 0);
  MlirType type = mlirValueGetType(operand);
  if (tune_ir_is(op, "math.exp2"))
    return tune_build_value(op, "spirv.GL.Exp2", &operand, 1, type);
  if (tune_ir_is(op, "math.powf"))
    return make_power(op, type);
  if (tune_ir_is(op, "math.isfinite"))
    return compare(op, OLT, tune_build_value(op, "math.absf", &operand, 1, type),
                   make_constant(op, type, INFINITY));
  if (tune_ir_is(op, "math.trunc")) {
    MlirValue operands[] = {compare(op, OLT, operand, make_constant(op, type, 0)),
                            tune_build_value(op, "math.ceil", &operand, 1, type),
                            tune_build_value(op, "math.floor", &operand, 1, type)};
    return tune_build_value(op, "arith.select", operands, 3, type);
  }
  return (MlirValue){NULL};
}

tune_status tune_shader_math_lower(MlirOperation kernels) {
  static const char *const MADE_OF[] = {"arith", "math", "spirv", "vector", NULL};
  tune_op_list ops = {0};
  mlirOperationWalk(kernels, find_math, &ops, MlirWalkPreOrder);
  bool found = ops.count > 0, failed = ops.failed;
  tune_op_list_deinit(&ops);
  if (failed)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "listing math functions");
  if (!found)
    return TUNE_OK;
  tune_build_load(mlirOperationGetContext(kernels), MADE_OF);
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
