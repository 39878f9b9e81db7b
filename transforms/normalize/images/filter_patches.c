//===- filter_patches.c -------------------------------------------------------------===//

#include "transforms/normalize/images/filter_patches.h"

#include "dialects/allow.h"
#include "dialects/constant.h"
#include "transforms/normalize/tensor_ops.h"
#include "transforms/normalize/turns.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinTypes.h"

enum {
  LEAST_BYTES = 1 << 18, // of a filter
  MOST_BYTES_OF_PATCHES =
      1 << 15,    // for each output channel: copying takes a small part of the time
  FEW_PIXELS = 64 // for which Winograd's transforms of a filter take longer than a product
};

// The loops of a convolution: those of pixels of the result, in its order with channels innermost,
// then windows, and last the channels that are summed up.
typedef struct loop_order {
  intptr_t loops[TUNE_IR_MAX_LOOPS];
  intptr_t pixels, count;
  int64_t rows, depth; // how many pixels there are, and values of a patch
} loop_order;

static intptr_t channels_of_result(const tune_nest_maps *n) {
  return tune_nest_maps_loop(tune_nest_maps_result(n), 1);
}

static void order_loop(const tune_nest_maps *n, intptr_t loop, int64_t *size, loop_order *order) {
  order->loops[order->count++] = loop;
  *size *= n->extents[loop];
}

// `n` is the convolution with channels before pixels.
static loop_order order_loops(const tune_nest_maps *n, const tune_image_convolution *c) {
  loop_order order = {.rows = 1, .depth = 1};
  MlirAffineMap result = tune_nest_maps_result(n), filter = n->maps[1 - c->image];
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(result); ++d)
    if (d != 1 && tune_nest_maps_loop(result, d) >= 0)
      order_loop(n, tune_nest_maps_loop(result, d), &order.rows, &order);
  order.pixels = order.count;
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(filter); ++d) {
    intptr_t loop = tune_nest_maps_loop(filter, d);
    if (loop >= 0 && loop != c->channels && loop != channels_of_result(n))
      order_loop(n, loop, &order.depth, &order);
  }
  order_loop(n, c->channels, &order.depth, &order);
  return order;
}

// What the sums of `n` begin with where that is the same for all pixels: the number of a
// linalg.fill, or a bias, a number for each channel; else null.
static MlirValue beginning_of(const tune_nest_maps *n) {
  MlirOperation init = tune_ir_definition(mlirOperationGetOperand(n->op, n->operand_count - 1));
  tune_nest_maps copy;
  if (tune_ir_is(init, "linalg.fill"))
    return mlirOperationGetOperand(init, 0);
  if (!tune_nest_maps_read(init, &copy) || !tune_nest_maps_moves(&copy) ||
      mlirAffineMapGetNumResults(copy.maps[0]) != 1)
    return (MlirValue){NULL};
  intptr_t channel = tune_nest_maps_loop(tune_nest_maps_result(&copy), 1);
  bool is_bias =
      channel >= 0 && tune_nest_maps_loop(copy.maps[0], 0) == channel &&
      mlirTypeEqual(tune_ir_element_type(mlirValueGetType(mlirOperationGetOperand(init, 0))),
                    tune_ir_element_type(mlirValueGetType(mlirOperationGetResult(init, 0))));
  return is_bias ? mlirOperationGetOperand(init, 0) : (MlirValue){NULL};
}

// What Winograd may take stays a convolution, where it pays; so does what is or may be multiplied
// in bf16, of which windows take no longer than products (rules/contraction/dot_contraction.c), and
// a copy of patches does.
bool tune_filter_patches_pay(const tune_nest_maps *n, const tune_image_convolution *c) {
  MlirValue filter = mlirOperationGetOperand(n->op, 1 - c->image);
  if (c->is_depthwise || c->group >= 0 || !c->has_window || c->channels < 0 ||
      channels_of_result(n) < 0 || !tune_constant_is_value(filter) ||
      mlirValueIsNull(beginning_of(n)) || !tune_nest_maps_is_plain(n->maps[1 - c->image]) ||
      tune_tensor_bytes(mlirValueGetType(filter)) < LEAST_BYTES ||
      (tune_allow_get(n->op) & TUNE_ALLOWS_BF16) ||
      !mlirTypeIsAF32(tune_ir_element_type(mlirValueGetType(filter))))
    return false;
  loop_order order = order_loops(n, c);
  bool is_three = !c->has_stride;
  for (intptr_t i = order.pixels; i + 1 < order.count; ++i)
    is_three &= n->extents[order.loops[i]] == 3;
  double bytes = (double)order.rows * (double)order.depth * 4;
  return bytes <= (double)MOST_BYTES_OF_PATCHES * (double)n->extents[channels_of_result(n)] &&
         (!is_three || order.rows <= FEW_PIXELS);
}

//===--------------------------------------------------------------------------===//
// Building
//===--------------------------------------------------------------------------===//

static MlirType type_of(MlirValue like, intptr_t rank, const int64_t *sizes) {
  return mlirRankedTensorTypeGet(rank, sizes, mlirShapedTypeGetElementType(mlirValueGetType(like)),
                                 (MlirAttribute){NULL});
}

static MlirValue make_empty(const tune_ir_builder *b, MlirValue like, intptr_t rank,
                            const int64_t *sizes, tune_op_list *made) {
  MlirValue empty = tune_ir_build_value(b, "tensor.empty", type_of(like, rank, sizes), 0, NULL);
  tune_op_list_add(made, tune_ir_definition(empty));
  return empty;
}

