//===- batch_turns.c --------------------------------------------------------------===//

#include "transforms/normalize/batch_turns.h"

#include "dialects/constant.h"
#include "dialects/diagnostic.h"
#include "transforms/ir/op_facts.h"
#include "transforms/normalize/batches.h"
#include "transforms/normalize/nest_maps.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

//===--- Layers ------------------------------------------------------------------------===//

static double bytes_of(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  double bytes = (double)tune_op_element_bytes(type);
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d)
    bytes *= (double)mlirShapedTypeGetDimSize(type, d);
  return bytes;
}

// Whether `value` is an argument that is not constant.
static bool may_change(MlirValue value) {
  return mlirValueIsABlockArgument(value) &&
         !tune_constant_is_argument(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)),
                                    mlirBlockArgumentGetArgNumber(value));
}

static bool read_layer(const tune_batch *b, size_t at, tune_batch_layer *out) {
  MlirOperation op = b->values.ops.ops[at];
  tune_nest_maps n;
  if (!tune_ir_string_starts(tune_ir_name(op), "linalg.") || !tune_nest_maps_read_any(op, &n) ||
      !tune_nest_maps_reduces(&n))
    return false;
  double images = (double)b->values.count;
  *out = (tune_batch_layer){
      .at = at, .left = bytes_of(mlirOperationGetResult(op, 0)) / images, .products = 1};
  for (intptr_t o = 0; o + 1 < n.operand_count; ++o) {
    MlirValue operand = mlirOperationGetOperand(op, o);
    tune_batch_place place;
    if (tune_batch_values_get(&b->values, operand, &place))
      out->read += bytes_of(operand) / images;
    else if (mlirTypeIsARankedTensor(mlirValueGetType(operand))) {
      out->weights += bytes_of(operand);
      out->packed += may_change(operand) ? bytes_of(operand) : 0;
    }
  }
  for (intptr_t loop = 0; loop < n.loop_count; ++loop)
    out->products *= n.extents[loop] > 0 ? (double)n.extents[loop] : 1;
  out->products /= images;
  return out->weights > 0;
}

static bool find_layers(tune_batch *b) {
  b->layers = calloc(b->values.ops.count + 1, sizeof *b->layers);
  for (size_t at = 0; b->layers && at < b->values.ops.count; ++at)
    if (read_layer(b, at, &b->layers[b->layer_count]))
      ++b->layer_count;
  return b->layers != NULL;
}

size_t tune_batch_find_place(const tune_batch *b, MlirOperation op) {
  while (!mlirBlockEqual(mlirOperationGetBlock(op), b->block))
    op = mlirOperationGetParentOperation(op);
  size_t place = tune_op_map_get(&b->place_of, op.ptr);
  return place == TUNE_OP_MAP_NONE ? b->values.ops.count : place;
}

static size_t find_last_reader(const tune_batch *b, MlirValue value) {
  size_t last = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    size_t place = tune_batch_find_place(b, mlirOpOperandGetOwner(use));
    last = place > last ? place : last;
  }
  return last;
}

static void sum_crossing(tune_batch *b) {
  size_t count = b->values.ops.count;
  for (size_t i = 0; i < count; ++i) {
    MlirValue result = mlirOperationGetResult(b->values.ops.ops[i], 0);
    b->last_reader[i] = find_last_reader(b, result);
    if (b->last_reader[i] <= i)
      continue;
    b->crossing[i + 1] += bytes_of(result);
    b->crossing[b->last_reader[i] + 1] -= bytes_of(result);
  }
  for (size_t i = 0; i < count; ++i)
    b->crossing[i + 1] += b->crossing[i];
}

static bool find_readers(tune_batch *b) {
  size_t count = b->values.ops.count;
  b->last_reader = calloc(count + 1, sizeof *b->last_reader);
  b->crossing = calloc(count + 2, sizeof *b->crossing);
  tune_status status = TUNE_OK;
  for (size_t i = 0; tune_status_is_ok(status) && i < count; ++i)
    status = tune_op_map_set(&b->place_of, b->values.ops.ops[i].ptr, i);
  bool is_done = tune_status_is_ok(status) && b->last_reader && b->crossing;
  if (is_done)
    sum_crossing(b);
  tune_status_free(status);
  return is_done;
}

//===--- What pays -----------------------------------------------------------------------===//

