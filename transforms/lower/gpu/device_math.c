//===- device_math.c - Math functions of devices -----------------------------===//

#include "transforms/lower/gpu/device_math.h"

#include "transforms/ir/op_list.h"
#include "transforms/ir/rewrite.h"
#include "transforms/lower/common/math_calls.h"
#include "transforms/lower/common/math_patterns.h"

#include <math.h>

//===--------------------------------------------------------------------------===//
// Arc functions
//===--------------------------------------------------------------------------===//

static MlirValue call(const tune_ir_builder *builder, const char *name, MlirValue operand) {
  return tune_ir_build_value(builder, name, mlirValueGetType(operand), 1, &operand);
}

static MlirValue number(const tune_ir_builder *builder, MlirValue like, double value) {
  return tune_ir_build_number(builder, mlirValueGetType(like), value);
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
  MlirValue less = tune_ir_build_select(builder, is_steep, along, up),
            more = tune_ir_build_select(builder, is_steep, up, along);
  // Of two zeroes and two infinities the quotient is NaN.
  MlirValue ratio = tune_ir_build_binary(builder, "arith.divf", less, more);
  MlirValue is_equal = tune_ir_build_compare(builder, "oeq", less, more);
  MlirValue is_zero = tune_ir_build_compare(builder, "oeq", more, number(builder, x, 0));
  ratio = tune_ir_build_select(builder, is_equal, number(builder, x, 1), ratio);
  ratio = tune_ir_build_select(builder, is_zero, number(builder, x, 0), ratio);
  MlirValue arc = make_arc_of_small(builder, ratio);
  arc = tune_ir_build_select(
      builder, is_steep,
      tune_ir_build_binary(builder, "arith.subf", number(builder, x, 0x1.921fb54442d18p0), arc),
      arc);
  if (!mlirValueIsNull(is_left))
    arc = tune_ir_build_select(
        builder, is_left,
        tune_ir_build_binary(builder, "arith.subf", number(builder, x, 0x1.921fb54442d18p1), arc),
        arc);
  arc = tune_ir_build_binary(builder, "math.copysign", arc, y);
  return tune_ir_build_select(builder, tune_ir_build_compare(builder, "uno", x, y),
                              number(builder, x, NAN), arc);
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
  return tune_ir_build_select(builder, is_outside, number(builder, x, NAN),
                              tune_ir_build_binary(builder, "arith.addf", half, half));
}

MlirValue tune_device_math_arc(const tune_ir_builder *builder, MlirOperation op) {
  MlirValue x = mlirOperationGetOperand(op, 0);
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

//===--------------------------------------------------------------------------===//
// All functions
//===--------------------------------------------------------------------------===//

static MlirWalkResult find_math(MlirOperation op, void *user_data) {
  MlirStringRef name = tune_ir_name(op);
  if (!tune_ir_string_starts(name, "math.") && !tune_ir_string_starts(name, "arith.floordiv") &&
      !tune_ir_string_starts(name, "arith.ceildiv"))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static size_t count_names(const char *const *names) {
  size_t count = 0;
  while (names[count])
    ++count;
  return count;
}

tune_status tune_device_math_lower(MlirOperation kernels, const char *const *approximated,
                                   const char *const *expanded, bool *out_found) {
  static const char *const MADE_OF[] = {"arith", "math", "vector", NULL};
  tune_op_list ops = {0};
  mlirOperationWalk(kernels, find_math, &ops, MlirWalkPreOrder);
  *out_found = ops.count > 0;
  bool failed = ops.failed;
  tune_op_list_deinit(&ops);
  if (failed)
    return tune_status_out_of_memory("listing math functions");
  if (!*out_found)
    return TUNE_OK;
  tune_ir_load_dialects(mlirOperationGetContext(kernels), MADE_OF);
  MlirRewritePatternSet patterns = mlirRewritePatternSetCreate(mlirOperationGetContext(kernels));
  const char *names[TUNE_MATH_CALLS_LIMIT];
  size_t count = 0;
  while ((names[count] = tune_math_calls_op(count)))
    ++count;
  tune_math_patterns_add_extension(patterns, names, count);
  tune_math_patterns_add_approximation(patterns, approximated, count_names(approximated));
  tune_math_patterns_add_powers(patterns);
  tune_math_patterns_add_rounding_division(patterns);
  tune_math_patterns_add_expansion(patterns, expanded, count_names(expanded));
  return tune_rewrite_apply(kernels, patterns, "lowering math functions");
}

tune_status tune_device_math_rewrite(MlirOperation kernels, tune_device_math_words in_other_words,
                                     bool *out_changed) {
  tune_op_list ops = {0};
  mlirOperationWalk(kernels, find_math, &ops, MlirWalkPreOrder);
  tune_status status = ops.failed ? tune_status_out_of_memory("listing math functions") : TUNE_OK;
  *out_changed = false;
  for (size_t i = 0; i < ops.count && tune_status_is_ok(status); ++i) {
    MlirValue replacement = {NULL};
    status = in_other_words(ops.ops[i], &replacement);
    if (mlirValueIsNull(replacement))
      continue;
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(ops.ops[i], 0), replacement);
    mlirOperationDestroy(ops.ops[i]);
    *out_changed = true;
  }
  tune_op_list_deinit(&ops);
  return status;
}
