//===- image_values.c -------------------------------------------------------------===//

#include "transforms/normalize/images/image_values.h"

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

// Whether the operand of `map` has its dimensions where the result has them, but for dimension
// `other`, which may be of other channels; -1: none.
static bool lies_alike(const tune_nest_maps *n, MlirAffineMap map, intptr_t other) {
  MlirAffineMap result = tune_nest_maps_result(n);
  intptr_t rank = mlirAffineMapGetNumResults(result);
  if (mlirAffineMapGetNumResults(map) != rank)
    return false;
  for (intptr_t d = 0; d < rank; ++d) {
    intptr_t loop = tune_nest_maps_loop(result, d);
    bool is_unit = loop < 0 || n->extents[loop] == 1;
    if (!is_of_loop(map, d, loop) && !(is_unit && d != CHANNELS) && d != other)
      return false;
  }
  return true;
}

// Which operand of the product `n` is the image, whose channels end with dimension `last`; -1:
// neither. Those before it are groups.
static intptr_t find_image(const tune_nest_maps *n, intptr_t last, tune_image_convolution *out) {
  MlirAffineMap result = tune_nest_maps_result(n);
  intptr_t channels = tune_nest_maps_loop(result, last), group = out->group;
  intptr_t batch = tune_nest_maps_loop(result, 0);
  for (intptr_t image = 0; image < 2; ++image) {
    MlirAffineMap of = n->maps[image], filter = n->maps[1 - image];
    // A filter of its own for each of a batch makes a product of matrices, as in attention.
    bool is_batched = batch >= 0 && n->extents[batch] > 1 && tune_nest_maps_has(filter, batch);
    if (is_batched || !lies_alike(n, of, last) || !tune_nest_maps_has(filter, channels) ||
        (group >= 0 && !tune_nest_maps_has(filter, group)))
      continue;
    intptr_t summed = tune_nest_maps_loop(of, last);
    bool has_pixels = true;
    for (intptr_t d = last + 1; d < mlirAffineMapGetNumResults(result); ++d) {
      intptr_t loop = tune_nest_maps_loop(result, d);
      has_pixels &= loop < 0 || !tune_nest_maps_has(filter, loop);
    }
    out->is_depthwise = summed == channels;
    out->channels = out->is_depthwise ? -1 : summed;
    if (has_pixels && summed >= 0 && tune_nest_maps_has(filter, summed) &&
        (out->is_depthwise ? group < 0 : !tune_nest_maps_has(result, summed)))
      return image;
  }
  return -1;
}

// The same with one dimension of channels, or with groups.
static intptr_t find_image_of_any(const tune_nest_maps *n, tune_image_convolution *out) {
  MlirAffineMap result = tune_nest_maps_result(n);
  intptr_t rank = mlirAffineMapGetNumResults(result);
  *out = (tune_image_convolution){.image = -1, .group = -1, .channel_dimensions = 1};
  if (tune_nest_maps_loop(result, CHANNELS) < 0)
    return -1;
  out->image = find_image(n, CHANNELS, out);
  if (out->image >= 0 || rank == LEAST_RANK || tune_nest_maps_loop(result, CHANNELS + 1) < 0)
    return out->image;
  out->channel_dimensions = 2;
  out->group = tune_nest_maps_loop(result, CHANNELS);
  return out->image = find_image(n, CHANNELS + 1, out);
}

static bool has_factor(MlirAffineExpr index) {
  if (mlirAffineExprIsAAdd(index))
    return has_factor(mlirAffineBinaryOpExprGetLHS(index)) ||
           has_factor(mlirAffineBinaryOpExprGetRHS(index));
  return mlirAffineExprIsAMul(index);
}

// Also of what ends images (`covers_image`).
static bool read_convolution(MlirOperation op, tune_nest_maps *n, tune_image_convolution *out) {
  if (!tune_spread_sums_products(op) || !tune_nest_maps_read(op, n))
    return false;
  intptr_t rank = mlirAffineMapGetNumResults(tune_nest_maps_result(n));
  if (rank < LEAST_RANK || rank > MOST_RANK || find_image_of_any(n, out) < 0)
    return false;
  MlirAffineMap result = tune_nest_maps_result(n);
  // Groups of one channel each, as StableHLO has them, are each channel with itself.
  intptr_t in_group = tune_nest_maps_loop(result, CHANNELS + out->channel_dimensions - 1);
  out->is_depthwise |= out->group >= 0 && n->extents[out->channels] == 1 &&
                       (in_group < 0 || n->extents[in_group] == 1);
  out->products = out->pixels = 1;
  for (intptr_t loop = 0; loop < n->loop_count; ++loop) {
    out->products *= (double)n->extents[loop];
    out->has_window |=
        n->extents[loop] > 1 && loop != out->channels && !tune_nest_maps_has(result, loop);
  }
  for (intptr_t d = 1 + out->channel_dimensions; d < rank; ++d) {
    intptr_t loop = tune_nest_maps_loop(result, d);
    out->pixels *= loop < 0 ? 1 : (double)n->extents[loop];
    out->has_stride |= has_factor(mlirAffineMapGetResult(n->maps[out->image], d));
  }
  return true;
}

