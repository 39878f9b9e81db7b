//===- batches.c -------------------------------------------------------------------===//

#include "transforms/normalize/batches.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/op_facts.h"
#include "transforms/normalize/batch_values.h"
#include "transforms/normalize/nest_maps.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const char TAKING_TURNS[] = "having images take turns";

//===--- Layers ------------------------------------------------------------------------===//

// A product with weights, or a window (of which ops have a tensor, too). What lies between two of
// them, as norms and attention, goes with one of them.
typedef struct layer {
  size_t at;         // among the ops of the batch
  double read, left; // bytes of one image
  double weights;    // bytes
  double products;   // of one image
} layer;

typedef struct batch {
  tune_batch_values values;
  MlirBlock block;
  layer *layers;
  size_t layer_count;
  tune_op_map place_of; // of each op, among these
  // Of each op: the last one that reads what it leaves; their number where other ops do.
  size_t *last_reader;
  // Of all images, in bytes: what one of the first ops leaves, as many as the place in the array
  // says, and something behind these reads.
  double *crossing;
} batch;

static double bytes_of(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  double bytes = (double)tune_op_element_bytes(type);
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d)
    bytes *= (double)mlirShapedTypeGetDimSize(type, d);
  return bytes;
}

static bool read_layer(const batch *b, size_t at, layer *out) {
  MlirOperation op = b->values.ops.ops[at];
  tune_nest_maps n;
  if (!tune_ir_string_starts(tune_ir_name(op), "linalg.") || !tune_nest_maps_read_any(op, &n) ||
      !tune_nest_maps_reduces(&n))
    return false;
  double images = (double)b->values.count;
  *out = (layer){.at = at, .left = bytes_of(mlirOperationGetResult(op, 0)) / images, .products = 1};
  for (intptr_t o = 0; o + 1 < n.operand_count; ++o) {
    MlirValue operand = mlirOperationGetOperand(op, o);
    tune_batch_place place;
    if (tune_batch_values_get(&b->values, operand, &place))
      out->read += bytes_of(operand) / images;
    else if (mlirTypeIsARankedTensor(mlirValueGetType(operand)))
      out->weights += bytes_of(operand);
  }
  for (intptr_t loop = 0; loop < n.loop_count; ++loop)
    out->products *= n.extents[loop] > 0 ? (double)n.extents[loop] : 1;
  out->products /= images;
  return out->weights > 0;
}

static bool find_layers(batch *b) {
  b->layers = calloc(b->values.ops.count + 1, sizeof *b->layers);
  for (size_t at = 0; b->layers && at < b->values.ops.count; ++at)
    if (read_layer(b, at, &b->layers[b->layer_count]))
      ++b->layer_count;
  return b->layers != NULL;
}

// The place of `op`, or of what it is in, among the ops of the batch; their number: in none.
static size_t find_place(const batch *b, MlirOperation op) {
  while (!mlirBlockEqual(mlirOperationGetBlock(op), b->block))
    op = mlirOperationGetParentOperation(op);
  size_t place = tune_op_map_get(&b->place_of, op.ptr);
  return place == TUNE_OP_MAP_NONE ? b->values.ops.count : place;
}

static size_t find_last_reader(const batch *b, MlirValue value) {
  size_t last = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    size_t place = find_place(b, mlirOpOperandGetOwner(use));
    last = place > last ? place : last;
  }
  return last;
}

