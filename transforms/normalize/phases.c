//===- phases.c -------------------------------------------------------------------===//

#include "transforms/normalize/phases.h"

#include "transforms/ir/arith_facts.h"
#include "transforms/ir/constant_value.h"
#include "transforms/normalize/marks.h"
#include "transforms/normalize/nest_maps.h"
#include "transforms/normalize/spread.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

//===--- Which --------------------------------------------------------------------===//

// A dimension of the image that has zeroes between its pixels, or none.
typedef struct along {
  int64_t step; // 1: none, and nothing else counts
  intptr_t result_dimension, filter_dimension;
  int64_t taps;         // of the new window
  int64_t first, count; // places that the new window has, from this pixel on
} along;

typedef struct transposed {
  tune_nest_maps nest;
  intptr_t image, filter; // its operands
  tune_spread apart;
  along dimensions[TUNE_IR_MAX_RANK];              // of the image
  intptr_t channels_in_filter, channels_in_result; // the dimension that has the phases' channels
  int64_t phases;                                  // the product of all steps
} transposed;

static int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b > 0); }
static int64_t divide_down(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static int64_t size_of(const transposed *t, intptr_t operand, intptr_t dimension) {
  return mlirShapedTypeGetDimSize(mlirValueGetType(mlirOperationGetOperand(t->nest.op, operand)),
                                  dimension);
}

// Whether dimension `d` of the image is indexed by the sum of a loop of the result and one of the
// filter, and by these two nowhere else.
static bool find_loops(const transposed *t, intptr_t d, along *out) {
  MlirAffineMap image = t->nest.maps[t->image], filter = t->nest.maps[t->filter],
                result = t->nest.maps[2];
  MlirAffineExpr index = mlirAffineMapGetResult(image, d);
  if (!mlirAffineExprIsAAdd(index))
    return false;
  intptr_t loops[2];
  for (int side = 0; side < 2; ++side) {
    MlirAffineExpr loop =
        side ? mlirAffineBinaryOpExprGetRHS(index) : mlirAffineBinaryOpExprGetLHS(index);
    if (!mlirAffineExprIsADim(loop))
      return false;
    loops[side] = mlirAffineDimExprGetPosition(loop);
    for (intptr_t other = 0; other < t->apart.rank; ++other)
      if (other != d &&
          mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(image, other), loops[side]))
        return false;
  }
  int window = tune_nest_maps_has(filter, loops[0]) ? 0 : 1;
  out->filter_dimension = tune_nest_maps_only_dimension(filter, loops[window]);
  out->result_dimension = tune_nest_maps_only_dimension(result, loops[!window]);
  return out->filter_dimension >= 0 && out->result_dimension >= 0 &&
         !tune_nest_maps_has(result, loops[window]) && !tune_nest_maps_has(filter, loops[!window]);
}

static bool find_along(const transposed *t, intptr_t d, along *out) {
  int64_t step = out->step = t->apart.steps[d], offset = t->apart.offsets[d];
  if (step == 1)
    return true;
  if (!find_loops(t, d, out))
    return false;
  int64_t window = size_of(t, t->filter, out->filter_dimension),
          size = size_of(t, 2, out->result_dimension);
  // Phases with a tap of zero more would make an infinite pixel NaN in outputs that do not see it.
  if (window % step && mlirTypeIsAFloat(tune_ir_element_type(mlirValueGetType(t->apart.source))))
    return false;
  out->taps = divide_up(window, step);
  out->first = divide_up(-offset, step);
  out->count = divide_down(size - 1 + step - 1 - offset, step) - out->first + 1;
  // An image may be larger than what is read of it, with all pixels beyond that.
  return window > 1 && size > 0 && out->count > 0 && out->first + out->count + out->taps > 1;
}

static bool find_channels(transposed *t) {
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(t->nest.maps[2]); ++d) {
    MlirAffineExpr index = mlirAffineMapGetResult(t->nest.maps[2], d);
    if (!mlirAffineExprIsADim(index))
      return false;
    intptr_t loop = mlirAffineDimExprGetPosition(index);
    t->channels_in_filter = tune_nest_maps_only_dimension(t->nest.maps[t->filter], loop);
    t->channels_in_result = d;
    if (t->channels_in_filter >= 0 && !tune_nest_maps_has(t->nest.maps[t->image], loop))
      return true;
  }
  return false;
}

static MlirWalkResult find_promise(MlirOperation op, void *user_data) {
  *(bool *)user_data |= tune_arith_promises_no_overflow(op);
  return MlirWalkResultAdvance;
}

