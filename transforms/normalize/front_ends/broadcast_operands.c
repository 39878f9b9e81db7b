//===- broadcast_operands.c -----------------------------------------------------===//

#include "transforms/normalize/front_ends/broadcast_operands.h"

#include "transforms/ir/op_list.h"
#include "transforms/normalize/nest_maps.h"
#include "transforms/normalize/tensor_ops.h"

// Below it tasks are no others, and stock mlir-opt finds ops as they came.
enum { LEAST_RANK = 4 };
enum { MOST_STEPS = 16 }; // broadcasts of broadcasts

// An op on elements, of two inputs and more: one that moves one input alone stays.
static bool read_op(MlirOperation op, tune_nest_maps *n) {
  return tune_ir_is(op, "linalg.generic") && tune_nest_maps_read_any(op, n) &&
         n->operand_count > 2 && n->loop_count >= LEAST_RANK && tune_nest_maps_is_on_elements(n);
}

// Whether `op` repeats its input along some of its loops, which are the dimensions of its result,
// and does nothing else.
static bool read_broadcast(MlirOperation op, tune_nest_maps *n) {
  if (!tune_nest_maps_read(op, n) || !tune_nest_maps_moves(n) ||
      !mlirAffineMapIsIdentity(n->maps[1]) || !tune_nest_maps_is_plain(n->maps[0]) ||
      !tune_tensor_is_plain(mlirValueGetType(mlirOperationGetOperand(op, 0))))
    return false;
  for (intptr_t loop = 0; loop < n->loop_count; ++loop)
    if (n->extents[loop] > 1 && !tune_nest_maps_has(n->maps[0], loop))
      return true;
  return false;
}

static bool reads_broadcast(const tune_nest_maps *n) {
  tune_nest_maps ignored;
  for (intptr_t o = 0; o + 1 < n->operand_count; ++o)
    if (read_broadcast(tune_ir_definition(mlirOperationGetOperand(n->op, o)), &ignored))
      return true;
  return false;
}

static MlirWalkResult list_op(MlirOperation op, void *user_data) {
  tune_nest_maps n;
  if (!read_op(op, &n) || !reads_broadcast(&n))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static void read_sources(MlirOperation op) {
  tune_nest_maps n, broadcast;
  if (!read_op(op, &n))
    return;
  MlirValue operands[TUNE_NEST_MAPS_OPERANDS];
  for (intptr_t o = 0; o < n.operand_count; ++o) {
    operands[o] = mlirOperationGetOperand(op, o);
    // Where no block leads to it, a broadcast may read itself.
    for (int step = 0; step < MOST_STEPS && o + 1 < n.operand_count &&
                       read_broadcast(tune_ir_definition(operands[o]), &broadcast);
         ++step) {
      n.maps[o] = tune_nest_maps_compose(broadcast.maps[0], n.maps[o]);
      operands[o] = mlirOperationGetOperand(broadcast.op, 0);
    }
  }
  tune_tensor_replace(op, n.operand_count, operands, n.maps, tune_ir_clone_region(op));
}

static MlirWalkResult list_broadcast(MlirOperation op, void *user_data) {
  tune_nest_maps n;
  if (!read_broadcast(op, &n))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultSkip : MlirWalkResultInterrupt;
}

bool tune_normalize_broadcast_operands(MlirOperation root) {
  static const char *const DIALECTS[] = {"linalg", NULL};
  tune_op_list ops = {0};
  // What is in the body of another one comes before that, which takes it along.
  mlirOperationWalk(root, list_op, &ops, MlirWalkPostOrder);
  if (ops.count)
    tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
  for (size_t i = 0; i < ops.count; ++i)
    read_sources(ops.ops[i]);
  // Where a schedule is applied it counts the ops that are there.
  bool is_done =
      !ops.failed && (ops.count == 0 || tune_op_list_destroy_below(root, list_broadcast));
  tune_op_list_deinit(&ops);
  return is_done;
}
