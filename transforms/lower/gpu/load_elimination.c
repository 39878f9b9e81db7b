//===- load_elimination.c - Elimination of repeated loads in kernels ---------===//

#include "transforms/lower/gpu/load_elimination.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/ir/op_map.h"
#include "transforms/lower/common/memory_access.h"

static bool is_read(MlirOperation op) {
  return tune_ir_is(op, "vector.transfer_read") || tune_ir_is(op, "vector.load") ||
         tune_ir_is(op, "memref.load");
}

typedef struct launch_walk {
  tune_op_list reads;   // in the order of the IR: those of one block in theirs
  tune_op_map changing; // buffers that something other than a read has, as a whole or a view
  tune_status status;
} launch_walk;

static MlirWalkResult list_op(MlirOperation op, void *user_data) {
  launch_walk *walk = user_data;
  if (is_read(op)) {
    if (!tune_op_list_add(&walk->reads, op))
      walk->status = tune_status_out_of_memory("listing reads");
  } else if (!tune_ir_is(op, "memref.dim")) {
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && tune_status_is_ok(walk->status);
         ++i) {
      MlirValue operand = mlirOperationGetOperand(op, i);
      if (mlirTypeIsAMemRef(mlirValueGetType(operand)))
        walk->status = tune_op_map_set(&walk->changing, tune_memory_access_root(operand).ptr, 0);
    }
  }
  return tune_status_is_ok(walk->status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static bool are_equal(MlirOperation a, MlirOperation b) {
  intptr_t count = mlirOperationGetNumOperands(a);
  if (!mlirIdentifierEqual(mlirOperationGetName(a), mlirOperationGetName(b)) ||
      count != mlirOperationGetNumOperands(b) ||
      !mlirTypeEqual(mlirValueGetType(mlirOperationGetResult(a, 0)),
                     mlirValueGetType(mlirOperationGetResult(b, 0))) ||
      !tune_ir_has_same_attributes(a, b))
    return false;
  for (intptr_t i = 0; i < count; ++i)
    if (!mlirValueEqual(mlirOperationGetOperand(a, i), mlirOperationGetOperand(b, i)))
      return false;
  return true;
}

// Puts an equal read that stands earlier in its block in place of `reads`' last one, number `at`.
static void merge(const tune_op_list *reads, size_t at, const tune_op_map *changing) {
  MlirOperation op = reads->ops[at];
  MlirValue buffer = tune_memory_access_root(mlirOperationGetOperand(op, 0));
  if (tune_op_map_get(changing, buffer.ptr) != TUNE_OP_MAP_NONE)
    return;
  MlirBlock block = mlirOperationGetBlock(op);
  for (size_t i = 0; i < at; ++i) {
    MlirOperation other = reads->ops[i];
    if (!mlirBlockEqual(mlirOperationGetBlock(other), block) || !are_equal(other, op))
      continue;
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), mlirOperationGetResult(other, 0));
    return;
  }
}

static tune_status merge_in(MlirOperation launch) {
  launch_walk walk = {.status = TUNE_OK};
  tune_op_map_init(&walk.changing);
  mlirOperationWalk(launch, list_op, &walk, MlirWalkPreOrder);
  // The last first: the one that an op is replaced by may itself be replaced then.
  for (size_t i = walk.reads.count; i-- > 1 && tune_status_is_ok(walk.status);)
    merge(&walk.reads, i, &walk.changing);
  tune_op_map_deinit(&walk.changing);
  tune_op_list_deinit(&walk.reads);
  return walk.status;
}

static MlirWalkResult list_launch(MlirOperation op, void *user_data) {
  if (!tune_ir_is(op, "gpu.launch"))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultSkip : MlirWalkResultInterrupt;
}

tune_status tune_load_elimination_run(MlirOperation function) {
  tune_op_list launches = {0};
  mlirOperationWalk(function, list_launch, &launches, MlirWalkPreOrder);
  tune_status status = launches.failed ? tune_status_out_of_memory("listing launches") : TUNE_OK;
  for (size_t i = 0; i < launches.count && tune_status_is_ok(status); ++i)
    status = merge_in(launches.ops[i]);
  tune_op_list_deinit(&launches);
  return status;
}
