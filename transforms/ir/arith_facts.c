//===- arith_facts.c ----------------------------------------------------------===//

#include "transforms/ir/arith_facts.h"

#include "transforms/ir/ir.h"

#include "mlir-c/BuiltinTypes.h"

bool tune_arith_divides(MlirOperation op) {
  static const char *const dividing[] = {
      "arith.ceildivsi",  "arith.ceildivui", "arith.divsi", "arith.divui",
      "arith.floordivsi", "arith.remsi",     "arith.remui", NULL};
  return tune_ir_is_one_of(op, dividing);
}

bool tune_arith_shifts(MlirOperation op) {
  static const char *const shifting[] = {"arith.shli", "arith.shrsi", "arith.shrui", NULL};
  return tune_ir_is_one_of(op, shifting);
}

bool tune_arith_clamps_floats(MlirOperation op) {
  static const char *const clamping[] = {"arith.maximumf", "arith.minimumf", "arith.maxnumf",
                                         "arith.minnumf", NULL};
  return tune_ir_is_one_of(op, clamping);
}

bool tune_arith_rounds(MlirOperation op) {
  static const char *const rounding[] = {"math.round", "math.roundeven", "math.floor",
                                         "math.ceil",  "math.trunc",     NULL};
  return tune_ir_is_one_of(op, rounding);
}

bool tune_arith_promises_no_overflow(MlirOperation op) {
  MlirAttribute flags = tune_ir_attribute(op, "overflowFlags");
  return !mlirAttributeIsNull(flags) &&
         !mlirAttributeEqual(flags, mlirAttributeParseGet(mlirOperationGetContext(op),
                                                          tune_ir_string("#arith.overflow<none>")));
}

int64_t tune_arith_width(MlirType type) {
  type = mlirTypeIsAShaped(type) ? mlirShapedTypeGetElementType(type) : type;
  return mlirTypeIsAInteger(type) ? mlirIntegerTypeGetWidth(type) : 64;
}
