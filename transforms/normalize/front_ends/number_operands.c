//===- number_operands.c --------------------------------------------------------===//

#include "transforms/normalize/front_ends/number_operands.h"

#include "transforms/ir/constant_value.h"
#include "transforms/ir/op_list.h"
#include "transforms/normalize/nest_maps.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/BuiltinTypes.h"

#include <math.h>

// A number that an attribute can be made of again: of NaNs there are several.
static bool is_number(MlirValue operand, double *out_number) {
  MlirType element = tune_ir_element_of(operand);
  bool is_signless = mlirTypeIsAInteger(element) && mlirIntegerTypeIsSignless(element);
  bool is_float = mlirTypeIsAFloat(element) && mlirFloatTypeGetWidth(element) <= 64;
  return (is_float || is_signless) && tune_constant_exact_value(operand, out_number) &&
         !isnan(*out_number);
}

// The numbers among the inputs of `n`, and how many there are.
typedef struct numbers {
  bool is_number[TUNE_NEST_MAPS_OPERANDS];
  double of[TUNE_NEST_MAPS_OPERANDS];
  intptr_t count;
} numbers;

// An op of sums stays what it is, and so does one that has no other input.
static bool find_numbers(MlirOperation op, tune_nest_maps *n, numbers *out) {
  *out = (numbers){.count = 0};
  if (!tune_ir_is(op, "linalg.generic") || !tune_nest_maps_read_any(op, n) ||
      n->operand_count < 3 || !tune_nest_maps_is_on_elements(n))
    return false;
  for (intptr_t o = 0; o + 1 < n->operand_count; ++o) {
    out->is_number[o] = is_number(mlirOperationGetOperand(op, o), &out->of[o]);
    out->count += out->is_number[o];
  }
  return out->count > 0 && out->count < n->operand_count - 1;
}

static MlirWalkResult list_op(MlirOperation op, void *user_data) {
  tune_nest_maps n;
  numbers found;
  if (!find_numbers(op, &n, &found))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static void take_numbers(MlirOperation op) {
  tune_nest_maps n;
  numbers found;
  if (!find_numbers(op, &n, &found))
    return;
  MlirValue operands[TUNE_NEST_MAPS_OPERANDS];
  MlirAffineMap maps[TUNE_NEST_MAPS_OPERANDS];
  MlirRegion region = tune_ir_clone_region(op);
  MlirBlock block = mlirRegionGetFirstBlock(region);
  tune_ir_builder inside = tune_ir_builder_before(mlirBlockGetFirstOperation(block));
  intptr_t count = 0;
  for (intptr_t o = 0; o < n.operand_count; ++o) {
    MlirValue argument = mlirBlockGetArgument(block, count);
    if (found.is_number[o]) {
      mlirValueReplaceAllUsesOfWith(
          argument, tune_ir_build_number(&inside, mlirValueGetType(argument), found.of[o]));
      mlirBlockEraseArgument(block, (unsigned)count);
      continue;
    }
    operands[count] = mlirOperationGetOperand(op, o);
    maps[count++] = n.maps[o];
  }
  tune_tensor_replace(op, count, operands, maps, region);
}

static MlirWalkResult list_number(MlirOperation op, void *user_data) {
  static const char *const MAKERS[] = {"linalg.generic", "linalg.fill", "linalg.broadcast", NULL};
  double number;
  if (!tune_ir_is_one_of(op, MAKERS) || mlirOperationGetNumResults(op) != 1 ||
      !tune_constant_value(mlirOperationGetResult(op, 0), &number))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultSkip : MlirWalkResultInterrupt;
}

bool tune_normalize_number_operands(MlirOperation root) {
  static const char *const DIALECTS[] = {"arith", "linalg", NULL};
  tune_op_list ops = {0};
  // What is in the body of another one comes before that, which takes it along.
  mlirOperationWalk(root, list_op, &ops, MlirWalkPostOrder);
  if (ops.count)
    tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
  for (size_t i = 0; i < ops.count; ++i)
    take_numbers(ops.ops[i]);
  // Where a schedule is applied it counts the ops that are there.
  bool is_done = !ops.failed && (ops.count == 0 || tune_op_list_destroy_below(root, list_number));
  tune_op_list_deinit(&ops);
  return is_done;
}
