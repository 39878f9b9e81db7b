//===- turned_results.c -----------------------------------------------------------------===//

#include "transforms/normalize/attention/turned_results.h"

#include "transforms/ir/op_list.h"
#include "transforms/normalize/attention/attention_keys.h"
#include "transforms/normalize/attention/attention_values.h"
#include "transforms/normalize/spread.h"
#include "transforms/normalize/tensor_ops.h"
#include "transforms/normalize/turns.h"

// Whether the rows are the last dimension of the product's result, which may have more steps than
// one in each, and the columns another one. `out_turn` brings these to the end.
static bool is_turned(const tune_attention_factors *product, tune_turn *out_turn) {
  MlirAffineMap map = tune_nest_maps_result(&product->nest);
  intptr_t rank = mlirAffineMapGetNumResults(map), columns = -1, next = 0;
  for (intptr_t d = 0; d < rank; ++d)
    if (tune_nest_maps_loop(map, d) == product->right)
      columns = d;
  if (columns < 0 || tune_nest_maps_loop(map, rank - 1) != product->left)
    return false;
  out_turn->rank = rank;
  for (intptr_t d = 0; d < rank; ++d)
    if (d != columns)
      out_turn->of[next++] = d;
  out_turn->of[next] = columns;
  return true;
}

// What is added to, in that order: a fill, which has no dimensions of its own. Null where it is
// something else.
static MlirValue turn_fill(const tune_turn *turn, MlirValue value) {
  MlirOperation fill = tune_ir_definition(value);
  if (mlirOperationIsNull(fill) || !tune_ir_is(fill, "linalg.fill"))
    return (MlirValue){NULL};
  tune_nest_maps n;
  if (!tune_nest_maps_read(fill, &n))
    return (MlirValue){NULL};
  tune_ir_builder b = tune_ir_builder_before(fill);
  MlirValue operands[] = {mlirOperationGetOperand(fill, 0), tune_turn_empty(&b, turn, value)};
  return tune_nest_maps_build(&n, operands, n.maps);
}

static void turn_result(const tune_attention_factors *product, const tune_turn *turn,
                        tune_op_list *left) {
  tune_nest_maps n = product->nest;
  intptr_t last = n.operand_count - 1;
  MlirValue result = mlirOperationGetResult(n.op, 0), init = mlirOperationGetOperand(n.op, last);
  MlirValue operands[TUNE_NEST_MAPS_OPERANDS];
  for (intptr_t o = 0; o < last; ++o)
    operands[o] = mlirOperationGetOperand(n.op, o);
  operands[last] = turn_fill(turn, init);
  if (mlirValueIsNull(operands[last]))
    return;
  n.maps[last] = tune_turn_map(turn, n.maps[last]);
  MlirValue made = tune_nest_maps_build(&n, operands, n.maps);
  tune_ir_builder b = tune_ir_builder_before(n.op);
  tune_turn inverse = tune_turn_inverse(turn);
  mlirValueReplaceAllUsesOfWith(result, tune_turn_copy(&b, &inverse, made));
  // Without memory they stay, and cost nothing.
  tune_op_list_add_once(left, n.op);
  tune_op_list_add_once(left, tune_ir_definition(init));
}

bool tune_normalize_turned_results(MlirOperation root) {
  static const char *const DIALECTS[] = {"linalg", "tensor", NULL};
  tune_op_list ops = {0}, left = {0};
  tune_spread_list_products(root, &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    tune_attention_values values;
    tune_turn turn;
    if (!tune_attention_find(ops.ops[i], &values) || !is_turned(&values.product, &turn))
      continue;
    tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
    turn_result(&values.product, &turn, &left);
  }
  // Products that are left are in `ops` as well, and not looked at any more.
  tune_op_list_destroy_unused(&left);
  tune_op_list_deinit(&left);
  tune_op_list_deinit(&ops);
  return !ops.failed;
}