// Measured on a Xeon (2 MB of second cache), on MobileNetV2 and ResNet-50 with eight images: what a
// byte between layers takes longer than in the second cache, by what a layer reads and leaves at
// once, and what weights that are read once more take. Only the ratios count.
#define NEAR_BYTES 1.5e6
#define FAR_BYTES 8e6
static const double NEAR_COST = 0, BETWEEN_COST = 0.03e-9, FAR_COST = 0.07e-9; // seconds a byte
// Those of arguments that are not constant are packed in each turn.
static const double WEIGHTS_COST = 0.1e-9, PACKING_COST = 0.1e-9;
static const double PRODUCT_COST = 0.02e-9; // seconds a multiply-add, at most
// What threads that share a layer lose: beginning it and waiting for the last one, which small ones
// are not worth (transforms/lower/cpu/small_loops.h), and what does not fall into equal parts. The
// loop of the images is begun once.
static const double SHARED_LAYER = 10e-6, SHARED_PART = 0.1;
static const double SHARED_LOOP = 5e-6;
// Less than so much of what the layers take is in doubt.
static const double LEAST_GAIN = 0.005;

static double cost_of_bytes(double bytes) {
  return bytes <= NEAR_BYTES ? NEAR_COST : bytes <= FAR_BYTES ? BETWEEN_COST : FAR_COST;
}

// How many turns of `images` the busiest of threads takes; as `double`, since all else is.
static double turns_of_one(const tune_batch *b, const tune_turns *how) {
  double count = (double)(b->values.count / how->images);
  return how->is_shared ? ceil(count / b->threads) : count;
}

// What `bytes` of an image save that a layer reads or leaves, of which `of` has one. A thread
// that shares a layer has a part of its bytes in its cache.
static double saved(const tune_batch *b, const tune_batch_layer *of, double bytes,
                    const tune_turns *how) {
  double at_once = of->read + of->left, count = (double)b->values.count;
  double images = (double)how->images / (how->is_shared ? 1 : b->threads);
  return count / b->threads * bytes *
         (cost_of_bytes(count / b->threads * at_once) - cost_of_bytes(images * at_once));
}

// What a layer takes longer in turns for the weights, which each turn reads, and saves for threads.
static double lost(const tune_batch *b, const tune_batch_layer *of, const tune_turns *how) {
  double rounds = turns_of_one(b, how), count = (double)b->values.count;
  double whole = PRODUCT_COST * of->products * count / b->threads;
  double weights = WEIGHTS_COST * of->weights + PACKING_COST * of->packed;
  if (!how->is_shared)
    return weights * (rounds - 1) / b->threads + (b->threads > 1 ? SHARED_LAYER * (rounds - 1) : 0);
  double uneven = rounds * (double)how->images * b->threads / count - 1;
  double begun = fmin(SHARED_LAYER, whole * (b->threads - 1));
  return weights * (rounds - 1 / b->threads) + uneven * whole - begun - SHARED_PART * whole;
}

size_t tune_batch_count_ops(const tune_batch *b, size_t layers) {
  size_t count = layers < b->layer_count ? b->layers[layers].at : b->values.ops.count;
  size_t least = b->layers[layers - 1].at + 1;
  while (count > least &&
         tune_ir_string_starts(tune_ir_name(b->values.ops.ops[count - 1]), "tensor."))
    --count;
  return count;
}

// The best number of first layers for turns of `images`, whatever it gains where `is_asked`.
static tune_turns count_layers(const tune_batch *b, int64_t images, bool is_asked) {
  bool is_shared = b->threads > 1 && (double)(b->values.count / images) >= b->threads;
  tune_turns best = {.images = images, .is_shared = is_shared, .gain = is_asked ? -INFINITY : 0};
  double gain = is_shared ? -SHARED_LOOP : 0, taken = 0, count = (double)b->values.count;
  for (size_t i = 0; i < b->layer_count; ++i) {
    const tune_batch_layer *of = &b->layers[i];
    // What the first one reads, and what the last one leaves, goes through memory anyway. What
    // crosses is copied there.
    gain += (i ? saved(b, of, of->read, &best) : 0) - lost(b, of, &best);
    taken += PRODUCT_COST * of->products * count / b->threads;
    double crossing = b->crossing[tune_batch_count_ops(b, i + 1)];
    double net = gain - crossing / b->threads * cost_of_bytes(crossing);
    if (i && net > best.gain && (is_asked || net > LEAST_GAIN * taken)) {
      best.layers = i + 1;
      best.gain = net;
    }
    gain += saved(b, of, of->left, &best);
  }
  return best;
}