// Whether what the sums are added to may be added last.
static bool may_begin_with_zero(MlirOperation op) {
  double number;
  bool promises = false;
  MlirValue initial = mlirOperationGetOperand(op, 2);
  mlirOperationWalk(op, find_promise, &promises, MlirWalkPreOrder);
  return (tune_constant_value(initial, &number) && number == 0) ||
         !(promises || tune_ir_is_short_float(tune_ir_element_type(mlirValueGetType(initial))));
}

// Filter and result get a dimension more for each that has phases.
static bool has_room(MlirOperation op) {
  for (intptr_t o = 0; o < TUNE_SPREAD_OPERANDS; ++o)
    if (mlirShapedTypeGetRank(mlirValueGetType(mlirOperationGetOperand(op, o))) >
        TUNE_IR_MAX_RANK / 2)
      return false;
  return true;
}

static bool find_transposed(MlirOperation op, intptr_t image, transposed *out) {
  *out = (transposed){.image = image, .filter = 1 - image, .phases = 1};
  if (!tune_nest_maps_read(op, &out->nest) ||
      !mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetOperand(op, 0))) ||
      !mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetOperand(op, 1))) || !has_room(op) ||
      !may_begin_with_zero(op) ||
      !tune_spread_find(mlirOperationGetOperand(op, image), &out->apart))
    return false;
  for (intptr_t d = 0; d < out->apart.rank; ++d) {
    if (!find_along(out, d, &out->dimensions[d]))
      return false;
    out->phases *= out->dimensions[d].step;
  }
  return find_channels(out);
}

//===--- What becomes of it --------------------------------------------------------===//

static void sizes_of(MlirValue value, int64_t *out_sizes) {
  MlirType type = mlirValueGetType(value);
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d)
    out_sizes[d] = mlirShapedTypeGetDimSize(type, d);
}

// An op on the elements of a tensor of `sizes`: what is read of `value` by `map`, and of `added`
// (which may be null) as it lies, summed up.
static MlirValue build_on_elements(const tune_ir_builder *b, MlirValue value, MlirAffineMap map,
                                   MlirValue added, intptr_t rank, const int64_t *sizes) {
  MlirType element = tune_ir_element_type(mlirValueGetType(value)),
           type = mlirRankedTensorTypeGet(rank, sizes, element, (MlirAttribute){NULL});
  MlirAffineMap same = mlirAffineMapMultiDimIdentityGet(b->context, rank),
                maps[] = {map, same, same};
  MlirValue operands[] = {value, added, {NULL}};
  intptr_t inputs = mlirValueIsNull(added) ? 1 : 2;
  operands[inputs] = tune_ir_build_value(b, "tensor.empty", type, 0, NULL);
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  for (intptr_t i = 0; i <= inputs; ++i)
    mlirBlockAddArgument(block, element, b->location);
  tune_ir_builder body = tune_ir_builder_at_end(block, b->location);
  MlirValue read = mlirBlockGetArgument(block, 0);
  if (inputs == 2)
    read = tune_ir_build_binary(&body, mlirTypeIsAFloat(element) ? "arith.addf" : "arith.addi",
                                read, mlirBlockGetArgument(block, 1));
  tune_ir_build(&body,
                &(tune_ir_parts){.name = "linalg.yield", .operand_count = 1, .operands = &read});
  MlirOperation op = tune_tensor_generic(b, inputs + 1, operands, maps, tune_ir_make_region(block));
  return mlirOperationGetResult(op, 0);
}

static MlirValue build_turned(const tune_ir_builder *b, MlirValue value, MlirAffineMap map,
                              intptr_t rank, const int64_t *sizes) {
  return build_on_elements(b, value, map, (MlirValue){NULL}, rank, sizes);
}

// The image as it was, with the zeroes around it that the new window reads.
static MlirValue build_image(const tune_ir_builder *b, const transposed *t) {
  int64_t low[TUNE_IR_MAX_RANK], high[TUNE_IR_MAX_RANK], sizes[TUNE_IR_MAX_RANK];
  const int64_t none[TUNE_IR_MAX_RANK] = {0};
  bool is_cut = false, is_padded = false;
  for (intptr_t d = 0; d < t->apart.rank; ++d) {
    const along *a = &t->dimensions[d];
    int64_t size = sizes[d] = t->apart.sizes[d];
    low[d] = a->step > 1 ? -a->first : t->apart.offsets[d];
    high[d] = a->step > 1 ? a->first + a->count + a->taps - 1 - size
                          : t->apart.whole_sizes[d] - size - low[d];
    // Pixels that no output sees.
    if (high[d] < 0) {
      sizes[d] += high[d];
      high[d] = 0;
      is_cut = true;
    }
    is_padded |= low[d] > 0 || high[d] > 0;
  }
  MlirValue image = t->apart.source;
  if (is_cut)
    image = tune_tensor_slice(b, image, none, sizes);
  return is_padded ? tune_tensor_pad(b, image, low, high, 0) : image;
}

