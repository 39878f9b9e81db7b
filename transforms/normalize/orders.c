//===- orders.c -------------------------------------------------------------------===//

#include "transforms/normalize/orders.h"

#include "transforms/ir/op_list.h"
#include "transforms/normalize/nest_maps.h"
#include "transforms/normalize/spread.h"
#include "transforms/normalize/tensor_ops.h"
#include "transforms/normalize/turns.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

enum {
  LEAST_PIXELS = 8, // a vector
  MOST_OPS = 64,    // of a chain that is turned: it is followed by recursion
  MOST_PARTS = 4,   // slices and borders of an image
};

typedef struct order {
  tune_turn turn;
  tune_op_list *left; // ops that may not be used any more
} order;

static bool read_transpose(MlirOperation op, tune_turn *out) {
  if (!tune_ir_is(op, "linalg.transpose") || mlirOperationGetNumResults(op) != 1 ||
      !tune_tensor_is_plain(mlirValueGetType(mlirOperationGetResult(op, 0))) ||
      !tune_tensor_is_plain(mlirValueGetType(mlirOperationGetOperand(op, 0))))
    return false;
  out->rank = mlirShapedTypeGetRank(mlirValueGetType(mlirOperationGetResult(op, 0)));
  return tune_tensor_read_numbers(op, "permutation", out->rank, out->of);
}

static int64_t size_of(MlirValue value, intptr_t dimension) {
  return mlirShapedTypeGetDimSize(mlirValueGetType(value), dimension);
}

static void leave(const order *to, MlirValue value) {
  MlirOperation op = tune_ir_definition(value);
  if (!mlirOperationIsNull(op))
    tune_op_list_add_once(to->left, op); // without memory it stays, and costs nothing
}

//===--- Images that are turned already ----------------------------------------------===//

// Whether `value` is an image in the order that `to` turns it to, which was turned the other way;
// or a part of one, or one with borders.
static bool is_turned_part(const order *to, MlirValue value, int depth) {
  MlirOperation op = tune_ir_definition(value);
  tune_turn other;
  if (depth == 0 || mlirOperationIsNull(op) || !tune_tensor_is_plain(mlirValueGetType(value)) ||
      mlirShapedTypeGetRank(mlirValueGetType(value)) != to->turn.rank)
    return false;
  if (read_transpose(op, &other)) {
    bool is_inverse = other.rank == to->turn.rank;
    for (intptr_t d = 0; is_inverse && d < to->turn.rank; ++d)
      is_inverse = other.of[to->turn.of[d]] == d;
    return is_inverse;
  }
  return tune_turn_is_part(op) && tune_ir_has_one_use(value) &&
         is_turned_part(to, mlirOperationGetOperand(op, 0), depth - 1);
}

static bool is_turned_image(const order *to, MlirValue value) {
  return is_turned_part(to, value, MOST_PARTS);
}

// That image before it was turned.
static MlirValue take_image(const order *to, MlirValue value) {
  MlirOperation op = tune_ir_definition(value);
  MlirValue before = mlirOperationGetOperand(op, 0);
  leave(to, value);
  if (tune_ir_is(op, "linalg.transpose"))
    leave(to, mlirOperationGetOperand(op, 1));
  return tune_ir_is(op, "linalg.transpose")
             ? before
             : tune_turn_rebuild(&to->turn, op, take_image(to, before));
}

//===--- Which ---------------------------------------------------------------------===//

static bool is_on_elements(const tune_nest_maps *n) {
  MlirValue old = mlirBlockGetArgument(tune_ir_body(n->op), n->operand_count - 1);
  return mlirAffineMapIsPermutation(tune_nest_maps_result(n)) &&
         mlirOpOperandIsNull(mlirValueGetFirstUse(old));
}