static tune_status refuse(MlirOperation function, int64_t asked, int64_t count) {
  if (count < 2)
    return tune_status_make_at(
        TUNE_INVALID_ARGUMENT, function,
        TUNE_IMAGES_AT_ONCE_ATTRIBUTE
        " is for a batch: a first argument that is not constant, with two or "
        "more in its dimension 0; take the attribute away");
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                             TUNE_IMAGES_AT_ONCE_ATTRIBUTE
                             " is %" PRId64 ", and has to divide the batch, %" PRId64,
                             asked, count);
}

static bool is_integer(MlirAttribute attribute) {
  return mlirAttributeIsAInteger(attribute) &&
         mlirTypeIsAInteger(mlirAttributeGetType(attribute)) &&
         mlirIntegerTypeIsSignless(mlirAttributeGetType(attribute));
}

// Through how many layers images go that are asked for; 0: it does not say.
static tune_status read_asked_layers(MlirOperation function, int64_t *out_layers) {
  MlirAttribute layers = tune_ir_attribute(function, TUNE_IMAGES_LAYERS_ATTRIBUTE);
  *out_layers = 0;
  if (mlirAttributeIsNull(layers))
    return TUNE_OK;
  if (mlirAttributeIsNull(tune_ir_attribute(function, TUNE_IMAGES_AT_ONCE_ATTRIBUTE)))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                               TUNE_IMAGES_LAYERS_ATTRIBUTE
                               " goes with " TUNE_IMAGES_AT_ONCE_ATTRIBUTE
                               ": say how many images, too, or take it away");
  if (!is_integer(layers) || mlirIntegerAttrGetValueInt(layers) < 2)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                               TUNE_IMAGES_LAYERS_ATTRIBUTE
                               " is an integer from 2: how many layers images go through one after "
                               "the other");
  *out_layers = mlirIntegerAttrGetValueInt(layers);
  return TUNE_OK;
}

// What `function` asks for by its attribute; 0: nothing.
static tune_status read_asked(const tune_batch *b, MlirOperation function, int64_t *out_asked) {
  MlirAttribute asked = tune_ir_attribute(function, TUNE_IMAGES_AT_ONCE_ATTRIBUTE);
  *out_asked = 0;
  if (mlirAttributeIsNull(asked))
    return TUNE_OK;
  if (!is_integer(asked))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                               TUNE_IMAGES_AT_ONCE_ATTRIBUTE
                               " is an integer: how many images are computed at once");
  int64_t images = mlirIntegerAttrGetValueInt(asked);
  if (b->values.count < 2 || images < 1 || b->values.count % images != 0)
    return refuse(function, images, b->values.count);
  *out_asked = images;
  return TUNE_OK;
}

tune_status tune_batch_decide(const tune_batch *b, MlirOperation function, tune_turns *out) {
  int64_t asked, layers;
  *out = (tune_turns){.layers = 0};
  TUNE_RETURN_IF_ERROR(read_asked(b, function, &asked));
  TUNE_RETURN_IF_ERROR(read_asked_layers(function, &layers));
  for (int64_t d = 1; b->layer_count > 1 && d <= b->values.count / d; ++d) {
    const int64_t divisors[] = {d, b->values.count / d};
    for (int i = 0; i < 2 && b->values.count % d == 0; ++i) {
      int64_t images = divisors[i];
      if (images == b->values.count || (asked && images != asked))
        continue;
      tune_turns some = count_layers(b, images, asked != 0);
      if (some.layers && (!out->layers || some.gain > out->gain))
        *out = some;
    }
  }
  if (asked && asked < b->values.count && !out->layers)
    return tune_status_make_at(
        TUNE_INVALID_ARGUMENT, function,
        TUNE_IMAGES_AT_ONCE_ATTRIBUTE
        " is for functions that begin with two products or windows, or more, "
        "that each image goes through by itself; take the attribute away");
  if (asked && layers && out->layers)
    out->layers = (size_t)layers < b->layer_count ? (size_t)layers : b->layer_count;
  return TUNE_OK;
}

//===--- The whole ----------------------------------------------------------------------===//

void tune_batch_deinit(tune_batch *b) {
  free(b->layers);
  free(b->last_reader);
  free(b->crossing);
  tune_op_map_deinit(&b->place_of);
  tune_batch_values_deinit(&b->values);
}

bool tune_batch_read(MlirOperation function, size_t threads, bool only_first, tune_batch *out) {
  *out = (tune_batch){.threads = (double)threads, .block = tune_ir_body(function)};
  tune_op_map_init(&out->place_of);
  tune_batch_values_find(function, only_first, &out->values);
  return !out->values.failed && find_layers(out) && find_readers(out);
}
