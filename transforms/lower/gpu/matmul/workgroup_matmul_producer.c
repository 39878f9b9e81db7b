//===- workgroup_matmul_producer.c - Producer warps that only copy -----------===//

#include "transforms/lower/gpu/matmul/workgroup_matmul_producer.h"

#include "dialects/diagnostic.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_bulk.h"

tune_status tune_tile_producer_read(tune_tile *tile) {
  MlirAttribute attribute = tune_ir_attribute(tile->forall, "tune.tile.producer_warps");
  if (mlirAttributeIsNull(attribute))
    return TUNE_OK;
  tile->producer_warps =
      mlirAttributeIsAInteger(attribute) ? mlirIntegerAttrGetValueInt(attribute) : -1;
  if (tile->producer_warps == 0 || (tile->producer_warps == 1 && tile->is_bulk))
    return TUNE_OK;
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                             "tune.tile.producer_warps: expected 0, or 1 with bulk copies "
                             "(tune.tile.bulk_copies = 1)");
}

static MlirOperation last_before(const tune_ir_builder *builder) {
  MlirOperation op = mlirBlockGetFirstOperation(builder->block), last = op;
  for (; !mlirOperationEqual(op, builder->before); op = mlirOperationGetNextInBlock(op))
    last = op;
  return last;
}

void tune_tile_producer_begin(const tune_tile *tile, MlirOperation *out_last) {
  tune_ir_builder builder = tune_ir_builder_before(tile->loop);
  tune_tile_bulk_begin(tile, &builder);
  MlirValue first = tune_ir_build_index(&builder, tile->threads);
  tune_ir_builder alone =
      tune_ir_build_if(&builder, tune_ir_build_compare(&builder, "eq", tile->thread, first));
  MlirOperation loop;
  tune_ir_builder inside = tune_ir_build_for(&alone, tile->steps, 0, NULL, &loop);
  MlirBlock body = tune_ir_body(loop);
  tune_tile_bulk_copy(tile, &inside, mlirBlockGetArgument(body, 0));
  tune_ir_build(&inside, &(tune_ir_parts){.name = "scf.yield"});
  *out_last = last_before(&builder);
}

void tune_tile_producer_end(const tune_tile *tile, MlirOperation last) {
  MlirBlock body = tune_ir_body(tile->forall);
  MlirOperation end = mlirBlockGetTerminator(body), op = mlirOperationGetNextInBlock(last);
  tune_ir_builder builder = tune_ir_builder_before(op);
  MlirValue count = tune_ir_build_index(&builder, tile->threads);
  tune_ir_builder others =
      tune_ir_build_if(&builder, tune_ir_build_compare(&builder, "ult", tile->thread, count));
  while (!mlirOperationEqual(op, end)) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    tune_ir_move(&others, op);
    op = next;
  }
}
