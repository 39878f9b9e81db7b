//===- wide_images.c ------------------------------------------------------------------------===//

#include "transforms/normalize/images/wide_images.h"

#include "dialects/constant.h"
#include "transforms/ir/constant_value.h"
#include "transforms/normalize/nest_maps.h"
#include "transforms/normalize/spread.h"
#include "transforms/normalize/tensor_ops.h"
#include "transforms/structure/winograd_cost.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinTypes.h"

enum { WINDOW = 3, TILE = 4, LEAST_CHANNELS = 16 };

// How many times as long as Winograd's the direct convolution has to take. Dot products of bf16 do
// two products of f32 at once; on a Zen 4 56x56x64 took 0.64 of their time, 14x14x256 (2.2 by the
// estimate) 0.89, and 7x7x512 (1.3) 1.3.
static const double LEAST_GAIN_BF16 = 2.6, LEAST_GAIN_F16 = 1.6;

//===--- Finding ----------------------------------------------------------------------------===//

// A convolution by its loops.
typedef struct windows {
  tune_nest_maps nest;
  intptr_t image; // operand; the other one is the filter
  intptr_t pixels[2], windows[2];
  intptr_t window_count, depth, channels;
} windows;

// Reads an index of the image that is a pixel and a place of a window, both in steps of one.
static bool read_sum(const tune_nest_maps *n, MlirAffineExpr index, windows *w) {
  MlirAffineExpr terms[2] = {mlirAffineBinaryOpExprGetLHS(index),
                             mlirAffineBinaryOpExprGetRHS(index)};
  if (w->window_count == 2 || !mlirAffineExprIsADim(terms[0]) || !mlirAffineExprIsADim(terms[1]))
    return false;
  intptr_t a = mlirAffineDimExprGetPosition(terms[0]), b = mlirAffineDimExprGetPosition(terms[1]);
  bool is_first = tune_nest_maps_has(tune_nest_maps_result(n), a);
  w->pixels[w->window_count] = is_first ? a : b;
  w->windows[w->window_count] = is_first ? b : a;
  intptr_t window = w->windows[w->window_count++];
  return n->extents[window] == WINDOW && !tune_nest_maps_has(tune_nest_maps_result(n), window) &&
         tune_nest_maps_has(tune_nest_maps_result(n), is_first ? a : b);
}

static bool read_image(windows *w) {
  const tune_nest_maps *n = &w->nest;
  MlirAffineMap map = n->maps[w->image];
  w->window_count = 0;
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); ++d) {
    MlirAffineExpr index = mlirAffineMapGetResult(map, d);
    if (mlirAffineExprIsAAdd(index)
            ? !read_sum(n, index, w)
            : !mlirAffineExprIsADim(index) && !mlirAffineExprIsAConstant(index))
      return false;
  }
  return w->window_count == 2;
}

// Of the other loops one is summed up, and one is of the filter and the result alone.
static bool read_channels(windows *w) {
  const tune_nest_maps *n = &w->nest;
  MlirAffineMap image = n->maps[w->image], filter = n->maps[1 - w->image],
                result = tune_nest_maps_result(n);
  w->depth = w->channels = -1;
  for (intptr_t loop = 0; loop < n->loop_count; ++loop) {
    bool is_window = loop == w->windows[0] || loop == w->windows[1];
    bool of_filter = tune_nest_maps_has(filter, loop), of_image = tune_nest_maps_has(image, loop);
    if (n->extents[loop] == 1)
      continue;
    if (is_window ? !of_filter : !tune_nest_maps_has(result, loop)) {
      if (is_window || w->depth >= 0 || !of_filter || !of_image)
        return false;
      w->depth = loop;
    } else if (!is_window && of_filter) {
      if (w->channels >= 0 || of_image)
        return false;
      w->channels = loop;
    }
  }
  return w->depth >= 0 && w->channels >= 0 && tune_nest_maps_is_plain(filter) &&
         n->extents[w->depth] >= LEAST_CHANNELS && n->extents[w->channels] >= LEAST_CHANNELS;
}

static double tiles_along(const windows *w, intptr_t i) {
  return (double)((w->nest.extents[w->pixels[i]] + TILE - 1) / TILE);
}

static double gain_of(const windows *w) {
  const tune_nest_maps *n = &w->nest;
  MlirAffineMap result = tune_nest_maps_result(n);
  double lines = (double)n->extents[w->pixels[0]], line = (double)n->extents[w->pixels[1]];
  double images = 1;
  for (intptr_t loop = 0; loop < n->loop_count; ++loop)
    if (loop != w->channels && loop != w->pixels[0] && loop != w->pixels[1] &&
        tune_nest_maps_has(result, loop))
      images *= (double)n->extents[loop];
  tune_winograd_cost cost = {.pixels = images * lines * line,
                             .tiles = images * tiles_along(w, 0) * tiles_along(w, 1),
                             .depth = (double)n->extents[w->depth],
                             .channels = (double)n->extents[w->channels],
                             .channel_parts = 1,
                             .depth_parts = 1,
                             .direct_rate = 1};
  return tune_winograd_cost_gain(&cost);
}

