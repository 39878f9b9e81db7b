//===- workgroup_matmul_values.c - Indices and vectors of group tiles --------===//

#include "transforms/lower/gpu/matmul/workgroup_matmul_tile.h"

#include <stdio.h>

MlirValue tune_tile_add(const tune_ir_builder *builder, MlirValue a, MlirValue b) {
  return tune_ir_build_binary(builder, "arith.addi", a, b);
}

MlirValue tune_tile_add_number(const tune_ir_builder *builder, MlirValue a, int64_t b) {
  return b ? tune_tile_add(builder, a, tune_ir_build_index(builder, b)) : a;
}

MlirValue tune_tile_scale(const tune_ir_builder *builder, MlirValue a, int64_t b) {
  return b == 1 ? a
                : tune_ir_build_binary(builder, "arith.muli", a, tune_ir_build_index(builder, b));
}

MlirValue tune_tile_divide(const tune_ir_builder *builder, MlirValue a, int64_t b) {
  return b == 1 ? a
                : tune_ir_build_binary(builder, "arith.divui", a, tune_ir_build_index(builder, b));
}

MlirValue tune_tile_remainder(const tune_ir_builder *builder, MlirValue a, int64_t b) {
  return tune_ir_build_binary(builder, "arith.remui", a, tune_ir_build_index(builder, b));
}

bool tune_tile_find_dims(MlirOperation transfer, intptr_t out_dims[2]) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(tune_ir_attribute(transfer, "permutation_map"));
  if (mlirAffineMapGetNumResults(map) != 2)
    return false;
  for (intptr_t i = 0; i < 2; ++i) {
    MlirAffineExpr expression = mlirAffineMapGetResult(map, i);
    if (!mlirAffineExprIsADim(expression))
      return false;
    out_dims[i] = mlirAffineDimExprGetPosition(expression);
  }
  return out_dims[0] != out_dims[1];
}

static MlirNamedAttribute alignment(const tune_ir_builder *builder, int64_t bytes) {
  return tune_ir_named(builder->context, "alignment",
                       mlirIntegerAttrGet(mlirIntegerTypeGet(builder->context, 64), bytes));
}

int64_t tune_tile_bytes(MlirType type) {
  return (mlirTypeIsAFloat(type) ? mlirFloatTypeGetWidth(type) : mlirIntegerTypeGetWidth(type)) / 8;
}

MlirValue tune_tile_load(const tune_ir_builder *builder, MlirValue memory, intptr_t rank,
                         const MlirValue *indices, int64_t count) {
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(memory));
  MlirType type = mlirVectorTypeGet(1, &count, element);
  MlirValue operands[16] = {memory};
  for (intptr_t i = 0; i < rank; ++i)
    operands[1 + i] = indices[i];
  MlirNamedAttribute aligned = alignment(builder, count * tune_tile_bytes(element));
  return tune_ir_build_result(builder, &(tune_ir_parts){.name = "vector.load",
                                                        .operand_count = 1 + rank,
                                                        .operands = operands,
                                                        .type_count = 1,
                                                        .types = &type,
                                                        .attribute_count = 1,
                                                        .attributes = &aligned});
}

void tune_tile_store(const tune_ir_builder *builder, MlirValue vector, MlirValue memory,
                     intptr_t rank, const MlirValue *indices, int64_t bytes) {
  MlirValue operands[16] = {vector, memory};
  for (intptr_t i = 0; i < rank; ++i)
    operands[2 + i] = indices[i];
  MlirNamedAttribute aligned = alignment(builder, bytes);
  tune_ir_build(builder, &(tune_ir_parts){.name = "vector.store",
                                          .operand_count = 2 + rank,
                                          .operands = operands,
                                          .attribute_count = 1,
                                          .attributes = &aligned});
}

static MlirValue insert_row(const tune_ir_builder *builder, MlirValue row, MlirValue into,
                            int64_t place) {
  MlirValue operands[] = {row, into};
  MlirType type = mlirValueGetType(into);
  MlirNamedAttribute attribute = tune_ir_named(builder->context, "static_position",
                                               mlirDenseI64ArrayGet(builder->context, 1, &place));
  return tune_ir_build_result(builder, &(tune_ir_parts){.name = "vector.insert",
                                                        .operand_count = 2,
                                                        .operands = operands,
                                                        .type_count = 1,
                                                        .types = &type,
                                                        .attribute_count = 1,
                                                        .attributes = &attribute});
}

MlirValue tune_tile_from_rows(const tune_ir_builder *builder, MlirType type,
                              const MlirValue *rows) {
  MlirType element = mlirShapedTypeGetElementType(type);
  MlirAttribute zero = mlirDenseElementsAttrSplatGet(
      type, mlirTypeIsAFloat(element) ? mlirFloatAttrDoubleGet(builder->context, element, 0)
                                      : mlirIntegerAttrGet(element, 0));
  MlirValue made = tune_ir_build_constant(builder, type, zero);
  for (int64_t i = 0; i < mlirShapedTypeGetDimSize(type, 0); ++i)
    made = insert_row(builder, rows[i], made, i);
  return made;
}

MlirValue tune_tile_from_elements(const tune_ir_builder *builder, MlirType type, intptr_t count,
                                  const MlirValue *elements) {
  if (mlirShapedTypeGetRank(type) == 1)
    return tune_ir_build_value(builder, "vector.from_elements", type, count, elements);
  int64_t width = mlirShapedTypeGetDimSize(type, 1);
  MlirType row = mlirVectorTypeGet(1, &width, mlirShapedTypeGetElementType(type));
  MlirValue rows[8];
  for (int64_t i = 0; i < count / width; ++i)
    rows[i] =
        tune_ir_build_value(builder, "vector.from_elements", row, width, elements + i * width);
  return tune_tile_from_rows(builder, type, rows);
}

void tune_tile_build_asm(const tune_ir_builder *builder, const char *text, intptr_t count,
                         const MlirValue *operands) {
  MlirContext context = builder->context;
  char constraints[2 * TUNE_TILE_ASM_OPERANDS + 1] = "";
  for (intptr_t i = 0; i < count; ++i) {
    MlirType type = mlirValueGetType(operands[i]);
    bool is_number = mlirTypeIsAInteger(type);
    snprintf(constraints + (i ? 2 * i - 1 : 0), sizeof constraints - (size_t)(2 * i), "%s%s",
             i ? "," : "",
             !is_number                            ? "l"
             : mlirIntegerTypeGetWidth(type) == 16 ? "h"
                                                   : "r");
  }
  MlirNamedAttribute attributes[] = {
      tune_ir_named(context, "asm_string", mlirStringAttrGet(context, tune_ir_string(text))),
      tune_ir_named(context, "constraints",
                    mlirStringAttrGet(context, tune_ir_string(constraints))),
      tune_ir_named(context, "has_side_effects", mlirUnitAttrGet(context))};
  tune_ir_build(builder, &(tune_ir_parts){.name = "llvm.inline_asm",
                                          .operand_count = count,
                                          .operands = operands,
                                          .attribute_count = 3,
                                          .attributes = attributes});
}
