//===- blocks.c ---------------------------------------------------------------===//

#include "transforms/lower/common/blocks.h"

#include "transforms/ir/ir.h"
#include "transforms/lower/common/pipeline.h"

#define LIFT "lift-cf-to-scf,canonicalize"

// Whether `block` or one before it in their region is where a branch at the end of `block` goes.
static bool goes_back(MlirRegion region, MlirBlock block) {
  MlirOperation end = mlirBlockGetTerminator(block);
  for (intptr_t i = 0; i < mlirOperationGetNumSuccessors(end); ++i) {
    MlirBlock successor = mlirOperationGetSuccessor(end, i);
    MlirBlock before = mlirRegionGetFirstBlock(region);
    while (!mlirBlockEqual(before, successor) && !mlirBlockEqual(before, block))
      before = mlirBlockGetNextInRegion(before);
    if (mlirBlockEqual(before, successor))
      return true;
  }
  return false;
}

static bool is_meant(MlirOperation op, bool loops_only) {
  if (!tune_ir_is(op, "func.func") || mlirBlockIsNull(tune_ir_body(op)))
    return false;
  MlirRegion region = mlirOperationGetRegion(op, 0);
  MlirBlock block = mlirRegionGetFirstBlock(region);
  bool has_several = !mlirBlockIsNull(mlirBlockGetNextInRegion(block)), is_found = false;
  for (; has_several && loops_only && !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    is_found = is_found || goes_back(region, block);
  return loops_only ? is_found : has_several;
}

tune_status tune_blocks_lift(MlirOperation module, bool loops_only) {
  bool any = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    any = any || is_meant(op, loops_only);
  if (!any)
    return TUNE_OK;
  MlirPassManager passes;
  tune_status status = tune_pipeline_create(mlirOperationGetContext(module), LIFT, &passes);
  if (tune_status_is_ok(status))
    status = tune_pipeline_run(passes, module, "making ops of branches between blocks");
  tune_pipeline_destroy(passes);
  return status;
}
