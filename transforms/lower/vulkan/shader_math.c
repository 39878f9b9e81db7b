//===- shader_math.c - Math functions of shaders -----------------------------===//

#include "transforms/lower/vulkan/shader_math.h"

#include "transforms/ir/op_list.h"
#include "transforms/lower/gpu/device_math.h"
#include "transforms/lower/gpu/reciprocal_division.h"

#include <math.h>

// GLSL has asin as well, to four digits.
static const char *const APPROXIMATED[] = {"math.asin",  "math.cbrt",  "math.erf", "math.erfc",
                                           "math.expm1", "math.log1p", NULL};
static const char *const EXPANDED[] = {"fpowi", NULL};

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
static MlirValue say(MlirOperation op) {
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
  return tune_device_math_arc(&builder, op);
}

static tune_status in_other_words(MlirOperation op, MlirValue *out_value) {
  *out_value = say(op);
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Maxima
//===--------------------------------------------------------------------------===//

static MlirWalkResult find_extremum(MlirOperation op, void *user_data) {
  if (!tune_ir_is(op, "arith.maxnumf") && !tune_ir_is(op, "arith.minnumf"))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

// Upstream asks both operands whether they are NaN; serialization (spirv.c) chooses instructions
// that need not be asked.
static tune_status name_extrema(MlirOperation kernels) {
  tune_op_list ops = {0};
  mlirOperationWalk(kernels, find_extremum, &ops, MlirWalkPreOrder);
  for (size_t i = 0; i < ops.count && !ops.failed; ++i) {
    tune_ir_builder builder = tune_ir_builder_before(ops.ops[i]);
    const char *name = tune_ir_is(ops.ops[i], "arith.maxnumf") ? "spirv.GL.FMax" : "spirv.GL.FMin";
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(ops.ops[i], 0),
                                  tune_ir_build_binary(&builder, name,
                                                       mlirOperationGetOperand(ops.ops[i], 0),
                                                       mlirOperationGetOperand(ops.ops[i], 1)));
    mlirOperationDestroy(ops.ops[i]);
  }
  bool failed = ops.failed;
  tune_op_list_deinit(&ops);
  return failed ? tune_status_out_of_memory("listing maxima") : TUNE_OK;
}

tune_status tune_shader_math_lower(MlirOperation kernels) {
  static const char *const MADE_OF[] = {"spirv", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(kernels), MADE_OF);
  TUNE_RETURN_IF_ERROR(name_extrema(kernels));
  TUNE_RETURN_IF_ERROR(tune_reciprocal_division_run(kernels));
  bool found, changed;
  TUNE_RETURN_IF_ERROR(tune_device_math_lower(kernels, APPROXIMATED, EXPANDED, &found));
  if (!found)
    return TUNE_OK;
  return tune_device_math_rewrite(kernels, in_other_words, &changed);
}