// `map` of the image by loops in `order`.
static MlirAffineMap map_of_patches(MlirContext context, const tune_nest_maps *n, MlirAffineMap map,
                                    const loop_order *order) {
  MlirAffineExpr places[TUNE_IR_MAX_LOOPS];
  for (intptr_t loop = 0; loop < n->loop_count; ++loop)
    places[loop] = mlirAffineConstantExprGet(context, 0);
  for (intptr_t i = 0; i < order->count; ++i)
    places[order->loops[i]] = mlirAffineDimExprGet(context, i);
  return tune_nest_maps_compose(map,
                                mlirAffineMapGet(context, order->count, 0, n->loop_count, places));
}

// A row for each pixel.
static MlirValue build_patches(const tune_ir_builder *b, const tune_nest_maps *n, MlirValue image,
                               MlirAffineMap map, const loop_order *order, tune_op_list *made) {
  int64_t sizes[TUNE_IR_MAX_LOOPS];
  for (intptr_t i = 0; i < order->count; ++i)
    sizes[i] = n->extents[order->loops[i]];
  MlirValue copy = tune_tensor_copy(b, image, map_of_patches(b->context, n, map, order),
                                    make_empty(b, image, order->count, sizes, made));
  tune_op_list_add(made, tune_ir_definition(copy));
  MlirValue patches =
      tune_tensor_reshape(b, copy, 2, (int64_t[]){order->rows, order->depth},
                          (intptr_t[]){order->pixels, order->count - order->pixels});
  tune_op_list_add(made, tune_ir_definition(patches));
  return patches;
}

// The constant filter, outside of the loops that the convolution may be in: a row for each value of
// a patch.
static MlirValue build_rows_of_filter(const tune_nest_maps *n, const tune_image_convolution *c,
                                      const loop_order *order, tune_op_list *made) {
  MlirAffineMap map = n->maps[1 - c->image];
  tune_turn turn = {.rank = 0};
  for (int pass = 0; pass < 3; ++pass)
    for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); ++d) {
      intptr_t loop = tune_nest_maps_loop(map, d);
      if (pass == (loop == c->channels ? 1 : loop == channels_of_result(n) ? 2 : 0))
        turn.of[turn.rank++] = d;
    }
  MlirValue turned =
      tune_turn_copy_behind(made, mlirOperationGetOperand(n->op, 1 - c->image), &turn);
  tune_ir_builder b = tune_turn_builder_behind(turned);
  MlirValue rows = tune_tensor_reshape(&b, turned, 2,
                                       (int64_t[]){order->depth, n->extents[channels_of_result(n)]},
                                       (intptr_t[]){turn.rank - 1, 1});
  tune_op_list_add(made, tune_ir_definition(rows));
  return rows;
}

// `value` (beginning_of), for each row and column.
static MlirValue build_beginning(const tune_ir_builder *b, MlirValue value, MlirValue like,
                                 int64_t rows, int64_t columns, tune_op_list *made) {
  MlirValue empty = make_empty(b, like, 2, (int64_t[]){rows, columns}, made), all;
  if (mlirTypeIsARankedTensor(mlirValueGetType(value))) {
    MlirAffineExpr column = mlirAffineDimExprGet(b->context, 1);
    all = tune_tensor_copy(b, value, mlirAffineMapGet(b->context, 2, 0, 1, &column), empty);
  } else {
    all = mlirOperationGetResult(tune_ir_build_fill(b, value, empty), 0);
  }
  tune_op_list_add(made, tune_ir_definition(all));
  return all;
}

static MlirAffineMap matrix_map(MlirContext context, intptr_t row, intptr_t column) {
  MlirAffineExpr indices[] = {mlirAffineDimExprGet(context, row),
                              mlirAffineDimExprGet(context, column)};
  return mlirAffineMapGet(context, 3, 0, 2, indices);
}

MlirValue tune_filter_patches_build(const tune_nest_maps *turned, const tune_nest_maps *n,
                                    const tune_image_convolution *c, const MlirValue *operands,
                                    tune_op_list *made) {
  enum { ROW, COLUMN, DEPTH };
  tune_ir_builder b = tune_ir_builder_before(n->op);
  loop_order order = order_loops(n, c);
  int64_t columns = n->extents[channels_of_result(n)];
  MlirValue values[3];
  MlirAffineMap maps[3];
  values[c->image] = build_patches(&b, n, operands[c->image], turned->maps[c->image], &order, made);
  maps[c->image] = matrix_map(b.context, ROW, DEPTH);
  values[1 - c->image] = build_rows_of_filter(n, c, &order, made);
  maps[1 - c->image] = matrix_map(b.context, DEPTH, COLUMN);
  values[2] = build_beginning(&b, beginning_of(n), operands[2], order.rows, columns, made);
  maps[2] = matrix_map(b.context, ROW, COLUMN);
  tune_nest_maps product = *n;
  product.loop_count = 3;
  product.extents[ROW] = order.rows;
  product.extents[COLUMN] = columns;
  product.extents[DEPTH] = order.depth;
  MlirValue multiplied = tune_nest_maps_build(&product, values, maps);
  tune_op_list_add(made, tune_ir_definition(multiplied));

  MlirType type = mlirValueGetType(operands[2]);
  intptr_t rank = mlirShapedTypeGetRank(type);
  int64_t sizes[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < rank; ++d)
    sizes[d] = mlirShapedTypeGetDimSize(type, d);
  return tune_tensor_reshape(&b, multiplied, rank, sizes, (intptr_t[]){rank - 1, 1});
}
