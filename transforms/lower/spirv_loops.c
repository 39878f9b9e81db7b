//===- spirv_loops.c - Loops for spirv-opt to unroll -------------------------------------===//

#include "transforms/lower/spirv_loops.h"

#include "transforms/ir.h"

static MlirWalkResult find_loop(MlirOperation op, void *user_data) {
  MlirOperation *outer = user_data;
  if (!tune_ir_is(op, "spirv.mlir.loop") || mlirOperationEqual(op, *outer))
    return MlirWalkResultAdvance;
  *outer = (MlirOperation){NULL};
  return MlirWalkResultInterrupt;
}

static bool is_innermost(MlirOperation loop) {
  MlirOperation found = loop;
  mlirOperationWalk(loop, find_loop, &found, MlirWalkPreOrder);
  return !mlirOperationIsNull(found);
}

// Whether the loop, as upstream makes it of an scf.for, goes on while a number is less than a
// constant of up to `most`. Its blocks are the entry, the header with that comparison, and others.
static bool is_short(MlirOperation loop, int64_t most) {
  MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  MlirBlock header = mlirBlockGetNextInRegion(entry);
  for (MlirOperation op = mlirBlockIsNull(header) ? (MlirOperation){NULL}
                                                  : mlirBlockGetFirstOperation(header);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!tune_ir_is(op, "spirv.SLessThan"))
      continue;
    MlirValue end = mlirOperationGetOperand(op, 1);
    MlirOperation constant =
        mlirValueIsAOpResult(end) ? mlirOpResultGetOwner(end) : (MlirOperation){NULL};
    return tune_ir_is(constant, "spirv.Constant") &&
           mlirIntegerAttrGetValueInt(tune_ir_attribute(constant, "value")) <= most;
  }
  return false;
}

typedef struct marking {
  MlirAttribute unroll;
  int64_t most;
} marking;

static MlirWalkResult mark(MlirOperation op, void *user_data) {
  const marking *self = user_data;
  if (tune_ir_is(op, "spirv.mlir.loop") && is_short(op, self->most) && is_innermost(op))
    mlirOperationSetAttributeByName(op, tune_ir_string("loop_control"), self->unroll);
  return MlirWalkResultAdvance;
}

void tune_spirv_loops_mark(MlirOperation module, int64_t most) {
  marking self = {.unroll = mlirAttributeParseGet(mlirOperationGetContext(module),
                                                  tune_ir_string("#spirv.loop_control<Unroll>")),
                  .most = most};
  mlirOperationWalk(module, mark, &self, MlirWalkPreOrder);
}