// Whether what is added to, `value`, can be made in another order: a fill, or a bias that is
// broadcast.
static bool is_filled(MlirValue value) {
  tune_nest_maps n;
  if (!tune_nest_maps_read(tune_ir_definition(value), &n) || !is_on_elements(&n))
    return false;
  intptr_t rank = mlirAffineMapGetNumResults(tune_nest_maps_result(&n));
  for (intptr_t o = 0; o + 1 < n.operand_count; ++o)
    if (mlirAffineMapGetNumResults(n.maps[o]) >= rank)
      return false;
  return true;
}

// Which factor of the product `n` is the image: the other one has the last dimension of the result,
// and `to` puts two or more of the image's behind that. -1: neither.
static intptr_t find_image(const tune_nest_maps *n, const order *to) {
  MlirAffineMap result = tune_nest_maps_result(n);
  if (mlirAffineMapGetNumResults(result) != to->turn.rank || !tune_nest_maps_is_plain(result))
    return -1;
  for (intptr_t image = 0; image < 2; ++image) {
    MlirAffineMap filter = n->maps[1 - image];
    int64_t behind = 0, pixels = 1;
    for (intptr_t d = to->turn.rank - 1; d >= 0 && to->turn.of[d] != to->turn.rank - 1; --d) {
      intptr_t loop = tune_nest_maps_loop(result, to->turn.of[d]);
      if (loop >= 0 && tune_nest_maps_has(n->maps[image], loop) &&
          !tune_nest_maps_has(filter, loop)) {
        behind += 1;
        pixels *= n->extents[loop];
      }
    }
    intptr_t channels = tune_nest_maps_loop(result, to->turn.rank - 1);
    if (behind >= 2 && pixels >= LEAST_PIXELS && channels >= 0 &&
        tune_nest_maps_has(filter, channels) && !tune_nest_maps_has(n->maps[image], channels))
      return image;
  }
  return -1;
}

// Products of narrower types are made by other instructions, and nothing was measured.
static bool is_measured_type(MlirOperation op) {
  for (intptr_t o = 0; o < mlirOperationGetNumOperands(op); ++o) {
    MlirType type = tune_ir_element_type(mlirValueGetType(mlirOperationGetOperand(op, o)));
    if (!mlirTypeIsAF32(type) && !mlirTypeIsAF64(type))
      return false;
  }
  return true;
}

static bool is_dense(const tune_nest_maps *n) {
  return tune_nest_maps_is_plain(n->maps[0]) && tune_nest_maps_is_plain(n->maps[1]);
}

// Whether the image of the product `n` has its dimensions where the result has them, and something
// else at the place of the last one: then they are turned alike.
static bool is_image_alike(const tune_nest_maps *n, intptr_t image, const order *to) {
  MlirAffineMap result = tune_nest_maps_result(n), map = n->maps[image];
  if (mlirAffineMapGetNumResults(map) != to->turn.rank)
    return false;
  for (intptr_t d = 0; d + 1 < to->turn.rank; ++d)
    if (tune_nest_maps_loop(map, d) != tune_nest_maps_loop(result, d))
      return false;
  return true;
}

