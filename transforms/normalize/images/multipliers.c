//===- multipliers.c --------------------------------------------------------------------===//

#include "transforms/normalize/images/multipliers.h"

#include "transforms/ir/constant_value.h"
#include "transforms/ir/ir.h"
#include "transforms/normalize/marks.h"
#include "transforms/normalize/nest_maps.h"
#include "transforms/normalize/spread.h"
#include "transforms/normalize/tensor_ops.h"
#include "transforms/normalize/turns.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinTypes.h"

// More results are vectors of their own; fewer in all are no vector.
enum { MOST_RESULTS = 4, LEAST_CHANNELS = 16 };

// A depthwise convolution with a multiplier, by its loops and where they are in its operands.
typedef struct multiplied {
  tune_nest_maps nest;
  intptr_t image, filter;    // operands
  intptr_t channel, several; // loops
  intptr_t at_image, at_result;
  intptr_t at_filter[2];
  bool has_unit; // a dimension of one behind the channels of the image
} multiplied;

//===--- Finding ------------------------------------------------------------------------===//

// Whether the filter is read by windows, channels and results alone, an element of it by each, and
// the image by windows as well. Channels of a group, right behind the groups, are no window: each
// of the results would have a copy of all of them.
static bool has_windows(const multiplied *m) {
  const tune_nest_maps *n = &m->nest;
  MlirAffineMap image = n->maps[m->image], filter = n->maps[m->filter];
  intptr_t next = m->at_image + 1;
  intptr_t behind =
      next < mlirAffineMapGetNumResults(image) ? tune_nest_maps_loop(image, next) : -1;
  double windows = 1;
  for (intptr_t loop = 0; loop < n->loop_count; ++loop) {
    bool is_parallel = tune_nest_maps_has(tune_nest_maps_result(n), loop);
    bool is_own = loop == m->channel || loop == m->several;
    if (n->extents[loop] < 1 || (is_parallel && !is_own && tune_nest_maps_has(filter, loop)))
      return false;
    if (is_parallel || n->extents[loop] == 1)
      continue;
    if (loop == behind || !tune_nest_maps_has(image, loop) ||
        tune_nest_maps_dimension(filter, loop) < 0)
      return false;
    windows *= (double)n->extents[loop];
  }
  return windows >= 2 && tune_nest_maps_is_plain(filter);
}

static bool has_places(multiplied *m) {
  const tune_nest_maps *n = &m->nest;
  MlirAffineMap image = n->maps[m->image], filter = n->maps[m->filter];
  m->at_image = tune_nest_maps_only_dimension(image, m->channel);
  m->at_filter[0] = tune_nest_maps_dimension(filter, m->channel);
  m->at_filter[1] = tune_nest_maps_dimension(filter, m->several);
  if (m->at_image < 0 || m->at_filter[0] < 0 || m->at_filter[1] < 0 ||
      tune_nest_maps_has(image, m->several))
    return false;
  intptr_t rank = mlirAffineMapGetNumResults(image), next = m->at_image + 1;
  MlirType type = mlirValueGetType(mlirOperationGetOperand(n->op, m->image));
  m->has_unit = next < rank && mlirShapedTypeGetDimSize(type, next) == 1 &&
                mlirAffineExprIsAConstant(mlirAffineMapGetResult(image, next));
  return m->has_unit || rank < TUNE_IR_MAX_RANK;
}

static bool find(MlirOperation op, multiplied *m) {
  if (!tune_nest_maps_read(op, &m->nest) || m->nest.operand_count != 3)
    return false;
  tune_nest_maps_drop_units(&m->nest);
  const tune_nest_maps *n = &m->nest;
  MlirAffineMap result = tune_nest_maps_result(n);
  m->at_result = mlirAffineMapGetNumResults(result) - 2;
  if (m->at_result < 0)
    return false;
  m->channel = tune_nest_maps_loop(result, m->at_result);
  m->several = tune_nest_maps_loop(result, m->at_result + 1);
  if (m->channel < 0 || m->several < 0 || n->extents[m->channel] < 2 ||
      n->extents[m->several] < 2 || n->extents[m->several] > MOST_RESULTS ||
      n->extents[m->channel] * n->extents[m->several] < LEAST_CHANNELS)
    return false;
  for (m->image = 0; m->image < 2; ++m->image) {
    m->filter = 1 - m->image;
    if (has_places(m) && has_windows(m))
      return true;
  }
  return false;
}

