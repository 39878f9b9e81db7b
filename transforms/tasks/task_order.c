//===- task_order.c -----------------------------------------------------------===//

#include "transforms/tasks/task_order.h"

#include "transforms/ir/ir.h"
#include "transforms/ir/op_list.h"
#include "transforms/ir/op_map.h"

#include <stdlib.h>
#include <string.h>

static tune_status find_uses(const MlirOperation *ops, size_t count, bool *uses) {
  tune_op_map numbers;
  tune_op_map_init(&numbers);
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < count && tune_status_is_ok(status); ++i)
    status = tune_op_map_set(&numbers, ops[i].ptr, i);
  for (size_t i = 0; i < count && tune_status_is_ok(status); ++i)
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(ops[i]); ++k) {
      MlirValue value = mlirOperationGetOperand(ops[i], k);
      size_t used = mlirValueIsAOpResult(value)
                        ? tune_op_map_get(&numbers, mlirOpResultGetOwner(value).ptr)
                        : TUNE_OP_MAP_NONE;
      if (used != TUNE_OP_MAP_NONE)
        uses[i * count + used] = true;
    }
  tune_op_map_deinit(&numbers);
  return status;
}

void tune_task_order_place(const tune_task_order *order, const size_t *steps, size_t *places) {
  for (size_t placed = 0; placed < order->count; ++placed) {
    size_t at = 0;
    while (at < placed && !order->uses[places[at] * order->count + steps[placed]])
      ++at;
    memmove(places + at + 1, places + at, (placed - at) * sizeof *places);
    places[at] = steps[placed];
  }
}

// The first op whose users are all placed, at each step.
static void find_steps(const tune_task_order *order, bool *is_placed) {
  size_t count = order->count;
  for (size_t step = 0; step < count; ++step) {
    size_t next = 0;
    for (bool found = false; !found; next += !found) {
      found = !is_placed[next];
      for (size_t user = next + 1; user < count && found; ++user)
        found = is_placed[user] || !order->uses[user * count + next];
    }
    is_placed[next] = true;
    order->steps[step] = next;
  }
}

tune_status tune_task_order_find(const MlirOperation *ops, size_t count,
                                 tune_task_order *out_order) {
  *out_order = (tune_task_order){.count = count};
  out_order->uses = calloc(count * count + 1, sizeof *out_order->uses);
  out_order->steps = calloc(count + 1, sizeof *out_order->steps);
  out_order->places = calloc(count + 1, sizeof *out_order->places);
  bool *is_placed = calloc(count + 1, sizeof *is_placed);
  tune_status status = TUNE_OK;
  if (!out_order->uses || !out_order->steps || !out_order->places || !is_placed)
    status = tune_status_out_of_memory("ordering the %zu ops of a task", count);
  else
    status = find_uses(ops, count, out_order->uses);
  if (tune_status_is_ok(status)) {
    find_steps(out_order, is_placed);
    tune_task_order_place(out_order, out_order->steps, out_order->places);
  } else {
    tune_task_order_deinit(out_order);
  }
  free(is_placed);
  return status;
}

void tune_task_order_deinit(tune_task_order *order) {
  free(order->uses);
  free(order->steps);
  free(order->places);
  *order = (tune_task_order){.count = 0};
}

static MlirWalkResult find_index(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found |= tune_ir_is(op, "linalg.index");
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool tune_task_order_is_free(MlirOperation op, const tune_op_facts *facts) {
  bool has_index = false;
  mlirOperationWalk(op, find_index, &has_index, MlirWalkPreOrder);
  bool is_elementwise =
      facts->op_class == TUNE_OP_ELEMENTWISE || facts->op_class == TUNE_OP_MOVEMENT;
  return facts->is_fill ||
         (is_elementwise && !facts->only_converts && !facts->reads_tensor && !has_index);
}

bool tune_task_order_is_same(const tune_task_order *order, const bool *is_free,
                             const size_t *places, const size_t *others) {
  for (size_t i = 0, k = 0; i < order->count; ++i) {
    if (is_free[places[i]])
      continue;
    while (is_free[others[k]])
      ++k;
    if (others[k++] != places[i])
      return false;
  }
  return true;
}

//===--- A function -----------------------------------------------------------===//

static bool is_structured(MlirOperation op) {
  return tune_ir_string_starts(tune_ir_name(op), "linalg.") || tune_ir_is(op, "tensor.pad");
}

typedef struct mover {
  MlirBlock block;
  MlirOperation end;
  tune_op_map moved;
  tune_status status; // the first failure; what follows does nothing
} mover;

static void move_with_operands(mover *state, MlirOperation op);

static MlirWalkResult move_what_is_read(MlirOperation op, void *user_data) {
  mover *state = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (mlirValueIsAOpResult(value) &&
        mlirBlockEqual(mlirOperationGetBlock(mlirOpResultGetOwner(value)), state->block))
      move_with_operands(state, mlirOpResultGetOwner(value));
  }
  return MlirWalkResultAdvance;
}

// Moves `op` to the end of the block, behind all that it reads, be it in its body.
static void move_with_operands(mover *state, MlirOperation op) {
  if (!tune_status_is_ok(state->status) ||
      tune_op_map_get(&state->moved, op.ptr) != TUNE_OP_MAP_NONE)
    return;
  mlirOperationWalk(op, move_what_is_read, state, MlirWalkPreOrder);
  mlirOperationMoveBefore(op, state->end);
  if (tune_status_is_ok(state->status))
    state->status = tune_op_map_set(&state->moved, op.ptr, 0);
}

tune_status tune_task_order_apply(MlirOperation function) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  tune_op_words words = tune_op_words_get(mlirOperationGetContext(function));
  tune_op_list ops = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (is_structured(op))
      tune_op_list_add(&ops, op);
  bool *is_free = calloc(ops.count + 1, sizeof *is_free);
  size_t *as_is = calloc(ops.count + 1, sizeof *as_is);
  tune_task_order order = {.count = 0};
  tune_status status = ops.failed || !is_free || !as_is
                           ? tune_status_out_of_memory("ordering the ops of a task")
                           : tune_task_order_find(ops.ops, ops.count, &order);
  for (size_t i = 0; i < order.count; ++i) {
    as_is[i] = i;
    tune_op_facts facts;
    tune_op_facts_get(ops.ops[i], &words, &facts);
    is_free[i] =
        tune_ir_is(ops.ops[i], "linalg.fill") || tune_task_order_is_free(ops.ops[i], &facts);
  }
  bool differs = !tune_task_order_is_same(&order, is_free, order.places, as_is);
  mover state = {.block = block, .end = mlirBlockGetTerminator(block), .status = status};
  tune_op_map_init(&state.moved);
  for (size_t i = 0; i < order.count && differs; ++i)
    move_with_operands(&state, ops.ops[order.places[i]]);
  tune_op_map_deinit(&state.moved);
  tune_task_order_deinit(&order);
  tune_op_list_deinit(&ops);
  free(is_free);
  free(as_is);
  return state.status;
}