// The convolution of each channel with itself that makes `value`, whose last dimension may be a
// multiplier of 1 that is folded away. The map of its result is without that.
static bool read_depthwise(const order *to, MlirValue value, tune_nest_maps *n) {
  MlirOperation op = tune_ir_definition(value);
  if (mlirOperationIsNull(op))
    return false;
  bool is_folded = tune_ir_is(op, "tensor.collapse_shape");
  if (is_folded) {
    MlirValue folded = value;
    value = mlirOperationGetOperand(op, 0);
    op = tune_ir_definition(value);
    MlirType type = mlirValueGetType(value);
    if (!tune_ir_has_one_use(value) || !tune_tensor_is_plain(type) ||
        mlirShapedTypeGetRank(type) != to->turn.rank + 1 || size_of(value, to->turn.rank) != 1)
      return false;
    for (intptr_t d = 0; d < to->turn.rank; ++d)
      if (size_of(folded, d) != size_of(value, d))
        return false; // others are joined, and the 1 is left
  }
  if (!tune_nest_maps_read(op, n) || !tune_spread_sums_products(op) || !is_measured_type(op))
    return false;
  if (is_folded) {
    MlirAffineMap result = tune_nest_maps_result(n);
    MlirAffineExpr indices[TUNE_IR_MAX_RANK];
    for (intptr_t d = 0; d < to->turn.rank; ++d)
      indices[d] = mlirAffineMapGetResult(result, d);
    n->maps[n->operand_count - 1] =
        mlirAffineMapGet(mlirAffineMapGetContext(result), n->loop_count, 0, to->turn.rank, indices);
  }
  tune_nest_maps_drop_units(n);
  MlirAffineMap result = tune_nest_maps_result(n);
  if (mlirAffineMapGetNumResults(result) != to->turn.rank || !tune_nest_maps_is_plain(result) ||
      mlirAffineMapGetNumResults(n->maps[0]) != to->turn.rank)
    return false;
  intptr_t channels = tune_nest_maps_loop(result, to->turn.rank - 1);
  for (intptr_t d = 0; d < to->turn.rank; ++d) {
    intptr_t loop = tune_nest_maps_loop(result, d);
    if (loop >= 0 && !mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(n->maps[0], d), loop))
      return false;
  }
  return channels >= 0 && tune_nest_maps_loop(n->maps[0], to->turn.rank - 1) == channels &&
         tune_nest_maps_has(n->maps[1], channels);
}

// Whether the product or depthwise convolution that makes `value`, which nothing else reads, with
// ops on elements after it, can make it turned; `depth` ops are looked at one after the other.
static bool can_turn(const order *to, MlirValue value, bool is_image, int depth) {
  tune_nest_maps n;
  MlirOperation op = tune_ir_definition(value);
  if (depth == 0 || mlirOperationIsNull(op) || !tune_ir_has_one_use(value) ||
      !tune_tensor_is_plain(mlirValueGetType(value)) ||
      mlirShapedTypeGetRank(mlirValueGetType(value)) != to->turn.rank)
    return false;
  if (is_image && read_depthwise(to, value, &n))
    return is_filled(mlirOperationGetOperand(n.op, 2)) &&
           (is_turned_image(to, mlirOperationGetOperand(n.op, 0)) ||
            can_turn(to, mlirOperationGetOperand(n.op, 0), true, depth - 1));
  if (!tune_nest_maps_read(op, &n))
    return false;
  if (tune_spread_sums_products(op)) {
    tune_nest_maps_drop_units(&n);
    return find_image(&n, to) >= 0 && is_dense(&n) && is_measured_type(op) &&
           is_filled(mlirOperationGetOperand(op, 2));
  }
  if (!is_on_elements(&n))
    return false;
  for (intptr_t o = 0; o + 1 < n.operand_count; ++o)
    if (mlirAffineMapEqual(n.maps[o], tune_nest_maps_result(&n)) &&
        can_turn(to, mlirOperationGetOperand(op, o), is_image, depth - 1))
      return true;
  return false;
}

//===--- What becomes of it ----------------------------------------------------------===//

static MlirValue turn(const order *to, MlirValue value, bool is_image, int depth);

static void replace_image(const order *to, tune_nest_maps *n, MlirValue *operands, intptr_t image,
                          int depth) {
  MlirValue old = operands[image];
  if (is_turned_image(to, old))
    operands[image] = take_image(to, old);
  else if (can_turn(to, old, true, depth))
    operands[image] = turn(to, old, true, depth);
  else
    return;
  n->maps[image] = tune_turn_map(&to->turn, n->maps[image]);
}

// The op that `n` is, with its result turned.
static MlirValue finish(const order *to, tune_nest_maps *n, MlirValue *operands) {
  intptr_t last = n->operand_count - 1;
  n->maps[last] = tune_turn_map(&to->turn, n->maps[last]);
  MlirValue turned = tune_nest_maps_build(n, operands, n->maps);
  leave(to, mlirOperationGetResult(n->op, 0));
  for (intptr_t o = 0; o <= last; ++o)
    leave(to, mlirOperationGetOperand(n->op, o));
  return turned;
}

