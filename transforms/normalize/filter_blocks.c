//===- filter_blocks.c --------------------------------------------------------------===//

#include "transforms/normalize/filter_blocks.h"

#include "dialects/constant.h"
#include "transforms/normalize/tensor_ops.h"
#include "transforms/normalize/turns.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinTypes.h"

// A filter that is read for few pixels is read as fast as it comes: in rows of all output channels,
// of which a tile takes some, a piece here and there. In blocks of channels each is in one piece.
enum { BLOCK = 32, LEAST_BYTES = 1 << 18 };

// What Winograd may take stays whole.
bool tune_filter_blocks_pay(const tune_nest_maps *n, const tune_image_convolution *c) {
  MlirAffineMap result = tune_nest_maps_result(n);
  MlirValue filter = mlirOperationGetOperand(n->op, 1 - c->image);
  MlirOperation init = tune_ir_definition(mlirOperationGetOperand(n->op, n->operand_count - 1));
  if (c->is_depthwise || c->group >= 0 || !c->has_window || !tune_constant_is_value(filter) ||
      !tune_ir_is(init, "linalg.fill") ||
      tune_tensor_bytes(mlirValueGetType(filter)) < LEAST_BYTES ||
      n->loop_count == TUNE_IR_MAX_LOOPS)
    return false;
  bool is_three = !c->has_stride;
  for (intptr_t loop = 0; loop < n->loop_count; ++loop)
    is_three &= loop == c->channels || tune_nest_maps_has(result, loop) || n->extents[loop] == 3;
  intptr_t channels = tune_nest_maps_loop(result, 1);
  return !is_three && n->extents[channels] % BLOCK == 0 &&
         tune_nest_maps_is_plain(n->maps[1 - c->image]);
}

// `map` with one loop more, and as its last result that loop where `is_split`.
static MlirAffineMap with_inner_loop(MlirContext context, const tune_nest_maps *n,
                                     MlirAffineMap map, bool is_split) {
  MlirAffineExpr indices[TUNE_IR_MAX_RANK];
  intptr_t rank = mlirAffineMapGetNumResults(map);
  for (intptr_t d = 0; d < rank; ++d)
    indices[d] = mlirAffineMapGetResult(map, d);
  if (is_split)
    indices[rank++] = mlirAffineDimExprGet(context, n->loop_count);
  return mlirAffineMapGet(context, n->loop_count + 1, 0, rank, indices);
}

// The constant filter of `n`, outside of the loops that the convolution may be in: blocks of output
// channels, windows, the channels that are summed up, the output channels of a block. `*map` is
// that of the filter, and becomes that of the result.
static MlirValue filter_in_blocks(const tune_nest_maps *n, const tune_image_convolution *c,
                                  MlirAffineMap *map, tune_op_list *made) {
  MlirValue filter = mlirOperationGetOperand(n->op, 1 - c->image);
  MlirType type = mlirValueGetType(filter);
  intptr_t channels = tune_nest_maps_loop(tune_nest_maps_result(n), 1);
  intptr_t rank = mlirAffineMapGetNumResults(*map), split = 0;
  int64_t sizes[TUNE_IR_MAX_RANK];
  intptr_t members[TUNE_IR_MAX_RANK];
  while (tune_nest_maps_loop(*map, split) != channels)
    ++split;
  for (intptr_t d = 0; d < rank; ++d) {
    members[d] = d == split ? 2 : 1;
    sizes[d + (d > split)] = mlirShapedTypeGetDimSize(type, d);
  }
  sizes[split] /= BLOCK;
  sizes[split + 1] = BLOCK;
  tune_ir_builder b = tune_turn_builder_behind(filter);
  MlirValue apart = tune_tensor_reshape(&b, filter, rank + 1, sizes, members);
  tune_op_list_add(made, tune_ir_definition(apart));
  tune_turn turn = {.rank = 0};
  MlirAffineExpr indices[TUNE_IR_MAX_RANK];
  turn.of[turn.rank] = split;
  indices[turn.rank++] = mlirAffineDimExprGet(b.context, channels);
  for (int pass = 0; pass < 2; ++pass)
    for (intptr_t d = 0; d < rank; ++d) {
      bool is_summed = tune_nest_maps_loop(*map, d) == c->channels;
      if (d == split || is_summed != (pass == 1))
        continue;
      indices[turn.rank] = mlirAffineMapGetResult(*map, d);
      turn.of[turn.rank++] = d + (d > split);
    }
  indices[turn.rank] = mlirAffineDimExprGet(b.context, n->loop_count);
  turn.of[turn.rank++] = split + 1;
  *map = mlirAffineMapGet(b.context, n->loop_count + 1, 0, turn.rank, indices);
  return tune_turn_copy_behind(made, apart, &turn);
}

MlirValue tune_filter_blocks_build(const tune_nest_maps *turned, const tune_nest_maps *n,
                                   const tune_image_convolution *c, const MlirValue *operands,
                                   tune_op_list *made) {
  tune_ir_builder b = tune_ir_builder_before(n->op);
  MlirValue turned_init = operands[2];
  MlirType type = mlirValueGetType(turned_init);
  intptr_t rank = mlirShapedTypeGetRank(type),
           channels = tune_nest_maps_loop(tune_nest_maps_result(n), 1);
  int64_t sizes[TUNE_IR_MAX_RANK], whole[TUNE_IR_MAX_RANK];
  intptr_t members[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < rank; ++d) {
    sizes[d] = whole[d] = mlirShapedTypeGetDimSize(type, d);
    members[d] = d + 1 == rank ? 2 : 1;
  }
  sizes[rank - 1] /= BLOCK;
  sizes[rank] = BLOCK;
  MlirValue empty = tune_ir_build_value(&b, "tensor.empty",
                                        mlirRankedTensorTypeGet(rank + 1, sizes,
                                                                mlirShapedTypeGetElementType(type),
                                                                (MlirAttribute){NULL}),
                                        0, NULL);
  MlirOperation fill = tune_ir_definition(mlirOperationGetOperand(n->op, 2));
  MlirOperation filled = tune_ir_build_fill(&b, mlirOperationGetOperand(fill, 0), empty);
  MlirAffineMap filter_map = n->maps[1 - c->image];
  MlirValue values[3];
  MlirAffineMap maps[3];
  values[c->image] = operands[c->image];
  maps[c->image] = with_inner_loop(b.context, n, turned->maps[c->image], false);
  values[1 - c->image] = filter_in_blocks(n, c, &filter_map, made);
  maps[1 - c->image] = filter_map;
  values[2] = mlirOperationGetResult(filled, 0);
  maps[2] = with_inner_loop(b.context, n, turned->maps[2], true);
  tune_nest_maps blocked = *n;
  blocked.loop_count = n->loop_count + 1;
  blocked.extents[channels] /= BLOCK;
  blocked.extents[n->loop_count] = BLOCK;
  MlirValue product = tune_nest_maps_build(&blocked, values, maps);
  tune_op_list_add(made, filled);
  tune_op_list_add(made, tune_ir_definition(empty));
  tune_op_list_add(made, tune_ir_definition(product));
  return tune_tensor_reshape(&b, product, rank, whole, members);
}