//===--- Writing it anew ----------------------------------------------------------------===//

// `value` with the two dimensions from `at` on as one.
static MlirValue join(const tune_ir_builder *b, MlirValue value, intptr_t at) {
  int64_t sizes[TUNE_IR_MAX_RANK];
  intptr_t members[TUNE_IR_MAX_RANK];
  MlirType type = mlirValueGetType(value);
  intptr_t rank = mlirShapedTypeGetRank(type) - 1;
  for (intptr_t d = 0; d < rank; ++d) {
    members[d] = d == at ? 2 : 1;
    sizes[d] = mlirShapedTypeGetDimSize(type, d <= at ? d : d + 1);
    if (d == at)
      sizes[d] *= mlirShapedTypeGetDimSize(type, at + 1);
  }
  if (tune_ir_is(tune_ir_definition(value), "tensor.empty"))
    return tune_ir_build_value(b, "tensor.empty",
                               mlirRankedTensorTypeGet(rank, sizes,
                                                       mlirShapedTypeGetElementType(type),
                                                       (MlirAttribute){NULL}),
                               0, NULL);
  return tune_tensor_reshape(b, value, rank, sizes, members);
}

// `value` with dimension `at` as one of it over `inner`, and one of `inner`.
static MlirValue part(const tune_ir_builder *b, MlirValue value, intptr_t at, int64_t inner) {
  int64_t sizes[TUNE_IR_MAX_RANK];
  intptr_t members[TUNE_IR_MAX_RANK];
  MlirType type = mlirValueGetType(value);
  intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t d = 0; d < rank; ++d) {
    members[d] = d == at ? 2 : 1;
    sizes[d < at ? d : d + 1] = mlirShapedTypeGetDimSize(type, d);
  }
  sizes[at] = mlirShapedTypeGetDimSize(type, at) / inner;
  sizes[at + 1] = inner;
  return tune_tensor_reshape(b, value, rank + 1, sizes, members);
}

// The tensor.pad by numbers that makes `value`, but not along dimension `at`.
typedef struct borders {
  int64_t low[TUNE_IR_MAX_RANK], high[TUNE_IR_MAX_RANK];
  double number;
} borders;

static bool find_borders(MlirValue value, intptr_t at, borders *out) {
  MlirOperation op = tune_ir_definition(value);
  intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(value));
  if (mlirOperationIsNull(op) || !tune_ir_is(op, "tensor.pad") || !tune_turn_is_part(op) ||
      !tune_tensor_is_plain(mlirValueGetType(mlirOperationGetOperand(op, 0))) ||
      !tune_tensor_read_numbers(op, "static_low", rank, out->low) ||
      !tune_tensor_read_numbers(op, "static_high", rank, out->high) || out->low[at] != 0 ||
      out->high[at] != 0)
    return false;
  MlirOperation yield = mlirBlockGetFirstOperation(tune_ir_body(op));
  return tune_constant_exact_value(mlirOperationGetOperand(yield, 0), &out->number);
}

// Whether `op` makes a dimension of one behind dimension `at`, and nothing else.
static bool adds_unit(MlirOperation op, intptr_t at) {
  if (mlirOperationIsNull(op) || !tune_ir_is(op, "tensor.expand_shape"))
    return false;
  MlirType few = mlirValueGetType(mlirOperationGetOperand(op, 0));
  MlirType many = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (mlirShapedTypeGetRank(few) + 1 != mlirShapedTypeGetRank(many) ||
      mlirShapedTypeGetDimSize(many, at + 1) != 1)
    return false;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(few); ++d)
    if (mlirShapedTypeGetDimSize(few, d) != mlirShapedTypeGetDimSize(many, d <= at ? d : d + 1))
      return false;
  return true;
}