// What is added to, `value`, turned. It may have one dimension more at its end, of a multiplier
// of 1.
static MlirValue turn_filled(const order *to, MlirValue value) {
  tune_nest_maps n;
  tune_nest_maps_read(tune_ir_definition(value), &n);
  tune_ir_builder b = tune_ir_builder_before(n.op);
  MlirValue operands[TUNE_NEST_MAPS_OPERANDS];
  for (intptr_t o = 0; o < n.operand_count; ++o)
    operands[o] = mlirOperationGetOperand(n.op, o);
  operands[n.operand_count - 1] = tune_turn_empty(&b, &to->turn, value);
  leave(to, value);
  return finish(to, &n, operands);
}

// `value`, which can be turned, in that order.
static MlirValue turn(const order *to, MlirValue value, bool is_image, int depth) {
  tune_nest_maps n;
  MlirOperation op = tune_ir_definition(value);
  MlirValue operands[TUNE_NEST_MAPS_OPERANDS];
  bool is_depthwise = is_image && read_depthwise(to, value, &n);
  if (!is_depthwise)
    tune_nest_maps_read(op, &n);
  bool is_product = is_depthwise || tune_spread_sums_products(n.op);
  if (is_product && !is_depthwise)
    tune_nest_maps_drop_units(&n);
  intptr_t last = n.operand_count - 1;
  for (intptr_t o = 0; o <= last; ++o)
    operands[o] = mlirOperationGetOperand(n.op, o);
  leave(to, value);
  if (is_product) {
    intptr_t image = is_depthwise ? 0 : find_image(&n, to);
    if (is_depthwise || is_image_alike(&n, image, to))
      replace_image(to, &n, operands, image, depth - 1);
    operands[last] = turn_filled(to, operands[last]);
  } else {
    tune_ir_builder b = tune_ir_builder_before(n.op);
    operands[last] = tune_turn_empty(&b, &to->turn, value);
    for (intptr_t o = 0; o < last; ++o)
      if (mlirAffineMapEqual(n.maps[o], tune_nest_maps_result(&n)) &&
          can_turn(to, operands[o], is_image, depth - 1)) {
        operands[o] = turn(to, operands[o], is_image, depth - 1);
        n.maps[o] = tune_turn_map(&to->turn, n.maps[o]);
      }
  }
  return finish(to, &n, operands);
}

//===--- All of them -----------------------------------------------------------------===//

static MlirWalkResult list_transpose(MlirOperation op, void *user_data) {
  tune_turn turn;
  if (!read_transpose(op, &turn))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

bool tune_normalize_orders(MlirOperation root) {
  static const char *const DIALECTS[] = {"linalg", "tensor", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
  tune_op_list transposes = {0}, left = {0};
  mlirOperationWalk(root, list_transpose, &transposes, MlirWalkPreOrder);
  for (size_t i = 0; i < transposes.count; ++i) {
    MlirOperation op = transposes.ops[i];
    order to = {.left = &left};
    MlirValue value = mlirOperationGetOperand(op, 0), result = mlirOperationGetResult(op, 0);
    if (!tune_ir_is_used(op) || !read_transpose(op, &to.turn) ||
        !can_turn(&to, value, false, MOST_OPS))
      continue;
    leave(&to, result);
    leave(&to, mlirOperationGetOperand(op, 1));
    mlirValueReplaceAllUsesOfWith(result, turn(&to, value, false, MOST_OPS));
  }
  tune_op_list_deinit(&transposes);
  // Where a schedule is applied it counts the ops that are there.
  tune_op_list_destroy_unused(&left);
  tune_op_list_deinit(&left);
  return !transposes.failed;
}
