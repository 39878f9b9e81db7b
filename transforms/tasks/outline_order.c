//===- outline_order.c --------------------------------------------------------===//

#include "transforms/tasks/outline_order.h"

#include "transforms/tasks/task_order.h"

#include <stdlib.h>

// The ops of a group, members and copies, in the order of a depth-first walk from the root.
typedef struct walk {
  const tune_fusion_groups *groups;
  size_t group;
  size_t *nodes; // in that order
  MlirOperation *ops;
  size_t count;
  bool *seen; // by node
} walk;

static void walk_from(walk *at, size_t node) {
  const tune_fusion_groups *groups = at->groups;
  if (at->seen[node])
    return;
  at->seen[node] = true;
  MlirOperation op = groups->nodes[node].op;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!mlirValueIsAOpResult(value))
      continue;
    MlirOperation producer = mlirOpResultGetOwner(value);
    size_t made_by = tune_op_map_get(&groups->nodes_by_op, producer.ptr);
    if (made_by != TUNE_OP_MAP_NONE && tune_fusion_groups_contains(groups, at->group, producer))
      walk_from(at, made_by);
  }
  at->nodes[at->count] = node;
  at->ops[at->count++] = op;
}

// Numbers of ops of the walk: members in the order of the module, last ones first, then copies so.
static void list_as_in_module(const walk *ops, size_t *steps) {
  size_t count = 0;
  for (int copies = 0; copies < 2; ++copies)
    for (size_t node = ops->groups->node_count; node-- > 0;) {
      if (!ops->seen[node] || (ops->groups->nodes[node].group != ops->group) != (copies != 0))
        continue;
      size_t number = 0;
      while (ops->nodes[number] != node)
        ++number;
      steps[count++] = number;
    }
}

tune_status tune_outline_order_find(const tune_fusion_groups *groups, size_t group,
                                    tune_outline_order *out_order) {
  *out_order = (tune_outline_order){.count = 0};
  size_t capacity = groups->node_count + 1;
  walk ops = {.groups = groups, .group = group};
  ops.nodes = calloc(capacity, sizeof *ops.nodes);
  ops.ops = calloc(capacity, sizeof *ops.ops);
  ops.seen = calloc(capacity, sizeof *ops.seen);
  size_t *places = calloc(capacity, sizeof *places);
  size_t *steps = calloc(capacity, sizeof *steps);
  bool *is_free = calloc(capacity, sizeof *is_free);
  tune_task_order order = {.count = 0};
  tune_status status = TUNE_OK;
  if (!ops.nodes || !ops.ops || !ops.seen || !places || !steps || !is_free) {
    status = tune_status_out_of_memory("ordering the ops of a task");
  } else {
    walk_from(&ops, groups->groups[group].root);
    status = tune_task_order_find(ops.ops, ops.count, &order);
  }
  if (tune_status_is_ok(status)) {
    list_as_in_module(&ops, steps);
    tune_task_order_place(&order, steps, places);
    for (size_t i = 0; i < ops.count; ++i)
      is_free[i] = tune_task_order_is_free(ops.ops[i], &groups->nodes[ops.nodes[i]].facts);
    out_order->mixes = !tune_task_order_is_same(&order, is_free, order.places, places);
    out_order->count = ops.count;
    for (size_t i = 0; i < ops.count; ++i)
      steps[i] = ops.nodes[out_order->mixes ? order.steps[i] : steps[i]];
    out_order->nodes = steps;
    steps = NULL;
  }
  tune_task_order_deinit(&order);
  free(ops.nodes);
  free(ops.ops);
  free(ops.seen);
  free(places);
  free(steps);
  free(is_free);
  return status;
}

void tune_outline_order_deinit(tune_outline_order *order) {
  free(order->nodes);
  *order = (tune_outline_order){.count = 0};
}
