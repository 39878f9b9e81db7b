//===- channels_last.c -----------------------------------------------------------===//

#include "transforms/normalize/images/channels_last.h"

#include "dialects/constant.h"
#include "transforms/normalize/images/filter_patches.h"
#include "transforms/normalize/images/image_values.h"
#include "transforms/normalize/marks.h"
#include "transforms/normalize/spread.h"
#include "transforms/normalize/tensor_ops.h"
#include "transforms/normalize/turns.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

// What a convolution takes with channels before pixels, and which part of that is saved: measured
// on Zen 3, by shapes of MobileNetV2 and ResNet-50. Only their ratios count.
#define DENSE_RATE 60e9     // floating-point operations a second
#define DEPTHWISE_RATE 15e9 // the same, of each channel with itself
#define TURN_RATE 2.5e9     // bytes of an image that are turned a second
enum { FEW_PIXELS = 64 };   // that fill few vectors
static const double SAVED_DEPTHWISE = 0.5, SAVED_FEW_PIXELS = 0.3, SAVED_PRODUCT = 0.1,
                    SAVED_WINDOW = 0.03;
// Windows of f16 and bf16 have neither dot products nor panels there: 0.2 to 0.6 with AVX-512 (Zen
// 4), 0 to 0.4 without.
static const double SAVED_NARROW_WINDOW = 0.2;
// Less than so much of what turning takes is in doubt.
static const double LEAST_GAIN = 1.5;

// Channels, which come after dimension 0, come last.
static tune_turn turn_of(const tune_image_values *images, MlirValue value) {
  tune_turn turn = {.rank = mlirShapedTypeGetRank(mlirValueGetType(value))};
  intptr_t channels = tune_image_values_channel_dimensions(images, value);
  intptr_t pixels = turn.rank - 1 - channels;
  for (intptr_t d = 1; d < turn.rank; ++d)
    turn.of[d] = d <= pixels ? d + channels : d - pixels;
  return turn;
}

//===--- Moves ------------------------------------------------------------------------===//

// Whether `op` does nothing but move the elements of one tensor to another order.
static bool read_move(MlirOperation op, tune_nest_maps *n) {
  return tune_nest_maps_read_any(op, n) && tune_nest_maps_moves(n) &&
         mlirAffineMapIsPermutation(n->maps[0]) && mlirAffineMapIsPermutation(n->maps[1]);
}

// Whether the move `op` is none once images are turned: TOSA's convolutions have channels
// innermost, and what PyTorch has between them has not.
static bool is_undone(const tune_image_values *images, MlirOperation op) {
  tune_nest_maps n;
  if (!read_move(op, &n))
    return false;
  MlirValue values[] = {mlirOperationGetOperand(op, 0), mlirOperationGetResult(op, 0)};
  bool turns = false;
  for (size_t i = 0; i < 2; ++i)
    if (tune_image_values_has(images, values[i])) {
      tune_turn turn = turn_of(images, values[i]);
      n.maps[i] = tune_turn_map(&turn, n.maps[i]);
      turns = !turns;
    }
  return turns && mlirAffineMapEqual(n.maps[0], n.maps[1]);
}

// Whether `op` is a move of what has channels innermost to where they are before pixels.
static bool turns_to_image(MlirOperation op) {
  tune_nest_maps n;
  if (!read_move(op, &n) || !mlirAffineMapIsIdentity(n.maps[1]))
    return false;
  intptr_t rank = mlirAffineMapGetNumResults(n.maps[0]);
  for (intptr_t d = 0; d < rank; ++d)
    if (tune_nest_maps_loop(n.maps[0], d) != (d == 0 ? 0 : d + 1 < rank ? d + 1 : 1))
      return false;
  return rank > 2;
}

//===--- Whether it pays --------------------------------------------------------------===//

static double saved_by(const tune_image_convolution *c, bool is_narrow) {
  if (c->is_depthwise)
    return 2 * c->products / DEPTHWISE_RATE * SAVED_DEPTHWISE;
  double part = c->has_window             ? (is_narrow ? SAVED_NARROW_WINDOW : SAVED_WINDOW)
                : c->pixels <= FEW_PIXELS ? SAVED_FEW_PIXELS
                                          : SAVED_PRODUCT;
  return 2 * c->products / DENSE_RATE * part;
}

