//===- image_values.c -------------------------------------------------------------===//

#include "transforms/normalize/image_values.h"

#include "transforms/normalize/spread.h"
#include "transforms/normalize/tensor_ops.h"
#include "transforms/normalize/turns.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

// Of an image: a batch, channels, and one to three dimensions of pixels.
enum { LEAST_RANK = 3, MOST_RANK = 5, CHANNELS = 1 };

//===--- Convolutions ----------------------------------------------------------------===//

static bool is_of_loop(MlirAffineMap map, intptr_t dimension, intptr_t loop) {
  return loop >= 0 && mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, dimension), loop);
}

// Whether the operand of `map` has its dimensions where the result has them; its channels may be
// other ones.
static bool lies_alike(const tune_nest_maps *n, MlirAffineMap map, bool other_channels) {
  MlirAffineMap result = tune_nest_maps_result(n);
  intptr_t rank = mlirAffineMapGetNumResults(result);
  if (mlirAffineMapGetNumResults(map) != rank)
    return false;
  for (intptr_t d = 0; d < rank; ++d) {
    intptr_t loop = tune_nest_maps_loop(result, d);
    bool is_unit = loop < 0 || n->extents[loop] == 1;
    if (!is_of_loop(map, d, loop) && !(is_unit && d != CHANNELS) &&
        !(other_channels && d == CHANNELS))
      return false;
  }
  return true;
}

// Which operand of the product `n` is the image; -1: neither.
static intptr_t find_image(const tune_nest_maps *n, tune_image_convolution *out) {
  MlirAffineMap result = tune_nest_maps_result(n);
  intptr_t channels = tune_nest_maps_loop(result, CHANNELS);
  for (intptr_t image = 0; image < 2; ++image) {
    MlirAffineMap of = n->maps[image], filter = n->maps[1 - image];
    if (!lies_alike(n, of, true) || !tune_nest_maps_has(filter, channels))
      continue;
    intptr_t summed = tune_nest_maps_loop(of, CHANNELS);
    bool has_pixels = true;
    for (intptr_t d = CHANNELS + 1; d < mlirAffineMapGetNumResults(result); ++d) {
      intptr_t loop = tune_nest_maps_loop(result, d);
      has_pixels &= loop < 0 || !tune_nest_maps_has(filter, loop);
    }
    out->is_depthwise = summed == channels;
    out->channels = out->is_depthwise ? -1 : summed;
    if (has_pixels && summed >= 0 && tune_nest_maps_has(filter, summed) &&
        (out->is_depthwise || !tune_nest_maps_has(result, summed)))
      return image;
  }
  return -1;
}

static bool has_factor(MlirAffineExpr index) {
  if (mlirAffineExprIsAAdd(index))
    return has_factor(mlirAffineBinaryOpExprGetLHS(index)) ||
           has_factor(mlirAffineBinaryOpExprGetRHS(index));
  return mlirAffineExprIsAMul(index);
}

bool tune_image_convolution_read(MlirOperation op, tune_nest_maps *n, tune_image_convolution *out) {
  if (!tune_spread_sums_products(op) || !tune_nest_maps_read(op, n))
    return false;
  intptr_t rank = mlirAffineMapGetNumResults(tune_nest_maps_result(n));
  *out = (tune_image_convolution){.image = -1};
  if (rank < LEAST_RANK || rank > MOST_RANK ||
      tune_nest_maps_loop(tune_nest_maps_result(n), CHANNELS) < 0)
    return false;
  out->image = find_image(n, out);
  if (out->image < 0)
    return false;
  MlirAffineMap result = tune_nest_maps_result(n);
  out->products = out->pixels = 1;
  for (intptr_t loop = 0; loop < n->loop_count; ++loop) {
    out->products *= (double)n->extents[loop];
    out->has_window |=
        n->extents[loop] > 1 && loop != out->channels && !tune_nest_maps_has(result, loop);
  }
  for (intptr_t d = CHANNELS + 1; d < rank; ++d) {
    intptr_t loop = tune_nest_maps_loop(result, d);
    out->pixels *= loop < 0 ? 1 : (double)n->extents[loop];
    out->has_stride |= has_factor(mlirAffineMapGetResult(n->maps[out->image], d));
  }
  return true;
}

//===--- Values ----------------------------------------------------------------------===//

// Of f32. Among several blocks what makes a value may stand behind what reads it.
static bool is_image(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  MlirBlock block = mlirValueIsABlockArgument(value)
                        ? mlirBlockArgumentGetOwner(value)
                        : mlirOperationGetBlock(mlirOpResultGetOwner(value));
  if (!tune_tensor_is_plain(type) || !mlirTypeIsAF32(mlirShapedTypeGetElementType(type)) ||
      !tune_ir_is_only_block(block))
    return false;
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  int64_t pixels = 1;
  for (intptr_t d = CHANNELS + 1; d < rank; ++d)
    pixels *= mlirShapedTypeGetDimSize(type, d) > 1 ? 2 : 1;
  // Of a region only ops may make it: what is before its first op has no place of its own.
  bool has_place =
      mlirValueIsAOpResult(value) || tune_ir_is(mlirBlockGetParentOperation(block), "func.func");
  return rank >= LEAST_RANK && rank <= MOST_RANK && pixels > 1 && has_place;
}

