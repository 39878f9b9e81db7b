//===- shader_math.c - Math functions of shaders ----------------------------------------===//

#include "transforms/lower/shader_math.h"

#include "transforms/ir_builder.h"
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