static bool is_made_elsewhere(const tune_image_values *images, MlirValue value) {
  MlirOperation op = tune_ir_definition(value);
  return mlirOperationIsNull(op) || !tune_image_values_has_op(images, op);
}

static bool is_read_elsewhere(const tune_image_values *images, MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    if (!tune_image_values_has_op(images, mlirOpOperandGetOwner(use)))
      return true;
  return false;
}

// Whether a filter can be turned ahead; else windows over all channels are slower.
static bool has_turned_filter(const tune_image_convolution *c, MlirOperation op) {
  return !c->has_window || c->is_depthwise ||
         tune_constant_is_derived(mlirOperationGetOperand(op, 1 - c->image));
}

static bool pays(const tune_image_values *images) {
  double saved = 0, turned = 0;
  for (size_t i = 0; i < images->ops.count; ++i) {
    tune_nest_maps n;
    tune_image_convolution c;
    MlirOperation op = images->ops.ops[i];
    if (is_undone(images, op))
      saved += tune_tensor_bytes(mlirValueGetType(mlirOperationGetResult(op, 0))) / TURN_RATE;
    if (!tune_image_convolution_read(op, &n, &c))
      continue;
    if (!has_turned_filter(&c, op))
      return false;
    saved += saved_by(
        &c, tune_ir_is_short_float(tune_ir_element_of(mlirOperationGetOperand(op, c.image))));
  }
  for (size_t i = 0; i < images->count; ++i)
    turned += tune_tensor_bytes(mlirValueGetType(images->values[i])) *
              (is_made_elsewhere(images, images->values[i]) +
               is_read_elsewhere(images, images->values[i]));
  return saved > LEAST_GAIN * turned / TURN_RATE;
}

static bool takes_part(MlirOperation op) {
  for (intptr_t o = 0; o < mlirOperationGetNumOperands(op); ++o)
    if (!tune_image_values_take(mlirValueGetType(mlirOperationGetOperand(op, o))))
      return false;
  return true;
}

//===--- Turning -----------------------------------------------------------------------===//

typedef struct turner {
  const tune_image_values *images;
  MlirValue *turned; // by value
  tune_op_list made; // ops that turn, and are turned: of some nothing comes
} turner;

static MlirValue turned(const turner *self, MlirValue value) {
  size_t index = tune_op_map_get(&self->images->index_of, value.ptr);
  return index == TUNE_OP_MAP_NONE ? (MlirValue){NULL} : self->turned[index];
}

static void note_turned(turner *self, MlirValue value, MlirValue turned) {
  self->turned[tune_op_map_get(&self->images->index_of, value.ptr)] = turned;
}

// The dimensions of a filter: groups, windows, the channels that are summed up, all others. So that
// of a group is in one piece.
static tune_turn turn_of_filter(const tune_nest_maps *n, const tune_image_convolution *c) {
  MlirAffineMap map = n->maps[1 - c->image], result = tune_nest_maps_result(n);
  tune_turn turn = {.rank = 0};
  intptr_t rank = mlirAffineMapGetNumResults(map);
  for (int pass = 0; pass < 4; ++pass)
    for (intptr_t d = 0; d < rank; ++d) {
      intptr_t loop = tune_nest_maps_loop(map, d);
      int of_pass = loop < 0                           ? 1
                    : loop == c->group                 ? 0
                    : loop == c->channels              ? 2
                    : tune_nest_maps_has(result, loop) ? 3
                                                       : 1;
      if (of_pass == pass)
        turn.of[turn.rank++] = d;
    }
  return turn;
}

static void turn_filter(turner *self, tune_nest_maps *n, const tune_image_convolution *c,
                        MlirValue *operands) {
  intptr_t filter = 1 - c->image;
  tune_turn turn = turn_of_filter(n, c);
  bool is_turned = false;
  for (intptr_t d = 0; d < turn.rank; ++d)
    is_turned |= turn.of[d] != d;
  if (!is_turned || c->is_depthwise || !c->has_window)
    return;
  // Outside of the loops that the convolution may be in.
  operands[filter] = tune_turn_copy_behind(&self->made, operands[filter], &turn);
  n->maps[filter] = tune_turn_map(&turn, n->maps[filter]);
}

// What copies an image to the order that it has by now.
static bool is_copy(const tune_nest_maps *n, const MlirValue *operands) {
  return tune_nest_maps_moves(n) && mlirAffineMapIsPermutation(n->maps[0]) &&
         mlirAffineMapEqual(n->maps[0], n->maps[1]) &&
         mlirTypeEqual(mlirValueGetType(operands[0]), mlirValueGetType(operands[1]));
}

