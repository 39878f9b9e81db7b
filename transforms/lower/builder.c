//===- builder.c - Ops made one by one ----------------------------------------------===//

#include "transforms/lower/builder.h"

void tune_build_load(MlirContext context, const char *const *dialects) {
  for (; *dialects; ++dialects)
    mlirContextGetOrLoadDialect(context, tune_ir_string(*dialects));
}

MlirOperation tune_build_op(MlirOperation place, const char *name, const tune_build_parts *parts) {
  MlirOperationState state =
      mlirOperationStateGet(tune_ir_string(name), mlirOperationGetLocation(place));
  mlirOperationStateAddOperands(&state, (intptr_t)parts->operand_count, parts->operands);
  mlirOperationStateAddResults(&state, (intptr_t)parts->result_count, parts->results);
  mlirOperationStateAddAttributes(&state, (intptr_t)parts->attribute_count, parts->attributes);
  if (!mlirBlockIsNull(parts->body)) {
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, parts->body);
    mlirOperationStateAddOwnedRegions(&state, 1, &region);
  }
  MlirOperation op = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(place), place, op);
  return op;
}

MlirValue tune_build_value(MlirOperation place, const char *name, const MlirValue *operands,
                           size_t operand_count, MlirType type) {
  tune_build_parts parts = {
      .operands = operands, .operand_count = operand_count, .results = &type, .result_count = 1};
  return mlirOperationGetResult(tune_build_op(place, name, &parts), 0);
}

MlirValue tune_build_binary(MlirOperation place, const char *name, MlirValue left,
                            MlirValue right) {
  MlirValue operands[] = {left, right};
  return tune_build_value(place, name, operands, 2, mlirValueGetType(left));
}

MlirBlock tune_build_loop(MlirOperation place, int64_t end, const MlirValue *initial,
                          size_t initial_count, MlirOperation *out_loop) {
  MlirLocation location = mlirOperationGetLocation(place);
  MlirContext context = mlirLocationGetContext(location);
  MlirType index = mlirIndexTypeGet(context);
  MlirBlock body = mlirBlockCreate(1, &index, &location);
  MlirOperationState state = mlirOperationStateGet(tune_ir_string("scf.for"), location);
  MlirValue bounds[] = {tune_ir_make_index(place, 0), tune_ir_make_index(place, end),
                        tune_ir_make_index(place, 1)};
  mlirOperationStateAddOperands(&state, 3, bounds);
  mlirOperationStateAddOperands(&state, (intptr_t)initial_count, initial);
  for (size_t i = 0; i < initial_count; ++i) {
    MlirType type = mlirValueGetType(initial[i]);
    mlirBlockAddArgument(body, type, location);
    mlirOperationStateAddResults(&state, 1, &type);
  }
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  *out_loop = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(place), place, *out_loop);
  return body;
}