static void sum_crossing(batch *b) {
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

static bool find_readers(batch *b) {
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
static const double WEIGHTS_COST = 0.2e-9;
static const double PRODUCT_COST = 0.02e-9; // seconds a multiply-add, at most
// Less than so much of what the layers take is in doubt.
static const double LEAST_GAIN = 0.005;

typedef struct turns {
  int64_t images; // at once
  size_t layers;  // the first ones, of which images take their turns; 0: none
  double gain;    // seconds
} turns;

static double cost_of_bytes(double bytes) {
  return bytes <= NEAR_BYTES ? NEAR_COST : bytes <= FAR_BYTES ? BETWEEN_COST : FAR_COST;
}

// What `bytes` of an image save that a layer reads or leaves, of which one has `of_layer`.
static double saved(const batch *b, const layer *of, double bytes, int64_t images) {
  double at_once = of->read + of->left, count = (double)b->values.count;
  return count * bytes * (cost_of_bytes(count * at_once) - cost_of_bytes((double)images * at_once));
}

// Borders and reshapes before the first layer behind the loop belong to that.
static size_t count_ops(const batch *b, size_t layers) {
  size_t count = layers < b->layer_count ? b->layers[layers].at : b->values.ops.count;
  size_t least = b->layers[layers - 1].at + 1;
  while (count > least &&
         tune_ir_string_starts(tune_ir_name(b->values.ops.ops[count - 1]), "tensor."))
    --count;
  return count;
}

// The best number of first layers for turns of `images`, whatever it gains where `is_asked`.
static turns count_layers(const batch *b, int64_t images, bool is_asked) {
  turns best = {.images = images, .gain = is_asked ? -INFINITY : 0};
  double gain = 0, taken = 0, count = (double)b->values.count;
  for (size_t i = 0; i < b->layer_count; ++i) {
    const layer *of = &b->layers[i];
    // What the first one reads, and what the last one leaves, goes through memory anyway. What
    // crosses is copied there.
    gain += (i ? saved(b, of, of->read, images) : 0) -
            WEIGHTS_COST * of->weights * (count / (double)images - 1);
    taken += PRODUCT_COST * of->products * count;
    double crossing = b->crossing[count_ops(b, i + 1)];
    double net = gain - crossing * cost_of_bytes(crossing);
    if (i && net > best.gain && (is_asked || net > LEAST_GAIN * taken))
      best = (turns){images, i + 1, net};
    gain += saved(b, of, of->left, images);
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

// What `function` asks for by its attribute; 0: nothing.
static tune_status read_asked(const batch *b, MlirOperation function, int64_t *out_asked) {
  MlirAttribute asked = tune_ir_attribute(function, TUNE_IMAGES_AT_ONCE_ATTRIBUTE);
  *out_asked = 0;
  if (mlirAttributeIsNull(asked))
    return TUNE_OK;
  if (!mlirAttributeIsAInteger(asked) || !mlirTypeIsAInteger(mlirAttributeGetType(asked)) ||
      !mlirIntegerTypeIsSignless(mlirAttributeGetType(asked)))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                               TUNE_IMAGES_AT_ONCE_ATTRIBUTE
                               " is an integer: how many images are computed at once");
  int64_t images = mlirIntegerAttrGetValueInt(asked);
  if (b->values.count < 2 || images < 1 || b->values.count % images != 0)
    return refuse(function, images, b->values.count);
  *out_asked = images;
  return TUNE_OK;
}

// `out->layers` is 0 where all images are computed at once, as they are `asked` for or as pays.
static tune_status decide(const batch *b, MlirOperation function, turns *out) {
  int64_t asked;
  *out = (turns){.layers = 0};
  TUNE_RETURN_IF_ERROR(read_asked(b, function, &asked));
  for (int64_t d = 1; b->layer_count > 1 && d <= b->values.count / d; ++d) {
    const int64_t divisors[] = {d, b->values.count / d};
    for (int i = 0; i < 2 && b->values.count % d == 0; ++i) {
      int64_t images = divisors[i];
      if (images == b->values.count || (asked && images != asked))
        continue;
      turns some = count_layers(b, images, asked != 0);
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
  return TUNE_OK;
}

//===--- The loop -----------------------------------------------------------------------===//

typedef struct looper {
  batch *batch;
  int64_t images;
  size_t op_count;      // of the first ops, which go into the loop
  tune_op_map slice_of; // arguments, by their place in `slices`
  MlirValue *slices;
  size_t slice_count;
  MlirValue *crossing; // what is read behind the loop, too
  intptr_t crossing_count;
  tune_ir_builder body;
  MlirValue index;
  bool failed;
} looper;

static void put(looper *l, tune_op_map *map, const void *key, size_t value) {
  tune_status status = tune_op_map_set(map, key, value);
  l->failed |= !tune_status_is_ok(status);
  tune_status_free(status);
}

// tensor.extract_slice of `value`, or with `into` tensor.insert_slice of it into that: of the
// images of this turn.
static MlirValue build_slice(const looper *l, MlirValue value, MlirValue into,
                             tune_batch_place place) {
  const tune_ir_builder *b = &l->body;
  bool inserts = !mlirValueIsNull(into);
  MlirType whole = mlirValueGetType(inserts ? into : value);
  intptr_t rank = mlirShapedTypeGetRank(whole);
  int64_t offsets[TUNE_IR_MAX_RANK] = {0}, sizes[TUNE_IR_MAX_RANK], ones[TUNE_IR_MAX_RANK];
  int64_t size = l->images * place.part;
  for (intptr_t d = 0; d < rank; ++d) {
    sizes[d] = d == place.dimension ? size : mlirShapedTypeGetDimSize(whole, d);
    ones[d] = 1;
  }
  offsets[place.dimension] = mlirShapedTypeGetDynamicStrideOrOffset();
  MlirType part = mlirRankedTensorTypeGet(rank, sizes, mlirShapedTypeGetElementType(whole),
                                          (MlirAttribute){NULL});
  MlirValue offset = tune_ir_build_binary(b, "arith.muli", l->index, tune_ir_build_index(b, size));
  MlirValue operands[3] = {value, inserts ? into : offset, offset};
  MlirAttribute segments = inserts ? mlirDenseI32ArrayGet(b->context, 5, (int32_t[]){1, 1, 1, 0, 0})
                                   : mlirDenseI32ArrayGet(b->context, 4, (int32_t[]){1, 1, 0, 0});
  MlirNamedAttribute attributes[] = {
      tune_ir_named(b->context, "static_offsets", mlirDenseI64ArrayGet(b->context, rank, offsets)),
      tune_ir_named(b->context, "static_sizes", mlirDenseI64ArrayGet(b->context, rank, sizes)),
      tune_ir_named(b->context, "static_strides", mlirDenseI64ArrayGet(b->context, rank, ones)),
      tune_ir_named(b->context, "operandSegmentSizes", segments)};
  return tune_ir_build_result(
      b, &(tune_ir_parts){.name = inserts ? "tensor.insert_slice" : "tensor.extract_slice",
                          .operand_count = inserts ? 3 : 2,
                          .operands = operands,
                          .type_count = 1,
                          .types = inserts ? &whole : &part,
                          .attribute_count = 4,
                          .attributes = attributes});
}

// What the loop has of the argument `value`.
static MlirValue slice_of(looper *l, MlirValue value, tune_batch_place place) {
  size_t at = tune_op_map_get(&l->slice_of, value.ptr);
  if (at != TUNE_OP_MAP_NONE)
    return l->slices[at];
  put(l, &l->slice_of, value.ptr, l->slice_count);
  return l->slices[l->slice_count++] = build_slice(l, value, (MlirValue){NULL}, place);
}

// Has `op` read slices of arguments.
static MlirWalkResult read_slices(MlirOperation op, void *user_data) {
  looper *l = user_data;
  for (intptr_t o = 0; o < mlirOperationGetNumOperands(op); ++o) {
    MlirValue operand = mlirOperationGetOperand(op, o);
    tune_batch_place place;
    if (l->failed || !mlirValueIsABlockArgument(operand) ||
        !tune_batch_values_get(&l->batch->values, operand, &place))
      continue;
    MlirValue slice = slice_of(l, operand, place);
    mlirOperationSetOperand(op, o, slice);
    put(l, &l->batch->values.place_of, slice.ptr,
        tune_op_map_get(&l->batch->values.place_of, operand.ptr));
  }
  return MlirWalkResultAdvance;
}

static void move_op(looper *l, MlirOperation op) {
  mlirOperationWalk(op, read_slices, l, MlirWalkPreOrder);
  if (l->failed)
    return;
  tune_ir_move(&l->body, op);
  tune_batch_values_shrink(&l->batch->values, op, l->images);
}

static void list_crossing(looper *l) {
  for (size_t i = 0; i < l->op_count; ++i)
    if (l->batch->last_reader[i] >= l->op_count)
      l->crossing[l->crossing_count++] = mlirOperationGetResult(l->batch->values.ops.ops[i], 0);
}

// Has what is behind the loop read `whole` in place of `value`.
static void read_whole(const looper *l, MlirValue value, MlirValue whole) {
  MlirOpOperand next;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = next) {
    MlirOperation owner = mlirOpOperandGetOwner(use);
    next = mlirOpOperandGetNextUse(use);
    if (find_place(l->batch, owner) >= l->op_count)
      mlirOperationSetOperand(owner, (intptr_t)mlirOpOperandGetOperandNumber(use), whole);
  }
}

static void build_loop(looper *l, MlirValue *carried) {
  tune_batch_values *values = &l->batch->values;
  // Behind all that its ops read.
  tune_ir_builder b =
      tune_ir_builder_before(mlirOperationGetNextInBlock(values->ops.ops[l->op_count - 1]));
  for (intptr_t i = 0; i < l->crossing_count; ++i)
    carried[i] = tune_ir_build_value(&b, "tensor.empty", mlirValueGetType(l->crossing[i]), 0, NULL);
  MlirOperation loop;
  l->body = tune_ir_build_for(&b, values->count / l->images, l->crossing_count, carried, &loop);
  MlirBlock block = tune_ir_body(loop);
  l->index = mlirBlockGetArgument(block, 0);
  for (intptr_t i = 0; i < l->crossing_count; ++i)
    read_whole(l, l->crossing[i], mlirOperationGetResult(loop, i));
  for (size_t i = 0; i < l->op_count && !l->failed; ++i)
    move_op(l, values->ops.ops[i]);
  for (intptr_t i = 0; i < l->crossing_count && !l->failed; ++i) {
    tune_batch_place place;
    tune_batch_values_get(values, l->crossing[i], &place);
    carried[i] = build_slice(l, l->crossing[i], mlirBlockGetArgument(block, i + 1), place);
  }
  tune_ir_build(&l->body, &(tune_ir_parts){.name = "scf.yield",
                                           .operand_count = l->crossing_count,
                                           .operands = carried});
}

static bool take_turns(batch *b, const turns *how) {
  looper l = {.batch = b, .images = how->images, .op_count = count_ops(b, how->layers)};
  size_t arguments = (size_t)mlirBlockGetNumArguments(b->block);
  l.slices = calloc(arguments + 1, sizeof *l.slices);
  l.crossing = calloc(l.op_count + 1, sizeof *l.crossing);
  MlirValue *carried = calloc(l.op_count + 1, sizeof *carried);
  tune_op_map_init(&l.slice_of);
  bool is_done = l.slices && l.crossing && carried;
  if (is_done) {
    list_crossing(&l);
    build_loop(&l, carried);
  }
  tune_op_map_deinit(&l.slice_of);
  free(l.slices);
  free(l.crossing);
  free(carried);
  return is_done && !l.failed;
}

static void batch_deinit(batch *b) {
  free(b->layers);
  free(b->last_reader);
  free(b->crossing);
  tune_op_map_deinit(&b->place_of);
  tune_batch_values_deinit(&b->values);
}

static bool read_batch(MlirOperation function, bool only_first, batch *out) {
  *out = (batch){.block = tune_ir_body(function)};
  tune_op_map_init(&out->place_of);
  tune_batch_values_find(function, only_first, &out->values);
  return !out->values.failed && find_layers(out) && find_readers(out);
}

static tune_status normalize_batch(batch *b, MlirOperation function) {
  turns how;
  bool is_read = read_batch(function, false, b);
  // Weights that are not said to be constant may have as many rows as there are images.
  if (is_read && b->layer_count < 2) {
    batch_deinit(b);
    is_read = read_batch(function, true, b);
  }
  if (!is_read)
    return tune_status_out_of_memory(TAKING_TURNS);
  TUNE_RETURN_IF_ERROR(decide(b, function, &how));
  if (how.layers && !take_turns(b, &how))
    return tune_status_out_of_memory(TAKING_TURNS);
  mlirOperationRemoveAttributeByName(function, tune_ir_string(TUNE_IMAGES_AT_ONCE_ATTRIBUTE));
  return TUNE_OK;
}

static tune_status normalize_function(MlirOperation function) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  bool is_asked = !mlirAttributeIsNull(tune_ir_attribute(function, TUNE_IMAGES_AT_ONCE_ATTRIBUTE));
  if (mlirBlockIsNull(block))
    return TUNE_OK;
  if (!tune_ir_is_only_block(block))
    return is_asked ? tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                                          TUNE_IMAGES_AT_ONCE_ATTRIBUTE
                                          " is for functions of one block; take the attribute away")
                    : TUNE_OK;
  batch b;
  tune_status status = normalize_batch(&b, function);
  batch_deinit(&b);
  return status;
}

tune_status tune_normalize_batches(MlirOperation root) {
  static const char *const DIALECTS[] = {"arith", "linalg", "scf", "tensor", NULL};
  if (!tune_ir_is(root, "builtin.module"))
    return TUNE_OK;
  tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
  MlirBlock body = tune_ir_body(root);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "func.func"))
      TUNE_RETURN_IF_ERROR(normalize_function(op));
  return TUNE_OK;
}