static MlirValue turn_nest(turner *self, MlirOperation op) {
  tune_nest_maps n;
  tune_image_convolution c;
  MlirValue operands[TUNE_NEST_MAPS_OPERANDS];
  bool is_convolution = tune_image_convolution_read(op, &n, &c);
  if (!is_convolution)
    tune_nest_maps_read_any(op, &n);
  const tune_nest_maps as_it_came = n;
  bool is_turned = true; // with its image and its result
  for (intptr_t o = 0; o < n.operand_count; ++o) {
    operands[o] = mlirOperationGetOperand(op, o);
    MlirValue other = turned(self, operands[o]);
    if (mlirValueIsNull(other)) {
      is_turned &= is_convolution && o == 1 - c.image;
      continue;
    }
    tune_turn turn = turn_of(self->images, operands[o]);
    operands[o] = other;
    n.maps[o] = tune_turn_map(&turn, n.maps[o]);
  }
  if (is_convolution && is_turned && tune_filter_patches_pay(&as_it_came, &c)) {
    MlirValue made = tune_filter_patches_build(&n, &as_it_came, &c, operands, &self->made);
    tune_op_list_add(&self->made, tune_ir_definition(made));
    return made;
  }
  if (is_convolution)
    turn_filter(self, &n, &c, operands);
  if (is_copy(&n, operands))
    return operands[0];
  MlirValue made = tune_nest_maps_build(&n, operands, n.maps);
  tune_op_list_add(&self->made, tune_ir_definition(made));
  return made;
}

static MlirValue turn_joint(turner *self, MlirOperation op) {
  MlirValue operands[TUNE_NEST_MAPS_OPERANDS], result = mlirOperationGetResult(op, 0);
  tune_ir_builder b = tune_ir_builder_before(op);
  tune_turn turn = turn_of(self->images, result), back = tune_turn_inverse(&turn);
  int64_t along = mlirIntegerAttrGetValueInt(tune_ir_attribute(op, "dim"));
  for (intptr_t o = 0; o < mlirOperationGetNumOperands(op); ++o)
    operands[o] = turned(self, mlirOperationGetOperand(op, o));
  return tune_tensor_concat(&b, mlirOperationGetNumOperands(op), operands, back.of[along],
                            tune_turn_type(&turn, result));
}

// Channels to groups of them, or back: these are the last dimensions.
static MlirValue turn_regrouping(turner *self, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  tune_ir_builder b = tune_ir_builder_before(op);
  tune_turn turn = turn_of(self->images, result);
  MlirType type = tune_turn_type(&turn, result);
  int64_t sizes[TUNE_IR_MAX_RANK];
  intptr_t members[TUNE_IR_MAX_RANK];
  bool expands = tune_ir_is(op, "tensor.expand_shape");
  intptr_t last = turn.rank - 1 - (expands ? 1 : 0);
  for (intptr_t d = 0; d < turn.rank; ++d) {
    sizes[d] = mlirShapedTypeGetDimSize(type, d);
    members[d] = d == last ? 2 : 1;
  }
  return tune_tensor_reshape(&b, turned(self, mlirOperationGetOperand(op, 0)), turn.rank, sizes,
                             members);
}

// Of an image that no nest makes.
static MlirValue turn_reshaped(turner *self, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  tune_ir_builder b = tune_ir_builder_before(op);
  tune_turn turn = turn_of(self->images, result);
  if (tune_ir_is(op, "tensor.empty"))
    return tune_turn_empty(&b, &turn, result);
  if (tune_ir_is(op, "tensor.concat"))
    return turn_joint(self, op);
  if (tune_turn_is_part(op))
    return tune_turn_rebuild(&turn, op, turned(self, mlirOperationGetOperand(op, 0)));
  return turn_regrouping(self, op);
}

// What of no nest is no image itself stays as it is.
static void turn_op(turner *self, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  bool belongs = tune_image_values_has(self->images, result);
  if (tune_ir_string_starts(tune_ir_name(op), "linalg.")) {
    MlirValue made = turn_nest(self, op);
    if (belongs)
      note_turned(self, result, made);
    else
      mlirValueReplaceAllUsesOfWith(result, made);
    return;
  }
  if (!belongs)
    return;
  MlirValue made = turn_reshaped(self, op);
  tune_op_list_add(&self->made, tune_ir_definition(made));
  note_turned(self, result, made);
}