// Each channel of the image as often as it has results, beside each other.
static MlirValue repeat_channels(const tune_ir_builder *b, const multiplied *m) {
  MlirValue image = mlirOperationGetOperand(m->nest.op, m->image);
  intptr_t at = m->at_image;
  borders around;
  if (m->has_unit)
    image = adds_unit(tune_ir_definition(image), at)
                ? mlirOperationGetOperand(tune_ir_definition(image), 0)
                : join(b, image, at);
  bool has_borders = find_borders(image, at, &around);
  if (has_borders)
    image = mlirOperationGetOperand(tune_ir_definition(image), 0);
  MlirValue one = part(b, image, at, 1);
  MlirType type = mlirValueGetType(one);
  intptr_t rank = mlirShapedTypeGetRank(type);
  int64_t sizes[TUNE_IR_MAX_RANK];
  MlirAffineExpr indices[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < rank; ++d) {
    sizes[d] = d == at + 1 ? m->nest.extents[m->several] : mlirShapedTypeGetDimSize(type, d);
    indices[d] = d == at + 1 ? mlirAffineConstantExprGet(b->context, 0)
                             : mlirAffineDimExprGet(b->context, d);
  }
  MlirType many = mlirRankedTensorTypeGet(rank, sizes, mlirShapedTypeGetElementType(type),
                                          (MlirAttribute){NULL});
  MlirValue empty = tune_ir_build_value(b, "tensor.empty", many, 0, NULL);
  MlirAffineMap map = mlirAffineMapGet(b->context, rank, 0, rank, indices);
  MlirValue repeated = join(b, tune_tensor_copy(b, one, map, empty), at);
  return has_borders ? tune_tensor_pad(b, repeated, around.low, around.high, around.number)
                     : repeated;
}

// The filter with results behind their channel, as one dimension, which is `*out_at`. `*map` is
// changed with it.
static MlirValue join_filter(const tune_ir_builder *b, const multiplied *m, MlirAffineMap *map,
                             intptr_t *out_at) {
  MlirValue filter = mlirOperationGetOperand(m->nest.op, m->filter);
  intptr_t channel = m->at_filter[0], several = m->at_filter[1];
  *out_at = channel;
  if (several != channel + 1) {
    tune_turn turn = {.rank = mlirShapedTypeGetRank(mlirValueGetType(filter))};
    intptr_t left = 0;
    for (intptr_t d = 0; d < turn.rank; ++d)
      if (d != channel && d != several)
        turn.of[left++] = d;
    turn.of[left] = channel;
    turn.of[left + 1] = several;
    *out_at = left;
    filter = tune_turn_copy(b, &turn, filter);
    *map = tune_turn_map(&turn, *map);
  }
  return join(b, filter, *out_at);
}

// `map` with loop `loop` as dimension `at`, and the one behind it left out where that was a part.
static MlirAffineMap join_map(MlirAffineMap map, intptr_t at, intptr_t loop, bool leaves_out) {
  MlirContext context = mlirAffineMapGetContext(map);
  MlirAffineExpr indices[TUNE_IR_MAX_RANK];
  intptr_t rank = 0;
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); ++d)
    if (d != at + 1 || !leaves_out)
      indices[rank++] =
          d == at ? mlirAffineDimExprGet(context, loop) : mlirAffineMapGetResult(map, d);
  return mlirAffineMapGet(context, mlirAffineMapGetNumDims(map), 0, rank, indices);
}

//===--- What reads it ------------------------------------------------------------------===//

// Two dimensions of a value, channels and their results, and that with both as one.
typedef struct parted {
  MlirValue value, joined;
  intptr_t at;
} parted;

static parted part_again(const tune_ir_builder *b, MlirValue joined, intptr_t at, int64_t inner) {
  return (parted){part(b, joined, at, inner), joined, at};
}

// Whether `op` is one on elements, of which no operand has channels or their results, dimensions
// `at` and the next of what it makes, alone.
static bool can_join(MlirOperation op, intptr_t at, tune_nest_maps *n) {
  if (mlirOperationIsNull(op) || !tune_nest_maps_read(op, n) || tune_nest_maps_reduces(n) ||
      !mlirAffineMapIsIdentity(tune_nest_maps_result(n)) ||
      n->loop_count != mlirAffineMapGetNumResults(tune_nest_maps_result(n)))
    return false;
  for (intptr_t o = 0; o < n->operand_count; ++o) {
    MlirAffineMap map = n->maps[o];
    intptr_t channel = tune_nest_maps_dimension(map, at),
             several = tune_nest_maps_dimension(map, at + 1);
    bool has_channel = tune_nest_maps_has(map, at), has_several = tune_nest_maps_has(map, at + 1);
    if (has_channel != has_several ||
        (has_channel && (channel < 0 || several != channel + 1 || !tune_nest_maps_is_plain(map))))
      return false;
  }
  return true;
}

