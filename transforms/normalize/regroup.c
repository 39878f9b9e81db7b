//===- regroup.c --------------------------------------------------------------------===//

#include "transforms/normalize/regroup.h"

#include "transforms/ir/constant_value.h"
#include "transforms/ir/op_list.h"
#include "transforms/normalize/nest_maps.h"
#include "transforms/normalize/spread.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <string.h>

enum { OPERANDS = TUNE_NEST_MAPS_OPERANDS };

//===--- Reshapes -------------------------------------------------------------------===//

// A reshape between a tensor of few dimensions and one of more.
typedef struct reshape {
  MlirOperation op;
  MlirValue many;                     // the value of more dimensions
  intptr_t few_rank;                  // dimensions of the other one
  intptr_t members[TUNE_IR_MAX_RANK]; // for each of these, how many it is
  intptr_t first[TUNE_IR_MAX_RANK];   // which of the others it begins with
} reshape;

static bool read_reshape(MlirOperation op, const char *name, reshape *out) {
  if (!tune_ir_is(op, name) || mlirOperationGetNumOperands(op) != 1)
    return false;
  MlirValue operand = mlirOperationGetOperand(op, 0), result = mlirOperationGetResult(op, 0);
  if (!tune_tensor_is_plain(mlirValueGetType(operand)) ||
      !tune_tensor_is_plain(mlirValueGetType(result)))
    return false;
  MlirAttribute groups = tune_ir_attribute(op, "reassociation");
  *out = (reshape){.op = op, .few_rank = mlirArrayAttrGetNumElements(groups)};
  out->many = tune_ir_is(op, "tensor.expand_shape") ? result : operand;
  intptr_t next = 0;
  for (intptr_t d = 0; d < out->few_rank; ++d) {
    out->first[d] = next;
    out->members[d] = mlirArrayAttrGetNumElements(mlirArrayAttrGetElement(groups, d));
    next += out->members[d];
  }
  return out->few_rank > 0;
}

static int64_t many_size(const reshape *r, intptr_t dimension) {
  return mlirShapedTypeGetDimSize(mlirValueGetType(r->many), dimension);
}

// Whether some dimension becomes several of more than one element; those of one are folded away.
static bool splits(const reshape *r) {
  for (intptr_t d = 0; d < r->few_rank; ++d) {
    intptr_t count = 0;
    for (intptr_t m = 0; m < r->members[d]; ++m)
      count += many_size(r, r->first[d] + m) > 1;
    if (count > 1)
      return true;
  }
  return false;
}

//===--- Ops on elements after a product -------------------------------------------------===//

// Whether the op on elements `op` can be computed in the shape of more dimensions.
static bool can_follow(MlirOperation op, const reshape *r, tune_nest_maps *n) {
  if (!tune_nest_maps_read(op, n) || n->loop_count != r->few_rank ||
      !mlirTypeEqual(mlirValueGetType(mlirOperationGetResult(op, 0)),
                     mlirValueGetType(mlirOperationGetResult(r->op, 0))) ||
      mlirAffineMapGetNumResults(tune_nest_maps_result(n)) != r->few_rank)
    return false;
  intptr_t more = mlirShapedTypeGetRank(mlirValueGetType(r->many)) - r->few_rank;
  if (n->loop_count + more > TUNE_IR_MAX_LOOPS)
    return false;
  for (intptr_t d = 0; d < r->few_rank; ++d)
    if (tune_nest_maps_loop(tune_nest_maps_result(n), d) != d)
      return false;
  for (intptr_t o = 0; o < n->operand_count; ++o)
    if (!tune_nest_maps_is_plain(n->maps[o]) ||
        mlirAffineMapGetNumResults(n->maps[o]) + more > TUNE_IR_MAX_RANK)
      return false;
  return true;
}