static MlirWalkResult turn_in_order(MlirOperation op, void *user_data) {
  turner *self = user_data;
  if (tune_image_values_has_op(self->images, op))
    turn_op(self, op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue value = mlirOperationGetResult(op, i);
    if (!tune_image_values_has(self->images, value) || !mlirValueIsNull(turned(self, value)))
      continue;
    tune_turn turn = turn_of(self->images, value);
    note_turned(self, value, tune_turn_copy_behind(&self->made, value, &turn));
  }
  return MlirWalkResultAdvance;
}

static void turn_arguments(turner *self) {
  for (size_t i = 0; i < self->images->count; ++i) {
    MlirValue value = self->images->values[i];
    if (!mlirValueIsABlockArgument(value))
      continue;
    tune_turn turn = turn_of(self->images, value);
    self->turned[i] = tune_turn_copy_behind(&self->made, value, &turn);
  }
}

// Has what does not take part read `value` as it was.
static void turn_back(turner *self, MlirValue value) {
  if (is_made_elsewhere(self->images, value) || !is_read_elsewhere(self->images, value))
    return;
  tune_turn turn = turn_of(self->images, value), back = tune_turn_inverse(&turn);
  MlirValue same = tune_turn_copy_behind(&self->made, turned(self, value), &back);
  MlirOpOperand next;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = next) {
    MlirOperation owner = mlirOpOperandGetOwner(use);
    next = mlirOpOperandGetNextUse(use);
    if (!tune_image_values_has_op(self->images, owner))
      mlirOperationSetOperand(owner, (intptr_t)mlirOpOperandGetOperandNumber(use), same);
  }
}

//===--- All of them -----------------------------------------------------------------===//

static MlirWalkResult list_move(MlirOperation op, void *user_data) {
  if (!turns_to_image(op))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultSkip : MlirWalkResultInterrupt;
}

// Finds what belongs together, and profits: with a convolution, or where others turn it.
static void find_images(MlirOperation root, tune_image_values *out_images) {
  tune_op_list seeds = {0};
  tune_image_values seen = {0};
  tune_op_map_init(&seen.index_of);
  tune_spread_list_products(root, &seeds);
  mlirOperationWalk(root, list_move, &seeds, MlirWalkPreOrder);
  out_images->failed |= seeds.failed;
  for (size_t i = 0; i < seeds.count && !out_images->failed && !seen.failed; ++i) {
    tune_nest_maps n;
    tune_image_convolution c;
    MlirOperation op = seeds.ops[i];
    bool is_convolution = tune_image_convolution_read(op, &n, &c);
    if (tune_image_values_has_op(&seen, op) || !takes_part(op) ||
        (!is_convolution && !turns_to_image(op)))
      continue;
    tune_image_values images = {0};
    tune_op_map_init(&images.index_of);
    tune_image_values_add(&images, mlirOperationGetResult(op, 0),
                          is_convolution ? c.channel_dimensions : 1);
    tune_image_values_join(&seen, &images);
    // A value has one order: that of the first that it belongs to.
    if (pays(&images) && !tune_image_values_disagree(out_images, &images))
      tune_image_values_join(out_images, &images);
    tune_image_values_deinit(&images);
  }
  out_images->failed |= seen.failed;
  tune_image_values_deinit(&seen);
  tune_op_list_deinit(&seeds);
}

bool tune_normalize_channels_last(MlirOperation root) {
  static const char *const DIALECTS[] = {"linalg", "tensor", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
  tune_image_values images = {0};
  tune_op_map_init(&images.index_of);
  find_images(root, &images);
  turner self = {.images = &images, .turned = calloc(images.count + 1, sizeof *self.turned)};
  bool is_done = !images.failed && self.turned;
  if (is_done && images.count) {
    turn_arguments(&self);
    mlirOperationWalk(root, turn_in_order, &self, MlirWalkPreOrder);
    for (size_t i = 0; i < images.count; ++i)
      turn_back(&self, images.values[i]);
    // Where a schedule is applied it counts the ops that are there.
    tune_op_list_destroy_unused(&images.ops);
    tune_op_list_destroy_unused(&self.made);
    is_done = !self.made.failed;
  }
  tune_op_list_deinit(&self.made);
  free(self.turned);
  tune_image_values_deinit(&images);
  return is_done;
}