// The dimension of the image with phases whose taps are dimension `d` of the filter, or -1.
static intptr_t taps_of(const transposed *t, intptr_t d) {
  for (intptr_t i = 0; i < t->apart.rank; ++i)
    if (t->dimensions[i].step > 1 && t->dimensions[i].filter_dimension == d)
      return i;
  return -1;
}

// The filter with zeroes at its end, so that all phases have as many taps, and the phases' channels
// before its own: phase p, the one after which p - 1 others lie, has the taps s t + s - 1 - p.
static MlirValue build_filter(const tune_ir_builder *b, const transposed *t) {
  MlirValue filter = mlirOperationGetOperand(t->nest.op, t->filter);
  MlirContext context = b->context;
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(mlirValueGetType(filter)), split = 0, turned = 0;
  int64_t sizes[TUNE_IR_MAX_RANK], more[TUNE_IR_MAX_RANK] = {0}, apart[TUNE_IR_MAX_RANK],
                                   beside[TUNE_IR_MAX_RANK], joined[TUNE_IR_MAX_RANK];
  const int64_t none[TUNE_IR_MAX_RANK] = {0};
  intptr_t members[TUNE_IR_MAX_RANK], groups[TUNE_IR_MAX_RANK], phase_at[TUNE_IR_MAX_RANK],
      at[TUNE_IR_MAX_RANK];
  sizes_of(filter, sizes);
  bool is_padded = false;
  for (intptr_t d = 0; d < rank; ++d) {
    intptr_t i = taps_of(t, d);
    members[d] = i < 0 ? 1 : 2;
    apart[split++] = i < 0 ? sizes[d] : t->dimensions[i].taps;
    if (i < 0)
      continue;
    apart[split++] = t->dimensions[i].step;
    more[d] = t->dimensions[i].taps * t->dimensions[i].step - sizes[d];
    is_padded |= more[d] > 0;
  }
  // The turned filter: its dimensions in their order, and the phases' before the channels.
  for (intptr_t d = 0; d < rank; ++d) {
    intptr_t i = taps_of(t, d);
    groups[d] = 1;
    joined[d] = i < 0 ? sizes[d] : t->dimensions[i].taps;
    if (d == t->channels_in_filter) {
      for (intptr_t p = 0; p < t->apart.rank; ++p)
        if (t->dimensions[p].step > 1) {
          phase_at[p] = turned;
          beside[turned++] = t->dimensions[p].step;
          groups[d] += 1;
        }
      joined[d] *= t->phases;
    }
    at[d] = turned;
    beside[turned++] = i < 0 ? sizes[d] : t->dimensions[i].taps;
  }
  MlirAffineExpr read[TUNE_IR_MAX_RANK];
  intptr_t next = 0;
  for (intptr_t d = 0; d < rank; ++d) {
    intptr_t i = taps_of(t, d);
    read[next++] = mlirAffineDimExprGet(context, at[d]);
    if (i >= 0)
      read[next++] =
          mlirAffineAddExprGet(mlirAffineMulExprGet(mlirAffineDimExprGet(context, phase_at[i]),
                                                    mlirAffineConstantExprGet(context, -1)),
                               mlirAffineConstantExprGet(context, t->dimensions[i].step - 1));
  }
  if (is_padded)
    filter = tune_tensor_pad(b, filter, none, more, 0);
  filter = tune_tensor_reshape(b, filter, split, apart, members);
  filter =
      build_turned(b, filter, mlirAffineMapGet(context, turned, 0, next, read), turned, beside);
  return tune_tensor_reshape(b, filter, rank, joined, groups);
}

// The convolution itself: the loops, the indices and the body of the one that it is instead of.
static MlirValue build_convolution(const tune_ir_builder *b, const transposed *t) {
  int64_t sizes[TUNE_IR_MAX_RANK];
  MlirType before = mlirValueGetType(mlirOperationGetResult(t->nest.op, 0));
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(before);
  sizes_of(mlirOperationGetResult(t->nest.op, 0), sizes);
  sizes[t->channels_in_result] *= t->phases;
  for (intptr_t d = 0; d < t->apart.rank; ++d)
    if (t->dimensions[d].step > 1)
      sizes[t->dimensions[d].result_dimension] = t->dimensions[d].count;
  MlirType element = mlirShapedTypeGetElementType(before),
           type = mlirRankedTensorTypeGet(rank, sizes, element, (MlirAttribute){NULL});
  MlirValue operands[TUNE_SPREAD_OPERANDS];
  operands[t->image] = build_image(b, t);
  operands[t->filter] = build_filter(b, t);
  MlirValue empty = tune_ir_build_value(b, "tensor.empty", type, 0, NULL),
            zero = tune_ir_build_number(b, element, 0);
  operands[2] = mlirOperationGetResult(tune_ir_build_fill(b, zero, empty), 0);
  // It alone has the mark of the op, for choices.
  return tune_nest_maps_build(&t->nest, operands, t->nest.maps);
}