static bool find_windows(MlirOperation op, windows *w) {
  if (!tune_nest_maps_read(op, &w->nest) || w->nest.operand_count != 3)
    return false;
  MlirType type = tune_ir_element_of(mlirOperationGetOperand(op, 0));
  if (!tune_ir_is_short_float(type) ||
      !mlirTypeEqual(type, tune_ir_element_of(mlirOperationGetOperand(op, 1))) ||
      !mlirTypeIsAF32(tune_ir_element_of(mlirOperationGetOperand(op, 2))))
    return false;
  for (w->image = 0; w->image < 2; ++w->image)
    if (read_image(w) && read_channels(w) &&
        tune_constant_is_value(mlirOperationGetOperand(op, 1 - w->image)))
      return gain_of(w) > (mlirTypeIsABF16(type) ? LEAST_GAIN_BF16 : LEAST_GAIN_F16);
  return false;
}

//===--- Widening ---------------------------------------------------------------------------===//

static MlirValue build_widened(const tune_ir_builder *b, MlirValue value, MlirType wide) {
  MlirType type = tune_ir_with_element(mlirValueGetType(value), wide);
  MlirValue empty = tune_ir_build_value(b, "tensor.empty", type, 0, NULL);
  return mlirOperationGetResult(tune_ir_build_conversion(b, "arith.extf", value, empty), 0);
}

static bool pads_with_zero(MlirOperation pad) {
  double number;
  return tune_ir_is(pad, "tensor.pad") && mlirOperationGetNumOperands(pad) == 1 &&
         tune_tensor_is_plain(mlirValueGetType(mlirOperationGetOperand(pad, 0))) &&
         tune_constant_value(mlirOperationGetOperand(mlirBlockGetTerminator(tune_ir_body(pad)), 0),
                             &number) &&
         number == 0;
}

// Where `value` has borders of zeroes, what is inside them is widened.
static MlirValue build_image(const tune_ir_builder *b, MlirValue value, MlirType wide,
                             tune_op_list *unused) {
  MlirOperation pad = tune_ir_definition(value);
  intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(value));
  int64_t low[TUNE_IR_MAX_RANK], high[TUNE_IR_MAX_RANK];
  if (!pads_with_zero(pad) || !tune_tensor_read_numbers(pad, "static_low", rank, low) ||
      !tune_tensor_read_numbers(pad, "static_high", rank, high))
    return build_widened(b, value, wide);
  tune_op_list_add_once(unused, pad);
  return tune_tensor_pad(b, build_widened(b, mlirOperationGetOperand(pad, 0), wide), low, high, 0);
}

// Has the body of `op` take operand `operand` as it is by now: it widened that itself.
static void take_wide(MlirOperation op, intptr_t operand, MlirValue value) {
  MlirValue argument = mlirBlockGetArgument(tune_ir_body(op), operand);
  mlirOperationSetOperand(op, operand, value);
  mlirValueSetType(argument, tune_ir_element_of(value));
  MlirOpOperand next;
  for (MlirOpOperand use = mlirValueGetFirstUse(argument); !mlirOpOperandIsNull(use); use = next) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    next = mlirOpOperandGetNextUse(use);
    if (!tune_ir_is(user, "arith.extf"))
      continue;
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(user, 0), argument);
    mlirOperationDestroy(user);
    next = mlirValueGetFirstUse(argument);
  }
}

static void widen(const windows *w, tune_op_list *unused) {
  MlirOperation op = w->nest.op;
  tune_ir_builder b = tune_ir_builder_before(op);
  MlirType wide = tune_ir_element_of(mlirOperationGetOperand(op, 2));
  take_wide(op, w->image, build_image(&b, mlirOperationGetOperand(op, w->image), wide, unused));
  take_wide(op, 1 - w->image, build_widened(&b, mlirOperationGetOperand(op, 1 - w->image), wide));
}

bool tune_normalize_wide_images(MlirOperation root) {
  static const char *const DIALECTS[] = {"arith", "linalg", "tensor", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
  tune_op_list products = {0}, unused = {0};
  tune_spread_list_products(root, &products);
  for (size_t i = 0; i < products.count; ++i) {
    windows w;
    if (find_windows(products.ops[i], &w))
      widen(&w, &unused);
  }
  bool is_done = !products.failed && !unused.failed;
  // Where a schedule is applied it counts the ops that are there.
  tune_op_list_destroy_unused(&unused);
  tune_op_list_deinit(&unused);
  tune_op_list_deinit(&products);
  return is_done;
}
