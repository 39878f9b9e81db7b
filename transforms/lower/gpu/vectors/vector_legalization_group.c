//===- vector_legalization_group.c - Memory of a group, in fours -------------===//
//
// Memory that a launch takes for its groups is made anew of vectors of four where every access to
// it is in fours: those of vectors, and loads of cooperative matrices, whose rows may begin at any
// multiple of four. SPIR-V counts the latter's strides in elements of the memory.
//
//===--------------------------------------------------------------------------===//

#include "transforms/lower/gpu/vectors/vector_legalization_access.h"

enum { FOUR = 4 };

bool tune_access_is_of_group(const tune_pieces *pieces, MlirValue memref) {
  return tune_ir_is_made_inside(memref, pieces->launch) && mlirValueIsAOpResult(memref) &&
         tune_ir_is(mlirOpResultGetOwner(memref), "memref.alloc") &&
         mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(mlirValueGetType(memref)));
}

MlirValue tune_pieces_make_fours(tune_buffer_use *use) {
  if (!mlirValueIsNull(use->of_fours))
    return use->of_fours;
  MlirType type = mlirValueGetType(use->memref);
  int64_t sizes[TUNE_PIECES_RANK], four = FOUR;
  intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t i = 0; i < rank; ++i)
    sizes[i] = mlirShapedTypeGetDimSize(type, i) / (i == rank - 1 ? FOUR : 1);
  MlirType element = mlirVectorTypeGet(1, &four, mlirShapedTypeGetElementType(type));
  type = mlirMemRefTypeContiguousGet(element, rank, sizes, mlirMemRefTypeGetMemorySpace(type));
  // What was there is left without a use.
  MlirOperation old = mlirOpResultGetOwner(use->memref);
  tune_ir_builder builder = tune_ir_builder_before(old);
  MlirNamedAttribute segments = tune_ir_named(builder.context, "operandSegmentSizes",
                                              tune_ir_attribute(old, "operandSegmentSizes"));
  use->of_fours = tune_ir_build_result(&builder, &(tune_ir_parts){.name = "memref.alloc",
                                                                  .type_count = 1,
                                                                  .types = &type,
                                                                  .attribute_count = 1,
                                                                  .attributes = &segments});
  return use->of_fours;
}

bool tune_pieces_is_matrix_load(MlirOperation op) {
  return tune_ir_is(op, "gpu.subgroup_mma_load_matrix");
}

static int64_t read_stride(MlirOperation load) {
  return mlirIntegerAttrGetValueInt(tune_ir_attribute(load, "leadDimension"));
}

bool tune_pieces_matrix_can_be_wide(const tune_pieces *pieces, MlirOperation load) {
  MlirValue memref = mlirOperationGetOperand(load, 0);
  MlirType type = mlirValueGetType(memref);
  intptr_t rank = mlirShapedTypeGetRank(type);
  return tune_access_is_of_group(pieces, memref) && rank > 0 && rank <= TUNE_PIECES_RANK &&
         !mlirTypeIsAVector(mlirShapedTypeGetElementType(type)) &&
         mlirShapedTypeGetDimSize(type, rank - 1) % FOUR == 0 && read_stride(load) % FOUR == 0 &&
         tune_access_is_multiple(mlirOperationGetOperand(load, rank), FOUR);
}

void tune_pieces_open_matrix_load(tune_buffer_use *use, MlirOperation load) {
  if (!use || !use->is_wide)
    return;
  intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(use->memref));
  tune_ir_builder builder = tune_ir_builder_before(load);
  mlirOperationSetOperand(load, 0, tune_pieces_make_fours(use));
  mlirOperationSetOperand(load, rank,
                          tune_access_divide(&builder, mlirOperationGetOperand(load, rank), FOUR));
  mlirOperationSetAttributeByName(
      load, tune_ir_string("leadDimension"),
      mlirIntegerAttrGet(mlirIndexTypeGet(builder.context), read_stride(load) / FOUR));
}