// The dimension of the image with phases that dimension `d` of the result has the places of, or -1.
static intptr_t places_of(const transposed *t, intptr_t d) {
  for (intptr_t i = 0; i < t->apart.rank; ++i)
    if (t->dimensions[i].step > 1 && t->dimensions[i].result_dimension == d)
      return i;
  return -1;
}

// Phases from the channels to between the places, and what is beyond the result cut off.
static MlirValue build_result(const tune_ir_builder *b, const transposed *t, MlirValue value) {
  MlirContext context = b->context;
  int64_t sizes[TUNE_IR_MAX_RANK], wanted[TUNE_IR_MAX_RANK],
      offsets[TUNE_IR_MAX_RANK] = {0}, apart[TUNE_IR_MAX_RANK], beside[TUNE_IR_MAX_RANK],
      joined[TUNE_IR_MAX_RANK];
  intptr_t members[TUNE_IR_MAX_RANK], groups[TUNE_IR_MAX_RANK], at[TUNE_IR_MAX_RANK],
      phase_at[TUNE_IR_MAX_RANK], split = 0, turned = 0, next = 0;
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(mlirValueGetType(value));
  sizes_of(value, sizes);
  sizes_of(mlirOperationGetResult(t->nest.op, 0), wanted);
  bool is_cut = false;
  for (intptr_t d = 0; d < rank; ++d) {
    intptr_t i = places_of(t, d);
    at[d] = turned;
    beside[turned++] = joined[d] = d == t->channels_in_result ? wanted[d] : sizes[d];
    groups[d] = i < 0 ? 1 : 2;
    if (i < 0)
      continue;
    const along *a = &t->dimensions[i];
    phase_at[i] = turned;
    beside[turned++] = a->step;
    joined[d] *= a->step;
    offsets[d] = a->step - 1 - t->apart.offsets[i] - a->step * a->first;
    is_cut |= joined[d] != wanted[d];
  }
  MlirAffineExpr read[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < rank; ++d) {
    members[d] = 1;
    for (intptr_t p = 0; d == t->channels_in_result && p < t->apart.rank; ++p)
      if (t->dimensions[p].step > 1) {
        apart[split++] = t->dimensions[p].step;
        read[next++] = mlirAffineDimExprGet(context, phase_at[p]);
        members[d] += 1;
      }
    apart[split++] = d == t->channels_in_result ? wanted[d] : sizes[d];
    read[next++] = mlirAffineDimExprGet(context, at[d]);
  }
  value = tune_tensor_reshape(b, value, split, apart, members);
  value = build_turned(b, value, mlirAffineMapGet(context, turned, 0, next, read), turned, beside);
  value = tune_tensor_reshape(b, value, rank, joined, groups);
  return is_cut ? tune_tensor_slice(b, value, offsets, wanted) : value;
}

// `value`, with what the op began with added where that is not zero.
static MlirValue add_initial(const tune_ir_builder *b, const transposed *t, MlirValue value) {
  double number;
  MlirValue initial = mlirOperationGetOperand(t->nest.op, 2);
  if (tune_constant_value(initial, &number) && number == 0)
    return value;
  int64_t sizes[TUNE_IR_MAX_RANK];
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(mlirValueGetType(value));
  sizes_of(value, sizes);
  return build_on_elements(b, value, mlirAffineMapMultiDimIdentityGet(b->context, rank), initial,
                           rank, sizes);
}

static void take_apart(const transposed *t) {
  static const char *const DIALECTS[] = {"arith", "linalg", "tensor", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(t->nest.op), DIALECTS);
  tune_ir_builder b = tune_ir_builder_before(t->nest.op);
  b.location = tune_marks_without(b.location);
  MlirValue result = build_result(&b, t, build_convolution(&b, t));
  MlirOperation insert = tune_ir_definition(mlirOperationGetOperand(t->nest.op, t->image));
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(t->nest.op, 0), add_initial(&b, t, result));
  mlirOperationDestroy(t->nest.op);
  tune_spread_drop(insert);
}

bool tune_normalize_phases(MlirOperation root) {
  tune_op_list ops = {0};
  tune_spread_list_products(root, &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    transposed found;
    if (find_transposed(ops.ops[i], 0, &found) || find_transposed(ops.ops[i], 1, &found))
      take_apart(&found);
  }
  tune_op_list_deinit(&ops);
  return !ops.failed;
}
