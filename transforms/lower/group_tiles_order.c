//===- group_tiles_order.c - In which order groups take their tiles ------------------------===//

#include "transforms/lower/group_tiles_order.h"

#include "dialects/diagnostic.h"
#include "transforms/lower/group_tiles_parts.h"

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

tune_status tune_tile_order(MlirOperation forall) {
  MlirAttribute attribute = tune_ir_attribute(forall, TUNE_TILE_BAND_ATTRIBUTE);
  if (mlirAttributeIsNull(attribute))
    return TUNE_OK;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(forall, 0));
  intptr_t rank = mlirBlockGetNumArguments(body);
  int64_t band = mlirAttributeIsAInteger(attribute) ? mlirIntegerAttrGetValueInt(attribute) : 0;
  if (band < 1 || !counts_tiles(forall, rank) ||
      number_at(forall, "staticUpperBound", rank - 2) % band)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, forall,
                               TUNE_TILE_BAND_ATTRIBUTE ": expected a number that divides the "
                                                        "rows of tiles of a loop that counts them");
  if (band == 1)
    return TUNE_OK;
  int64_t across = number_at(forall, "staticUpperBound", rank - 1);
  MlirValue row = mlirBlockGetArgument(body, rank - 2), col = mlirBlockGetArgument(body, rank - 1);
  tune_ir_builder builder = tune_ir_builder_before(mlirBlockGetFirstOperation(body));
  MlirValue first = tune_tile_scale(&builder, row, across),
            number = tune_tile_add(&builder, first, col);
  MlirValue in_band = tune_tile_remainder(&builder, number, band * across),
            of_band =
                tune_tile_scale(&builder, tune_tile_divide(&builder, number, band * across), band);
  MlirValue new_row =
                tune_tile_add(&builder, of_band, tune_tile_remainder(&builder, in_band, band)),
            new_col = tune_tile_divide(&builder, in_band, band);
  MlirOperation own[] = {{NULL}, mlirOpResultGetOwner(number)};
  own[0] = mlirValueIsAOpResult(first) ? mlirOpResultGetOwner(first) : own[1];
  mlirValueReplaceAllUsesExcept(row, new_row, 2, own);
  mlirValueReplaceAllUsesExcept(col, new_col, 2, own);
  return TUNE_OK;
}