// Whether its window is all of the image: a row times a matrix. Of that the matrix is the larger
// part by far, and the image takes its order.
static bool covers_image(const tune_image_convolution *c) {
  return c->has_window && c->pixels == 1 && !c->is_depthwise;
}

bool tune_image_convolution_read(MlirOperation op, tune_nest_maps *n, tune_image_convolution *out) {
  return read_convolution(op, n, out) && !covers_image(out);
}

//===--- Values ----------------------------------------------------------------------===//

bool tune_image_values_take(MlirType type) {
  MlirType element = tune_ir_element_type(type);
  return mlirTypeIsAF32(element) || tune_ir_is_short_float(element);
}

// Among several blocks what makes a value may stand behind what reads it.
static bool is_image(MlirValue value, intptr_t channel_dimensions) {
  MlirType type = mlirValueGetType(value);
  MlirBlock block = mlirValueIsABlockArgument(value)
                        ? mlirBlockArgumentGetOwner(value)
                        : mlirOperationGetBlock(mlirOpResultGetOwner(value));
  if (!tune_tensor_is_plain(type) || !tune_image_values_take(type) || !tune_ir_is_only_block(block))
    return false;
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  int64_t pixels = 1;
  for (intptr_t d = 1 + channel_dimensions; d < rank; ++d)
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

intptr_t tune_image_values_channel_dimensions(const tune_image_values *images, MlirValue value) {
  return images->channel_dimensions[tune_op_map_get(&images->index_of, value.ptr)];
}

static bool make_room(tune_image_values *images) {
  if (images->count < images->capacity)
    return true;
  size_t capacity = images->capacity ? 2 * images->capacity : 64;
  MlirValue *values = realloc(images->values, capacity * sizeof *values);
  if (values)
    images->values = values;
  unsigned char *dimensions = realloc(images->channel_dimensions, capacity);
  if (dimensions)
    images->channel_dimensions = dimensions;
  if (values && dimensions)
    images->capacity = capacity;
  return values && dimensions;
}

static void add_value(tune_image_values *images, MlirValue value, intptr_t channel_dimensions) {
  if (!is_image(value, channel_dimensions) || tune_image_values_has(images, value))
    return;
  if (!make_room(images)) {
    images->failed = true;
    return;
  }
  tune_status status = tune_op_map_set(&images->index_of, value.ptr, images->count);
  images->failed |= !tune_status_is_ok(status);
  tune_status_free(status);
  images->channel_dimensions[images->count] = (unsigned char)channel_dimensions;
  images->values[images->count++] = value;
}

// Images of an op that lie alike, and how many of their dimensions are channels; 0: as many as any
// other one of them has.
typedef struct alike {
  MlirValue values[TUNE_NEST_MAPS_OPERANDS + 1];
  intptr_t channel_dimensions[TUNE_NEST_MAPS_OPERANDS + 1];
  intptr_t count;
} alike;

static void note_alike(alike *group, MlirValue value, intptr_t channel_dimensions) {
  if (!is_image(value, channel_dimensions ? channel_dimensions : 1))
    return;
  group->channel_dimensions[group->count] = channel_dimensions;
  group->values[group->count++] = value;
}

// Whether `op` reshapes channels to groups of them, or back. Sizes say that: where a dimension of 1
// belongs to the pixels by the op, as in StableHLO, the elements lie as with groups of one channel.
static bool is_regrouping(MlirOperation op) {
  bool expands = tune_ir_is(op, "tensor.expand_shape");
  if ((!expands && !tune_ir_is(op, "tensor.collapse_shape")) ||
      mlirOperationGetNumOperands(op) != 1)
    return false;
  MlirType from = mlirValueGetType(mlirOperationGetOperand(op, 0)),
           to = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirType whole = expands ? from : to, parts = expands ? to : from;
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(whole);
  if (rank < LEAST_RANK || (intptr_t)mlirShapedTypeGetRank(parts) != rank + 1 ||
      !mlirShapedTypeHasStaticShape(whole) || !mlirShapedTypeHasStaticShape(parts))
    return false;
  for (intptr_t d = 0; d < rank; ++d)
    if (d != CHANNELS && mlirShapedTypeGetDimSize(whole, d) !=
                             mlirShapedTypeGetDimSize(parts, d < CHANNELS ? d : d + 1))
      return false;
  return mlirShapedTypeGetDimSize(whole, CHANNELS) ==
         mlirShapedTypeGetDimSize(parts, CHANNELS) * mlirShapedTypeGetDimSize(parts, CHANNELS + 1);
}

static bool find_alike_in_nest(MlirOperation op, alike *out) {
  tune_nest_maps n;
  tune_image_convolution convolution = {.channel_dimensions = 0};
  bool is_convolution = read_convolution(op, &n, &convolution);
  if (is_convolution ? covers_image(&convolution) : !tune_nest_maps_read_any(op, &n))
    return false;
  intptr_t dimensions = is_convolution ? convolution.channel_dimensions : 0;
  MlirValue result = mlirOperationGetResult(op, 0);
  if (!is_image(result, is_convolution ? dimensions : 1))
    return true;
  // What it is written into is turned as well.
  if (!is_image(mlirOperationGetOperand(op, n.operand_count - 1),
                is_convolution ? dimensions : 1) ||
      (!is_convolution && !lies_alike(&n, tune_nest_maps_result(&n), -1)))
    return false;
  note_alike(out, result, dimensions);
  for (intptr_t o = 0; o < n.operand_count; ++o)
    if (is_convolution ? o == convolution.image || o + 1 == n.operand_count
                       : lies_alike(&n, n.maps[o], -1))
      note_alike(out, mlirOperationGetOperand(op, o), dimensions);
  return true;
}

// Which images of `op` lie alike. False where it cannot take part.
static bool find_alike(MlirOperation op, alike *out) {
  out->count = 0;
  if (is_regrouping(op)) {
    bool expands = tune_ir_is(op, "tensor.expand_shape");
    note_alike(out, mlirOperationGetOperand(op, 0), expands ? 1 : 2);
    note_alike(out, mlirOperationGetResult(op, 0), expands ? 2 : 1);
    return out->count == 2;
  }
  if (tune_turn_is_part(op) || tune_ir_is(op, "tensor.concat")) {
    if (mlirOperationGetNumOperands(op) > TUNE_NEST_MAPS_OPERANDS)
      return false;
    for (intptr_t o = 0; o < mlirOperationGetNumOperands(op); ++o)
      note_alike(out, mlirOperationGetOperand(op, o), 0);
    note_alike(out, mlirOperationGetResult(op, 0), 0);
    return out->count == mlirOperationGetNumOperands(op) + 1;
  }
  if (tune_ir_is(op, "tensor.empty"))
    return mlirOperationGetNumOperands(op) == 0;
  return find_alike_in_nest(op, out);
}

static void list_op(tune_image_values *images, MlirOperation op) {
  if (tune_image_values_has_op(images, op))
    return;
  tune_status status = tune_op_map_set(&images->index_of, op.ptr, images->ops.count);
  images->failed |= !tune_status_is_ok(status) || !tune_op_list_add(&images->ops, op);
  tune_status_free(status);
}

// Sets how many dimensions of those are channels whose op does not say it. False where two that
// belong to the images, or the op, say different numbers, or one of them is no image then.
static bool agree(const tune_image_values *images, alike *group, bool *out_belongs) {
  intptr_t others = 0;
  *out_belongs = false;
  for (intptr_t i = 0; i < group->count; ++i) {
    if (!tune_image_values_has(images, group->values[i]))
      continue;
    intptr_t dimensions = tune_image_values_channel_dimensions(images, group->values[i]);
    intptr_t *said = group->channel_dimensions[i] ? &group->channel_dimensions[i] : &others;
    if (*said && *said != dimensions)
      return false;
    *said = dimensions;
    *out_belongs = true;
  }
  for (intptr_t i = 0; *out_belongs && i < group->count; ++i) {
    if (group->channel_dimensions[i] == 0)
      group->channel_dimensions[i] = others;
    if (!is_image(group->values[i], group->channel_dimensions[i]))
      return false;
  }
  return true;
}

// With one of them all belong to the images.
static void add_op(tune_image_values *images, MlirOperation op) {
  alike group;
  bool belongs;
  if (mlirOperationIsNull(op) || !find_alike(op, &group) || !agree(images, &group, &belongs))
    return;
  for (intptr_t i = 0; belongs && i < group.count; ++i)
    add_value(images, group.values[i], group.channel_dimensions[i]);
  list_op(images, op);
}

void tune_image_values_add(tune_image_values *images, MlirValue image,
                           intptr_t channel_dimensions) {
  size_t next = images->count;
  add_value(images, image, channel_dimensions);
  for (; next < images->count && !images->failed; ++next) {
    MlirValue value = images->values[next];
    add_op(images, tune_ir_definition(value));
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
      add_op(images, mlirOpOperandGetOwner(use));
  }
}

bool tune_image_values_disagree(const tune_image_values *images, const tune_image_values *others) {
  for (size_t i = 0; i < others->count; ++i)
    if (tune_image_values_has(images, others->values[i]) &&
        tune_image_values_channel_dimensions(images, others->values[i]) !=
            others->channel_dimensions[i])
      return true;
  return false;
}

void tune_image_values_join(tune_image_values *images, const tune_image_values *more) {
  for (size_t i = 0; i < more->count; ++i)
    add_value(images, more->values[i], more->channel_dimensions[i]);
  for (size_t i = 0; i < more->ops.count; ++i)
    list_op(images, more->ops.ops[i]);
  images->failed |= more->failed;
}

void tune_image_values_deinit(tune_image_values *images) {
  free(images->values);
  free(images->channel_dimensions);
  tune_op_map_deinit(&images->index_of);
  tune_op_list_deinit(&images->ops);
}
