//===- math_erf.c - erf of f32 as one fraction -----------------------------------===//

#include "transforms/lower/cpu/vectors/math_erf.h"

#include "transforms/ir/ir_builder.h"

// Of t = x²: a fit of the relative error of erf(x) / x (Lawson's algorithm), 0.33 half units in the
// last place, whose coefficients were then moved by a few units to where roundings hurt least.
enum { DEGREE = 5 };
static const float P[DEGREE + 1] = {1.12837911F,    0.19076319F,     0.052787181F,
                                    0.00377863157F, 0.000284770998F, 2.04192088e-06F};
static const float Q[DEGREE + 1] = {1.0F,          0.502392054F,   0.114248671F,
                                    0.0149954855F, 0.00116494612F, 3.8001639e-05F};
#define END 3.925 // from here on the result is 1

static MlirValue number(const tune_ir_builder *b, MlirValue like, double value) {
  return tune_ir_build_number(b, mlirValueGetType(like), value);
}

// `x` within -limit and limit; a NaN stays one.
static MlirValue within(const tune_ir_builder *b, MlirValue x, double limit) {
  MlirValue most = number(b, x, limit), least = number(b, x, -limit);
  x = tune_ir_build_select(b, tune_ir_build_compare(b, "olt", most, x), most, x);
  return tune_ir_build_select(b, tune_ir_build_compare(b, "olt", x, least), least, x);
}

static MlirValue polynomial(const tune_ir_builder *b, const float *coefficients, MlirValue t) {
  MlirValue sum = number(b, t, coefficients[DEGREE]);
  for (size_t i = DEGREE; i-- > 0;) {
    MlirValue operands[] = {sum, t, number(b, t, coefficients[i])};
    sum = tune_ir_build_value(b, "math.fma", mlirValueGetType(t), 3, operands);
  }
  return sum;
}

static MlirWalkResult replace(MlirOperation op, void *user_data) {
  (void)user_data;
  if (!tune_ir_is(op, "math.erf"))
    return MlirWalkResultAdvance;
  MlirValue result = mlirOperationGetResult(op, 0);
  if (!mlirTypeIsAF32(tune_ir_element_type(mlirValueGetType(result))))
    return MlirWalkResultAdvance;
  tune_ir_builder b = tune_ir_builder_before(op);
  MlirValue x = within(&b, mlirOperationGetOperand(op, 0), END);
  MlirValue t = tune_ir_build_binary(&b, "arith.mulf", x, x);
  MlirValue above = tune_ir_build_binary(&b, "arith.mulf", x, polynomial(&b, P, t));
  MlirValue fraction = tune_ir_build_binary(&b, "arith.divf", above, polynomial(&b, Q, t));
  mlirValueReplaceAllUsesOfWith(result, within(&b, fraction, 1));
  mlirOperationDestroy(op);
  return MlirWalkResultAdvance;
}

void tune_math_erf_insert(MlirOperation module) {
  mlirOperationWalk(module, replace, NULL, MlirWalkPostOrder);
}