// Operand `o`, with as many dimensions as its loops have become, and its map.
static MlirValue spread_operand(const tune_nest_maps *n, const reshape *r, intptr_t o,
                                MlirAffineMap *out_map) {
  tune_ir_builder b = tune_ir_builder_before(n->op);
  MlirValue value = mlirOperationGetOperand(n->op, o);
  int64_t sizes[TUNE_IR_MAX_RANK];
  intptr_t members[TUNE_IR_MAX_RANK], rank = 0, count = mlirAffineMapGetNumResults(n->maps[o]);
  intptr_t loops = mlirShapedTypeGetRank(mlirValueGetType(r->many));
  MlirAffineExpr indices[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < count; ++d) {
    intptr_t loop = tune_nest_maps_loop(n->maps[o], d);
    members[d] = loop < 0 ? 1 : r->members[loop];
    for (intptr_t m = 0; m < members[d]; ++m, ++rank) {
      bool is_split = members[d] > 1;
      sizes[rank] = is_split ? many_size(r, r->first[loop] + m)
                             : mlirShapedTypeGetDimSize(mlirValueGetType(value), d);
      indices[rank] = loop < 0 ? mlirAffineMapGetResult(n->maps[o], d)
                               : mlirAffineDimExprGet(b.context, r->first[loop] + m);
    }
  }
  *out_map = mlirAffineMapGet(b.context, loops, 0, rank, indices);
  reshape before;
  if (rank == count)
    return value;
  // The result of the product, or of what followed it.
  if (read_reshape(tune_ir_definition(value), "tensor.collapse_shape", &before) &&
      mlirTypeEqual(mlirValueGetType(before.many), mlirValueGetType(r->many)) &&
      before.few_rank == count && mlirAffineMapEqual(n->maps[o], tune_nest_maps_result(n)) &&
      memcmp(before.members, r->members, (size_t)count * sizeof *r->members) == 0)
    return before.many;
  if (tune_ir_is(tune_ir_definition(value), "tensor.empty"))
    return tune_ir_build_value(
        &b, "tensor.empty",
        mlirRankedTensorTypeGet(rank, sizes, tune_ir_element_type(mlirValueGetType(value)),
                                (MlirAttribute){NULL}),
        0, NULL);
  return tune_tensor_reshape(&b, value, rank, sizes, members);
}

// Computes the op in the shape of more dimensions; what reads it gets that, reshaped.
static MlirOperation follow(const tune_nest_maps *n, const reshape *r) {
  MlirValue operands[OPERANDS], result = mlirOperationGetResult(n->op, 0);
  MlirAffineMap maps[OPERANDS];
  int64_t sizes[TUNE_IR_MAX_RANK];
  tune_nest_maps spread = *n;
  spread.loop_count = mlirShapedTypeGetRank(mlirValueGetType(r->many));
  for (intptr_t loop = 0; loop < spread.loop_count; ++loop)
    spread.extents[loop] = many_size(r, loop);
  for (intptr_t o = 0; o < n->operand_count; ++o)
    operands[o] = spread_operand(n, r, o, &maps[o]);
  MlirValue made = tune_nest_maps_build(&spread, operands, maps);
  for (intptr_t d = 0; d < r->few_rank; ++d)
    sizes[d] = mlirShapedTypeGetDimSize(mlirValueGetType(result), d);
  tune_ir_builder b = tune_ir_builder_before(n->op);
  MlirValue same = tune_tensor_reshape(&b, made, r->few_rank, sizes, r->members);
  mlirValueReplaceAllUsesOfWith(result, same);
  return tune_ir_definition(same);
}

// Whether ops on elements in the same block are all that reads what `r` makes, as it lies.
static bool is_followed(const reshape *r) {
  MlirValue result = mlirOperationGetResult(r->op, 0);
  for (MlirOpOperand use = mlirValueGetFirstUse(result); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    tune_nest_maps n;
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!can_follow(user, r, &n) ||
        !mlirAffineMapEqual(n.maps[mlirOpOperandGetOperandNumber(use)],
                            tune_nest_maps_result(&n)) ||
        !mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(r->op)))
      return false;
  }
  return tune_ir_is_used(r->op);
}

static bool is_of_product(MlirValue value) {
  MlirOperation op = tune_ir_definition(value);
  tune_nest_maps n;
  return !mlirOperationIsNull(op) && tune_spread_sums_products(op) && tune_nest_maps_read(op, &n) &&
         tune_nest_maps_reduces(&n);
}

// The ops that read `value`, each once, as they stand in their block.
static void list_users(MlirValue value, tune_op_list *out) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    tune_op_list_add_once(out, mlirOpOperandGetOwner(use));
  for (size_t i = 1; i < out->count; ++i)
    for (size_t k = i; k > 0 && mlirOperationIsBeforeInBlock(out->ops[k], out->ops[k - 1]); --k) {
      MlirOperation later = out->ops[k - 1];
      out->ops[k - 1] = out->ops[k];
      out->ops[k] = later;
    }
}

// Moves reshape `index` past the ops on elements that read it. What becomes of it is added to the
// list, to be moved past those after them.
static bool move_down(tune_op_list *reshapes, size_t index) {
  reshape r;
  if (!read_reshape(reshapes->ops[index], "tensor.collapse_shape", &r) || !splits(&r) ||
      !is_followed(&r))
    return true;
  tune_op_list users = {0};
  list_users(mlirOperationGetResult(r.op, 0), &users);
  bool is_done = !users.failed;
  for (size_t i = 0; i < users.count && is_done; ++i) {
    tune_nest_maps n;
    can_follow(users.ops[i], &r, &n);
    is_done = tune_op_list_add(reshapes, follow(&n, &r));
    mlirOperationDestroy(users.ops[i]);
  }
  tune_op_list_deinit(&users);
  return is_done;
}

