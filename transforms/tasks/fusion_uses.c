//===- fusion_uses.c -----------------------------------------------------------===//

#include "transforms/tasks/fusion_uses.h"

#include "transforms/ir/ir.h"

// Cheap ops that may hang behind a cheap op.
#define MAX_CHEAP_COST 16

tune_fusion_uses tune_fusion_uses_of(const tune_fusion_groups *groups, MlirOperation op) {
  return (tune_fusion_uses){.groups = groups, .op = op, .result = -1};
}

bool tune_fusion_uses_next(tune_fusion_uses *cursor, tune_fusion_use *out_use) {
  while (!cursor->next.ptr) {
    if (++cursor->result >= mlirOperationGetNumResults(cursor->op))
      return false;
    cursor->next = mlirValueGetFirstUse(mlirOperationGetResult(cursor->op, cursor->result));
  }
  MlirOperation owner = mlirOpOperandGetOwner(cursor->next);
  size_t user = tune_op_map_get(&cursor->groups->nodes_by_op, owner.ptr);
  if (user == TUNE_OP_MAP_NONE || cursor->groups->nodes[user].facts.op_class == TUNE_OP_UNTUNABLE)
    user = TUNE_GROUP_NONE;
  // A use in a region within the block, be it the body of a structured op, is no operand.
  bool is_here = mlirBlockEqual(mlirOperationGetBlock(owner), mlirOperationGetBlock(cursor->op));
  *out_use = (tune_fusion_use){.user = is_here ? user : TUNE_GROUP_NONE,
                               .elsewhere = is_here ? TUNE_GROUP_NONE : user,
                               .operand = mlirOpOperandGetOperandNumber(cursor->next),
                               .result = (size_t)cursor->result};
  cursor->next = mlirOpOperandGetNextUse(cursor->next);
  return true;
}

size_t tune_fusion_producer(const tune_fusion_groups *groups, MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return TUNE_GROUP_NONE;
  size_t node = tune_op_map_get(&groups->nodes_by_op, mlirOpResultGetOwner(value).ptr);
  return node == TUNE_OP_MAP_NONE ? TUNE_GROUP_NONE : node;
}

bool tune_fusion_groups_contains(const tune_fusion_groups *groups, size_t group, MlirOperation op) {
  size_t node = tune_op_map_get(&groups->nodes_by_op, op.ptr);
  return node != TUNE_OP_MAP_NONE &&
         (groups->nodes[node].group == group || groups->nodes[node].is_cheap);
}

//===--- Cheap ops ------------------------------------------------------------===//

bool tune_fusion_is_small_constant(MlirOperation op) {
  if (!tune_ir_is(op, "arith.constant"))
    return false;
  MlirAttribute value = tune_ir_attribute(op, "value");
  if (!mlirTypeIsAShaped(mlirAttributeGetType(value)))
    return true;
  return mlirAttributeIsADenseElements(value) && mlirDenseElementsAttrIsSplat(value);
}

// What repeating operand `operand` costs, in cheap ops; above MAX_CHEAP_COST if it must not be.
static size_t cost_of_operand(const tune_fusion_groups *groups, const size_t *costs,
                              const tune_fusion_node *node, size_t operand) {
  MlirValue value = mlirOperationGetOperand(node->op, (intptr_t)operand);
  if (!mlirTypeIsARankedTensor(mlirValueGetType(value)))
    return 0;
  size_t producer = tune_fusion_producer(groups, value);
  if (producer != TUNE_GROUP_NONE)
    return costs[producer];
  return mlirValueIsAOpResult(value) && tune_fusion_is_small_constant(mlirOpResultGetOwner(value))
             ? 0
             : MAX_CHEAP_COST + 1;
}

void tune_group_mark_cheap(tune_fusion_groups *groups, size_t *costs) {
  for (size_t i = 0; i < groups->node_count; ++i) {
    tune_fusion_node *node = &groups->nodes[i];
    const tune_op_facts *facts = &node->facts;
    costs[i] = MAX_CHEAP_COST + 1;
    bool moves = facts->op_class == TUNE_OP_MOVEMENT;
    bool computes_little =
        facts->op_class == TUNE_OP_ELEMENTWISE && !facts->has_math && facts->arithmetic <= 4;
    if ((!moves && !computes_little) || facts->reads_destination || facts->reads_tensor)
      continue;
    size_t cost = 1;
    for (size_t operand = 0; operand < facts->input_count; ++operand) {
      bool repeats = moves && tune_op_facts_rank(facts, operand) < facts->loop_count;
      if (!repeats)
        cost += cost_of_operand(groups, costs, node, operand);
    }
    costs[i] = cost;
    node->is_cheap = cost <= MAX_CHEAP_COST;
  }
}
