//===- spirv_loops.c - Repairs of loops after upstream's conversion to SPIR-V -===//

#include "transforms/lower/vulkan/spirv_loops.h"

#include "transforms/ir/ir.h"
#include "transforms/ir/ir_builder.h"

static MlirWalkResult find_loop(MlirOperation op, void *user_data) {
  MlirOperation *outer = user_data;
  if ((!tune_ir_is(op, "spirv.mlir.loop") && !tune_ir_is(op, "spirv.ControlBarrier")) ||
      mlirOperationEqual(op, *outer))
    return MlirWalkResultAdvance;
  *outer = (MlirOperation){NULL};
  return MlirWalkResultInterrupt;
}

// Whether no loop is in it, nor a barrier: between these are the long bodies of whole tiles.
static bool is_innermost(MlirOperation loop) {
  MlirOperation found = loop;
  mlirOperationWalk(loop, find_loop, &found, MlirWalkPreOrder);
  return !mlirOperationIsNull(found);
}

static bool read_constant(MlirValue value, int64_t *out_number) {
  MlirOperation op = tune_ir_definition(value);
  MlirAttribute number =
      tune_ir_is(op, "spirv.Constant") ? tune_ir_attribute(op, "value") : mlirAttributeGetNull();
  if (mlirAttributeIsNull(number) || !mlirAttributeIsAInteger(number))
    return false;
  *out_number = mlirIntegerAttrGetValueInt(number);
  return true;
}

// The blocks of a loop, as upstream makes it of an scf.for, are the entry, the header, which goes
// on while a number is less than the end, and others.
static bool read_end(MlirOperation loop, int64_t *out_end) {
  MlirBlock entry = tune_ir_body(loop);
  MlirBlock header = mlirBlockGetNextInRegion(entry);
  for (MlirOperation op = mlirBlockIsNull(header) ? (MlirOperation){NULL}
                                                  : mlirBlockGetFirstOperation(header);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!tune_ir_is(op, "spirv.SLessThan"))
      continue;
    return read_constant(mlirOperationGetOperand(op, 1), out_end);
  }
  return false;
}

static bool is_short(MlirOperation loop, int64_t most) {
  int64_t end;
  return read_end(loop, &end) && end <= most;
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

//===--------------------------------------------------------------------------===//
// Loops that may not run
//===--------------------------------------------------------------------------===//

// The variable that `op` stores a result of its loop in; null for other ops.
static MlirValue find_stored(MlirOperation op) {
  MlirValue none = {NULL};
  if (!tune_ir_is(op, "spirv.Store"))
    return none;
  MlirValue variable = mlirOperationGetOperand(op, 0);
  return mlirValueIsAOpResult(variable) &&
                 tune_ir_is(mlirOpResultGetOwner(variable), "spirv.Variable")
             ? variable
             : none;
}

// The entry branches with the first number and what each carried value begins with; the last step
// of the body stores the carried values, in order, then branches with them and the next number.
static MlirWalkResult start(MlirOperation loop, void *user_data) {
  (void)user_data;
  if (!tune_ir_is(loop, "spirv.mlir.loop"))
    return MlirWalkResultAdvance;
  MlirBlock entry = tune_ir_body(loop);
  MlirOperation first = mlirBlockGetTerminator(entry);
  int64_t begin, end;
  if (mlirOperationIsNull(first) || mlirOperationGetNumOperands(first) < 2 ||
      (read_constant(mlirOperationGetOperand(first, 0), &begin) && read_end(loop, &end) &&
       begin < end))
    return MlirWalkResultAdvance;
  tune_ir_builder builder = tune_ir_builder_before(loop);
  for (MlirBlock block = mlirBlockGetNextInRegion(entry); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block)) {
    MlirOperation again = mlirBlockGetTerminator(block);
    intptr_t count = mlirOperationIsNull(again) ? 0 : mlirOperationGetNumOperands(again), at = 1;
    if (!tune_ir_is(again, "spirv.Branch") || count != mlirOperationGetNumOperands(first))
      continue;
    for (MlirOperation op = mlirBlockGetFirstOperation(block);
         !mlirOperationIsNull(op) && at < count; op = mlirOperationGetNextInBlock(op)) {
      MlirValue variable = find_stored(op);
      if (mlirValueIsNull(variable) ||
          !mlirValueEqual(mlirOperationGetOperand(op, 1), mlirOperationGetOperand(again, at)))
        continue;
      MlirValue operands[] = {variable, mlirOperationGetOperand(first, at++)};
      tune_ir_build(&builder, &(tune_ir_parts){
                                  .name = "spirv.Store", .operand_count = 2, .operands = operands});
    }
  }
  return MlirWalkResultAdvance;
}

void tune_spirv_loops_start(MlirOperation module) {
  mlirOperationWalk(module, start, NULL, MlirWalkPreOrder);
}