bool tune_image_values_has(const tune_image_values *images, MlirValue value) {
  return tune_op_map_get(&images->index_of, value.ptr) != TUNE_OP_MAP_NONE;
}

bool tune_image_values_has_op(const tune_image_values *images, MlirOperation op) {
  return tune_op_map_get(&images->index_of, op.ptr) != TUNE_OP_MAP_NONE;
}

static void add_value(tune_image_values *images, MlirValue value) {
  if (!is_image(value) || tune_image_values_has(images, value))
    return;
  if (images->count == images->capacity) {
    size_t capacity = images->capacity ? 2 * images->capacity : 64;
    MlirValue *values = realloc(images->values, capacity * sizeof *values);
    if (!values) {
      images->failed = true;
      return;
    }
    images->values = values;
    images->capacity = capacity;
  }
  tune_status status = tune_op_map_set(&images->index_of, value.ptr, images->count);
  images->failed |= !tune_status_is_ok(status);
  tune_status_free(status);
  images->values[images->count++] = value;
}

// Images of an op that lie alike.
typedef struct alike {
  MlirValue values[TUNE_NEST_MAPS_OPERANDS + 1];
  intptr_t count;
} alike;

static void note_alike(alike *group, MlirValue value) {
  if (is_image(value))
    group->values[group->count++] = value;
}

// Which images of `op` lie alike. False where it cannot take part.
static bool find_alike(MlirOperation op, alike *out) {
  tune_nest_maps n;
  tune_image_convolution convolution;
  out->count = 0;
  if (tune_turn_is_part(op) || tune_ir_is(op, "tensor.concat")) {
    if (mlirOperationGetNumOperands(op) > TUNE_NEST_MAPS_OPERANDS)
      return false;
    for (intptr_t o = 0; o < mlirOperationGetNumOperands(op); ++o)
      note_alike(out, mlirOperationGetOperand(op, o));
    note_alike(out, mlirOperationGetResult(op, 0));
    return out->count == mlirOperationGetNumOperands(op) + 1;
  }
  if (tune_ir_is(op, "tensor.empty"))
    return mlirOperationGetNumOperands(op) == 0;
  bool is_convolution = tune_image_convolution_read(op, &n, &convolution);
  if (!is_convolution && !tune_nest_maps_read(op, &n))
    return false;
  MlirValue result = mlirOperationGetResult(op, 0);
  if (!is_image(result))
    return true;
  note_alike(out, result);
  for (intptr_t o = 0; o < n.operand_count; ++o)
    if (is_convolution ? o == convolution.image || o + 1 == n.operand_count
                       : lies_alike(&n, n.maps[o], false))
      note_alike(out, mlirOperationGetOperand(op, o));
  return true;
}

static void list_op(tune_image_values *images, MlirOperation op) {
  if (tune_image_values_has_op(images, op))
    return;
  tune_status status = tune_op_map_set(&images->index_of, op.ptr, images->ops.count);
  images->failed |= !tune_status_is_ok(status) || !tune_op_list_add(&images->ops, op);
  tune_status_free(status);
}

// With one of them all belong to the images.
static void add_op(tune_image_values *images, MlirOperation op) {
  alike group;
  if (mlirOperationIsNull(op) || !find_alike(op, &group))
    return;
  bool belongs = false;
  for (intptr_t i = 0; i < group.count; ++i)
    belongs |= tune_image_values_has(images, group.values[i]);
  for (intptr_t i = 0; belongs && i < group.count; ++i)
    add_value(images, group.values[i]);
  list_op(images, op);
}

void tune_image_values_add(tune_image_values *images, MlirOperation op) {
  size_t next = images->count;
  add_value(images, mlirOperationGetResult(op, 0));
  for (; next < images->count && !images->failed; ++next) {
    MlirValue value = images->values[next];
    add_op(images, tune_ir_definition(value));
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
      add_op(images, mlirOpOperandGetOwner(use));
  }
}

void tune_image_values_join(tune_image_values *images, const tune_image_values *more) {
  for (size_t i = 0; i < more->count; ++i)
    add_value(images, more->values[i]);
  for (size_t i = 0; i < more->ops.count; ++i)
    list_op(images, more->ops.ops[i]);
  images->failed |= more->failed;
}

void tune_image_values_deinit(tune_image_values *images) {
  free(images->values);
  tune_op_map_deinit(&images->index_of);
  tune_op_list_deinit(&images->ops);
}
