//===- spread_indices.c ---------------------------------------------------------===//

#include "transforms/normalize/front_ends/spread_indices.h"

#include "transforms/ir/op_list.h"
#include "transforms/normalize/nest_maps.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

// Whether the body of `op` computes scalars of indices and constants alone.
static bool computes_of_indices(MlirOperation op) {
  bool has_index = false;
  for (MlirOperation inner = mlirBlockGetFirstOperation(tune_ir_body(op));
       !mlirOperationIsNull(inner); inner = mlirOperationGetNextInBlock(inner)) {
    bool is_index = tune_ir_is(inner, "linalg.index");
    has_index |= is_index;
    if (!is_index && !tune_ir_is(inner, "linalg.yield") &&
        !tune_ir_string_starts(tune_ir_name(inner), "arith."))
      return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(inner); ++i)
      if (!tune_ir_is_made_inside(mlirOperationGetOperand(inner, i), op) &&
          !tune_ir_is(tune_ir_definition(mlirOperationGetOperand(inner, i)), "arith.constant"))
        return false;
  }
  return has_index;
}

// An op without inputs, whose loops are the dimensions of its result.
static bool is_of_indices(MlirOperation op) {
  tune_nest_maps n;
  return tune_ir_is(op, "linalg.generic") && tune_nest_maps_read_any(op, &n) &&
         n.operand_count == 1 && mlirAffineMapIsIdentity(n.maps[0]) &&
         mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(tune_ir_body(op), 0))) &&
         computes_of_indices(op);
}

// Whether `op` does nothing but move its input, each dimension of which is a loop or one element.
static bool read_move(MlirOperation op, tune_nest_maps *n) {
  if (!tune_nest_maps_read(op, n) || !tune_nest_maps_moves(n) ||
      !mlirAffineMapIsIdentity(n->maps[1]))
    return false;
  MlirValue input = mlirOperationGetOperand(op, 0);
  if (!mlirTypeIsARankedTensor(mlirValueGetType(input)))
    return false;
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(n->maps[0]); ++d)
    if (tune_nest_maps_loop(n->maps[0], d) < 0 &&
        mlirShapedTypeGetDimSize(mlirValueGetType(input), d) != 1)
      return false;
  return true;
}

static MlirWalkResult list_op(MlirOperation op, void *user_data) {
  tune_nest_maps n;
  if (!read_move(op, &n))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultSkip : MlirWalkResultInterrupt;
}

// Has `index`, of a loop of the op that is moved, be that of the loop that this is by `map`.
static void move_index(MlirOperation index, MlirAffineMap map) {
  tune_ir_builder b = tune_ir_builder_before(index);
  intptr_t loop =
      tune_nest_maps_loop(map, mlirIntegerAttrGetValueInt(tune_ir_attribute(index, "dim")));
  MlirValue moved = loop < 0 ? tune_ir_build_index(&b, 0) : tune_tensor_index(&b, loop);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(index, 0), moved);
  mlirOperationDestroy(index);
}

static void spread(const tune_nest_maps *n) {
  MlirOperation source = tune_ir_definition(mlirOperationGetOperand(n->op, 0));
  MlirRegion region = tune_ir_clone_region(source);
  MlirOperation next, inner = mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(region));
  for (; !mlirOperationIsNull(inner); inner = next) {
    next = mlirOperationGetNextInBlock(inner);
    if (tune_ir_is(inner, "linalg.index"))
      move_index(inner, n->maps[0]);
  }
  MlirValue into = mlirOperationGetOperand(n->op, 1);
  tune_tensor_replace(n->op, 1, &into, &n->maps[1], region);
  if (!tune_ir_is_used(source))
    mlirOperationDestroy(source);
}

bool tune_normalize_spread_indices(MlirOperation root) {
  static const char *const DIALECTS[] = {"arith", "linalg", NULL};
  tune_op_list ops = {0};
  mlirOperationWalk(root, list_op, &ops, MlirWalkPreOrder);
  if (ops.count)
    tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
  for (size_t i = 0; i < ops.count; ++i) {
    tune_nest_maps n;
    // What was moved before is of indices by now.
    if (read_move(ops.ops[i], &n) &&
        is_of_indices(tune_ir_definition(mlirOperationGetOperand(n.op, 0))))
      spread(&n);
  }
  bool is_done = !ops.failed;
  tune_op_list_deinit(&ops);
  return is_done;
}
