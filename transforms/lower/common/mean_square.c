//===- mean_square.c ----------------------------------------------------------===//

#include "transforms/lower/common/mean_square.h"

#include "mlir-c/BuiltinTypes.h"

#include <math.h>

bool tune_mean_square_is_known(MlirType type) {
  return mlirTypeIsAMemRef(type) && mlirTypeIsAFloat(mlirShapedTypeGetElementType(type)) &&
         mlirShapedTypeHasStaticShape(type) && mlirShapedTypeGetRank(type) > 0 &&
         mlirShapedTypeGetRank(type) <= TUNE_IR_MAX_RANK;
}

// `sum` and the squares of the elements of `buffer` at `indices` in its first `d` dimensions.
static MlirValue add_squares(const tune_ir_builder *b, MlirValue buffer, intptr_t d,
                             MlirValue *indices, MlirValue sum) {
  MlirType type = mlirValueGetType(buffer), element = mlirShapedTypeGetElementType(type);
  if (d == mlirShapedTypeGetRank(type)) {
    MlirValue operands[TUNE_IR_MAX_RANK + 1] = {buffer};
    for (intptr_t i = 0; i < d; i++)
      operands[1 + i] = indices[i];
    MlirValue x = tune_ir_build_value(b, "memref.load", element, 1 + d, operands);
    if (!mlirTypeIsAF64(element))
      x = tune_ir_build_value(b, "arith.extf", mlirF64TypeGet(b->context), 1, &x);
    return tune_ir_build_binary(b, "arith.addf", sum, tune_ir_build_binary(b, "arith.mulf", x, x));
  }
  MlirOperation loop;
  tune_ir_builder inside = tune_ir_build_for(b, mlirShapedTypeGetDimSize(type, d), 1, &sum, &loop);
  MlirBlock block = tune_ir_body(loop);
  indices[d] = mlirBlockGetArgument(block, 0);
  MlirValue end = add_squares(&inside, buffer, d + 1, indices, mlirBlockGetArgument(block, 1));
  tune_ir_build(&inside,
                &(tune_ir_parts){.name = "scf.yield", .operand_count = 1, .operands = &end});
  return mlirOperationGetResult(loop, 0);
}

MlirValue tune_mean_square_root(const tune_ir_builder *b, MlirValue buffer) {
  static const char *const DIALECTS[] = {"arith", "math", "memref", "scf", NULL};
  tune_ir_load_dialects(b->context, DIALECTS);
  MlirType f64 = mlirF64TypeGet(b->context), type = mlirValueGetType(buffer);
  MlirValue indices[TUNE_IR_MAX_RANK];
  double count = 1;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); d++)
    count *= (double)mlirShapedTypeGetDimSize(type, d);
  MlirValue sum = add_squares(b, buffer, 0, indices, tune_ir_build_number(b, f64, 0));
  MlirValue mean =
      tune_ir_build_binary(b, "arith.mulf", sum, tune_ir_build_number(b, f64, 1 / fmax(count, 1)));
  return tune_ir_build_value(b, "math.sqrt", f64, 1, &mean);
}
