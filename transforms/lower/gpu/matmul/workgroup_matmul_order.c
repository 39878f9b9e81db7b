//===- workgroup_matmul_order.c - The order in which workgroups take tiles ---===//

#include "transforms/lower/gpu/matmul/workgroup_matmul_order.h"

#include "dialects/diagnostic.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_tile.h"

static int64_t number_at(MlirOperation forall, const char *name, intptr_t place) {
  return mlirDenseI64ArrayGetElement(tune_ir_attribute(forall, name), place);
}

static bool counts_tiles(MlirOperation forall, intptr_t rank) {
  bool counts = rank >= 2 && mlirOperationGetNumOperands(forall) == 0;
  for (intptr_t i = rank - 2; i < rank && counts; ++i)
    counts =
        number_at(forall, "staticLowerBound", i) == 0 && number_at(forall, "staticStep", i) == 1;
  return counts;
}

// Has what is behind `before` use `with` for `value`.
static void replace_behind(MlirOperation before, MlirValue value, MlirValue with) {
  enum { MOST = 32 };
  MlirOperation own[MOST];
  intptr_t count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirOperationGetBlock(before));
       !mlirOperationEqual(op, before) && count < MOST; op = mlirOperationGetNextInBlock(op))
    own[count++] = op;
  mlirValueReplaceAllUsesExcept(value, with, count, own);
}

tune_status tune_tile_order(MlirOperation forall, int64_t cluster_y, int64_t cluster_x) {
  MlirAttribute attribute = tune_ir_attribute(forall, TUNE_TILE_BAND_ATTRIBUTE);
  if (mlirAttributeIsNull(attribute))
    return TUNE_OK;
  MlirBlock body = tune_ir_body(forall);
  intptr_t rank = mlirBlockGetNumArguments(body);
  int64_t band = mlirAttributeIsAInteger(attribute) ? mlirIntegerAttrGetValueInt(attribute) : 0;
  if (band < 1 || !counts_tiles(forall, rank) ||
      number_at(forall, "staticUpperBound", rank - 2) % band)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, forall,
                               TUNE_TILE_BAND_ATTRIBUTE ": expected a number that divides the "
                                                        "rows of tiles of a loop that counts them");
  if (band == 1)
    return TUNE_OK;
  if (band % cluster_y)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, forall,
                               TUNE_TILE_BAND_ATTRIBUTE ": bands of %lld rows of tiles, in "
                                                        "clusters of %lld",
                               (long long)band, (long long)cluster_y);
  band /= cluster_y;
  int64_t across = number_at(forall, "staticUpperBound", rank - 1) / cluster_x;
  MlirValue row = mlirBlockGetArgument(body, rank - 2), col = mlirBlockGetArgument(body, rank - 1);
  MlirOperation rest = mlirBlockGetFirstOperation(body);
  tune_ir_builder builder = tune_ir_builder_before(rest);
  MlirValue first = tune_tile_scale(&builder, tune_tile_divide(&builder, row, cluster_y), across),
            number = tune_tile_add(&builder, first, tune_tile_divide(&builder, col, cluster_x));
  MlirValue in_band = tune_tile_remainder(&builder, number, band * across),
            of_band =
                tune_tile_scale(&builder, tune_tile_divide(&builder, number, band * across), band);
  MlirValue new_row =
                tune_tile_add(&builder, of_band, tune_tile_remainder(&builder, in_band, band)),
            new_col = tune_tile_divide(&builder, in_band, band);
  if (cluster_y > 1)
    new_row = tune_tile_add(&builder, tune_tile_scale(&builder, new_row, cluster_y),
                            tune_tile_remainder(&builder, row, cluster_y));
  if (cluster_x > 1)
    new_col = tune_tile_add(&builder, tune_tile_scale(&builder, new_col, cluster_x),
                            tune_tile_remainder(&builder, col, cluster_x));
  replace_behind(rest, row, new_row);
  replace_behind(rest, col, new_col);
  return TUNE_OK;
}