// The same over one dimension less, before `n->op`. `p` is of what it reads, or NULL.
static MlirValue join_op(tune_nest_maps n, intptr_t at, const parted *p) {
  tune_ir_builder b = tune_ir_builder_before(n.op);
  MlirValue operands[TUNE_NEST_MAPS_OPERANDS];
  MlirAffineMap maps[TUNE_NEST_MAPS_OPERANDS];
  for (intptr_t o = 0; o < n.operand_count; ++o) {
    operands[o] = mlirOperationGetOperand(n.op, o);
    maps[o] = n.maps[o];
    intptr_t place = tune_nest_maps_dimension(maps[o], at);
    if (place < 0)
      continue;
    bool is_known = p && mlirValueEqual(operands[o], p->value);
    operands[o] = is_known ? p->joined : join(&b, operands[o], place);
    maps[o] = join_map(maps[o], place, at + 1, true);
  }
  n.extents[at + 1] *= n.extents[at];
  n.extents[at] = 1;
  return tune_nest_maps_build(&n, operands, maps);
}

// What the sums begin with: made anew where it can be, so that it stays beside the convolution.
static MlirValue join_start(const tune_ir_builder *b, MlirValue start, intptr_t at) {
  tune_nest_maps n;
  return can_join(tune_ir_definition(start), at, &n) ? join_op(n, at, NULL) : join(b, start, at);
}

static bool reads_as_it_lies(const tune_nest_maps *n, MlirValue value) {
  for (intptr_t o = 0; o < n->operand_count; ++o)
    if (mlirValueEqual(mlirOperationGetOperand(n->op, o), value) &&
        mlirAffineMapIsIdentity(n->maps[o]))
      return true;
  return false;
}

static bool joins_again(MlirOperation op, const parted *p) {
  return tune_ir_is(op, "tensor.collapse_shape") &&
         mlirTypeEqual(mlirValueGetType(mlirOperationGetResult(op, 0)),
                       mlirValueGetType(p->joined));
}

// Ops on elements that read `p` take it as it was before it was parted, and so on with what they
// make: they stay beside the convolution.
static void go_on(parted p) {
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (MlirOpOperand use = mlirValueGetFirstUse(p.value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      tune_nest_maps n;
      is_changed = true;
      if (joins_again(user, &p)) {
        mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(user, 0), p.joined);
        mlirOperationDestroy(user);
        break;
      }
      if (can_join(user, p.at, &n) && reads_as_it_lies(&n, p.value)) {
        tune_ir_builder b = tune_ir_builder_before(user);
        parted made = part_again(&b, join_op(n, p.at, &p), p.at, n.extents[p.at + 1]);
        mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(user, 0), made.value);
        mlirOperationDestroy(user);
        go_on(made);
        break;
      }
      is_changed = false;
    }
  }
}

static void write_anew(multiplied *m) {
  tune_nest_maps *n = &m->nest;
  tune_ir_builder b = tune_ir_builder_before(n->op);
  b.location = tune_marks_without(b.location); // the product alone is the op that was there
  MlirValue operands[3];
  MlirAffineMap maps[3], filter = n->maps[m->filter];
  intptr_t at_filter;
  int64_t several = n->extents[m->several];
  operands[m->image] = repeat_channels(&b, m);
  operands[m->filter] = join_filter(&b, m, &filter, &at_filter);
  operands[2] = join_start(&b, mlirOperationGetOperand(n->op, 2), m->at_result);
  maps[m->image] = join_map(n->maps[m->image], m->at_image, m->several, m->has_unit);
  maps[m->filter] = join_map(filter, at_filter, m->several, true);
  maps[2] = join_map(n->maps[2], m->at_result, m->several, true);
  n->extents[m->several] *= n->extents[m->channel];
  n->extents[m->channel] = 1;
  MlirValue joined = tune_nest_maps_build(n, operands, maps);
  parted made = part_again(&b, joined, m->at_result, several);
  MlirOperation op = n->op;
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), made.value);
  mlirOperationDestroy(op);
  go_on(made);
}

bool tune_normalize_multipliers(MlirOperation root) {
  static const char *const DIALECTS[] = {"arith", "linalg", "tensor", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
  tune_op_list products = {0};
  tune_spread_list_products(root, &products);
  for (size_t i = 0; i < products.count; ++i) {
    multiplied m;
    if (find(products.ops[i], &m))
      write_anew(&m);
  }
  tune_op_list_deinit(&products);
  return !products.failed;
}