//===--- Borders before a product --------------------------------------------------------===//

// Adds the borders of `pad` to what it reads, once that has the shape of the reshape `r` of it.
static void move_up(MlirOperation pad, const reshape *r, double number) {
  MlirValue image = mlirOperationGetOperand(pad, 0);
  int64_t low[TUNE_IR_MAX_RANK] = {0}, high[TUNE_IR_MAX_RANK] = {0}, sizes[TUNE_IR_MAX_RANK];
  int64_t few_low[TUNE_IR_MAX_RANK], few_high[TUNE_IR_MAX_RANK];
  intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(r->many));
  if (!tune_tensor_read_numbers(pad, "static_low", r->few_rank, few_low) ||
      !tune_tensor_read_numbers(pad, "static_high", r->few_rank, few_high))
    return;
  for (intptr_t d = 0; d < r->few_rank; ++d) {
    if (r->members[d] == 1) {
      low[r->first[d]] = few_low[d];
      high[r->first[d]] = few_high[d];
    } else if (few_low[d] != 0 || few_high[d] != 0) {
      return;
    }
  }
  for (intptr_t d = 0; d < rank; ++d)
    sizes[d] = many_size(r, d) - low[d] - high[d];
  tune_ir_builder b = tune_ir_builder_before(r->op);
  MlirValue spread = tune_tensor_reshape(&b, image, rank, sizes, r->members);
  mlirValueReplaceAllUsesOfWith(r->many, tune_tensor_pad(&b, spread, low, high, number));
  mlirOperationDestroy(r->op);
  mlirOperationDestroy(pad);
}

static bool is_read_by_product(MlirValue value) {
  return tune_ir_has_one_use(value) &&
         tune_spread_sums_products(mlirOpOperandGetOwner(mlirValueGetFirstUse(value)));
}

// Of floats alone: a number goes through a double.
static void move_borders(MlirOperation op) {
  reshape r;
  double number;
  if (!read_reshape(op, "tensor.expand_shape", &r) || !splits(&r) || !is_read_by_product(r.many) ||
      !mlirTypeIsAFloat(tune_ir_element_type(mlirValueGetType(r.many))))
    return;
  MlirOperation pad = tune_ir_definition(mlirOperationGetOperand(op, 0));
  if (!tune_ir_is(pad, "tensor.pad") || !tune_ir_has_one_use(mlirOperationGetResult(pad, 0)) ||
      mlirOperationGetNumOperands(pad) != 1 ||
      !mlirAttributeIsNull(tune_ir_attribute(pad, "nofold")) ||
      !tune_tensor_is_plain(mlirValueGetType(mlirOperationGetOperand(pad, 0))) ||
      !mlirBlockEqual(mlirOperationGetBlock(pad), mlirOperationGetBlock(op)))
    return;
  MlirOperation yield = mlirBlockGetFirstOperation(tune_ir_body(pad));
  if (tune_ir_is(yield, "tensor.yield") &&
      tune_constant_value(mlirOperationGetOperand(yield, 0), &number))
    move_up(pad, &r, number);
}

//===--- All of them ------------------------------------------------------------------===//

typedef struct found {
  tune_op_list expansions, collapses;
} found;

static MlirWalkResult note_reshape(MlirOperation op, void *user_data) {
  found *list = user_data;
  if (tune_ir_is(op, "tensor.expand_shape"))
    tune_op_list_add(&list->expansions, op);
  if (tune_ir_is(op, "tensor.collapse_shape") &&
      tune_ir_has_one_use(mlirOperationGetOperand(op, 0)) &&
      is_of_product(mlirOperationGetOperand(op, 0)))
    tune_op_list_add(&list->collapses, op);
  return MlirWalkResultAdvance;
}

bool tune_normalize_regroup(MlirOperation root) {
  static const char *const DIALECTS[] = {"linalg", "tensor", "arith", NULL};
  found list = {0};
  mlirOperationWalk(root, note_reshape, &list, MlirWalkPreOrder);
  bool is_done = !list.expansions.failed && !list.collapses.failed;
  if (list.expansions.count || list.collapses.count)
    tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
  for (size_t i = 0; is_done && i < list.expansions.count; ++i)
    move_borders(list.expansions.ops[i]);
  for (size_t i = 0; is_done && i < list.collapses.count; ++i)
    is_done = move_down(&list.collapses, i);
  // Where a schedule is applied it counts the ops that are there.
  tune_op_list_destroy_unused(&list.collapses);
  tune_op_list_deinit(&list.expansions);
  tune_op_list_deinit(&list.collapses);
  return is_done;
}
