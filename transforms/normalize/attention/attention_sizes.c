//===- attention_sizes.c --------------------------------------------------------------===//

#include "transforms/normalize/attention/attention_sizes.h"

#include "transforms/ir/constant_value.h"
#include "transforms/ir/op_list.h"
#include "transforms/normalize/attention/attention_keys.h"
#include "transforms/normalize/dead_results.h"
#include "transforms/normalize/marks.h"
#include "transforms/normalize/spread.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <math.h>

// What rule `attention` takes: blocks of rows by fours, all else in vectors of AVX-512.
enum {
  ROWS = 4,
  LEAST_BLOCK = 8,
  MOST_BLOCK = 32,
  VECTOR = 16,
  TWELVE = 12,
  LEAST_ROWS = 16,
  LEAST_KEYS = 32
};

#define MOST_ADDED 1.25
#define MOST_FOR_TWELVES 1.04

// The sizes that attention has, and that it is to have.
typedef struct sizes {
  int64_t rows, keys, width, cols;
} sizes;

// Rows are taken in blocks of equal size, that fit a cache.
static bool falls_into_blocks(int64_t rows) {
  for (int64_t block = MOST_BLOCK; block >= LEAST_BLOCK; block -= ROWS)
    if (rows % block == 0 && rows > block)
      return true;
  return false;
}

static int64_t round_up(int64_t size, int64_t unit) { return (size + unit - 1) / unit * unit; }

// Blocks of twelve are tiles of twelve rows or of six, whichever fill the registers best: 204 rows
// take 0.97 of the time of 200 with AVX-512, and 0.89 with AVX2 (6 x 208 keys).
static int64_t round_rows(int64_t rows, int64_t most) {
  int64_t least = rows, twelves = round_up(rows, TWELVE);
  while (least % ROWS != 0 || !falls_into_blocks(least))
    ++least;
  bool keeps_halves = least % (2 * ROWS) != 0 || twelves % (2 * ROWS) == 0; // for threads
  return least > rows && twelves > TWELVE && twelves <= most && keeps_halves &&
                 (double)twelves <= MOST_FOR_TWELVES * (double)least
             ? twelves
             : least;
}

static double products(const sizes *s) {
  return (double)s->rows * (double)s->keys * (double)(s->width + s->cols);
}

// Whether attention of the sizes `from` is to have others.
static bool find_sizes(const tune_attention_values *values, sizes *from, sizes *to) {
  const tune_attention_factors *scores = &values->scores, *product = &values->product;
  *from = (sizes){.rows = scores->nest.extents[scores->left],
                  .keys = scores->nest.extents[scores->right],
                  .width = scores->nest.extents[scores->depth],
                  .cols = product->nest.extents[product->right]};
  *to = (sizes){.rows = 1,
                .keys = round_up(from->keys, VECTOR),
                .width = round_up(from->width, VECTOR),
                .cols = round_up(from->cols, VECTOR)};
  double most = MOST_ADDED * products(from) / products(to); // rows
  to->rows = round_rows(from->rows, (int64_t)most);
  return products(to) > products(from) && products(to) <= MOST_ADDED * products(from) &&
         from->rows >= LEAST_ROWS && from->keys >= LEAST_KEYS;
}

//===--- Larger tensors -----------------------------------------------------------------===//

static MlirType with_size(MlirType type, intptr_t dimension, int64_t size) {
  int64_t all[TUNE_IR_MAX_RANK];
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  for (intptr_t d = 0; d < rank; ++d)
    all[d] = d == dimension ? size : mlirShapedTypeGetDimSize(type, d);
  return mlirRankedTensorTypeGet(rank, all, mlirShapedTypeGetElementType(type),
                                 (MlirAttribute){NULL});
}

// `part` in `into`, from `offset` along `dimension` on.
static MlirValue insert(const tune_ir_builder *b, MlirValue part, MlirValue into,
                        intptr_t dimension, int64_t offset) {
  MlirType type = mlirValueGetType(part);
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  int64_t offsets[TUNE_IR_MAX_RANK] = {0}, all[TUNE_IR_MAX_RANK], ones[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < rank; ++d) {
    offsets[d] = d == dimension ? offset : 0;
    all[d] = mlirShapedTypeGetDimSize(type, d);
    ones[d] = 1;
  }
  MlirNamedAttribute attributes[] = {
      tune_ir_named(b->context, "static_offsets", mlirDenseI64ArrayGet(b->context, rank, offsets)),
      tune_ir_named(b->context, "static_sizes", mlirDenseI64ArrayGet(b->context, rank, all)),
      tune_ir_named(b->context, "static_strides", mlirDenseI64ArrayGet(b->context, rank, ones)),
      tune_ir_named(b->context, "operandSegmentSizes",
                    mlirDenseI32ArrayGet(b->context, 5, (int32_t[]){1, 1, 0, 0, 0}))};
  MlirType result = mlirValueGetType(into);
  return tune_ir_build_result(b, &(tune_ir_parts){.name = "tensor.insert_slice",
                                                  .operand_count = 2,
                                                  .operands = (MlirValue[]){part, into},
                                                  .type_count = 1,
                                                  .types = &result,
                                                  .attribute_count = 4,
                                                  .attributes = attributes});
}

static MlirValue zeroes(const tune_ir_builder *b, MlirType type) {
  MlirType element = mlirShapedTypeGetElementType(type);
  MlirAttribute zero = mlirTypeIsAFloat(element) ? mlirFloatAttrDoubleGet(b->context, element, 0)
                                                 : mlirIntegerAttrGet(element, 0);
  return tune_ir_build_constant(b, type, mlirDenseElementsAttrSplatGet(type, zero));
}

// `value` with zeroes behind it along `dimension`, so that it has `size` there.
static MlirValue lengthen(const tune_ir_builder *b, MlirValue value, intptr_t dimension,
                          int64_t size) {
  MlirType type = mlirValueGetType(value);
  int64_t before = mlirShapedTypeGetDimSize(type, dimension);
  if (before == size)
    return value;
  MlirValue empty =
      tune_ir_build_value(b, "tensor.empty", with_size(type, dimension, size), 0, NULL);
  MlirValue rest = zeroes(b, with_size(type, dimension, size - before));
  return insert(b, rest, insert(b, value, empty, dimension, 0), dimension, before);
}

//===--- Operands -----------------------------------------------------------------------===//

// The size that loop `loop` is to have.
typedef struct loop_sizes {
  int64_t of[TUNE_IR_MAX_LOOPS]; // 0: as it is
} loop_sizes;

static bool grows(const tune_nest_maps *n, intptr_t o, const loop_sizes *to) {
  bool grows = false;
  for (intptr_t loop = 0; loop < n->loop_count; ++loop)
    grows |= to->of[loop] != 0 && to->of[loop] != n->extents[loop] &&
             tune_nest_maps_has(n->maps[o], loop);
  return grows;
}

// Operand `o` of `n` for loops of other sizes.
static MlirValue lengthen_operand(const tune_nest_maps *n, intptr_t o, const loop_sizes *to) {
  tune_ir_builder b = tune_ir_builder_before(n->op);
  b.location = tune_marks_without(b.location);
  MlirValue operand = mlirOperationGetOperand(n->op, o);
  MlirType type = mlirValueGetType(operand);
  bool is_output = o + 1 == n->operand_count;
  double number;
  bool is_number = tune_constant_exact_value(operand, &number);
  bool is_empty = is_output && tune_ir_is(tune_ir_definition(operand), "tensor.empty");
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(n->maps[o]); ++d) {
    intptr_t loop = tune_nest_maps_loop(n->maps[o], d);
    if (loop < 0 || to->of[loop] == 0)
      continue;
    if (is_number || is_empty)
      type = with_size(type, d, to->of[loop]);
    else
      operand = lengthen(&b, operand, d, to->of[loop]);
  }
  if (!is_number && !is_empty)
    return operand;
  MlirValue empty = tune_ir_build_value(&b, "tensor.empty", type, 0, NULL);
  if (is_empty)
    return empty;
  MlirValue filler = tune_ir_build_number(&b, mlirShapedTypeGetElementType(type), number);
  return mlirOperationGetResult(tune_ir_build_fill(&b, filler, empty), 0);
}

// Whether the operands of `n` that are none of `values` can have other sizes of rows and keys.
static bool can_grow(const tune_attention_values *values, const tune_nest_maps *n,
                     const tune_attention_axis *axes) {
  for (intptr_t o = 0; o < n->operand_count; ++o) {
    MlirValue operand = mlirOperationGetOperand(n->op, o);
    if (tune_attention_values_index(values, operand) != TUNE_ATTENTION_VALUES)
      continue;
    MlirType element = tune_ir_element_type(mlirValueGetType(operand));
    if (!mlirTypeIsAFloat(element) && !mlirTypeIsAInteger(element))
      return false;
    for (intptr_t d = 0; d < mlirAffineMapGetNumResults(n->maps[o]); ++d)
      for (intptr_t loop = 0; loop < n->loop_count; ++loop)
        if (axes[loop] != TUNE_ATTENTION_OTHER && tune_nest_maps_loop(n->maps[o], d) != loop &&
            mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(n->maps[o], d), loop))
          return false;
  }
  return true;
}

static bool all_can_grow(const tune_attention_values *values) {
  for (size_t i = 1; i < values->count; ++i) {
    tune_nest_maps n;
    tune_attention_axis axes[TUNE_IR_MAX_LOOPS];
    if (tune_nest_maps_read_any(tune_ir_definition(values->values[i].value), &n) &&
        (!tune_attention_values_loops(values, &n, axes) || !can_grow(values, &n, axes)))
      return false;
  }
  return true;
}

//===--- Ops ----------------------------------------------------------------------------===//

static int64_t size_of_axis(const sizes *to, tune_attention_axis axis) {
  return axis == TUNE_ATTENTION_ROWS ? to->rows : axis == TUNE_ATTENTION_KEYS ? to->keys : 0;
}

static MlirType grown_type(const tune_attention_value *v, const sizes *to) {
  MlirType type = mlirValueGetType(v->value);
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d)
    if (v->axes[d] != TUNE_ATTENTION_OTHER)
      type = with_size(type, d, size_of_axis(to, v->axes[d]));
  return type;
}

static void set_type(const tune_attention_value *v, const sizes *to) {
  MlirType type = grown_type(v, to);
  mlirValueSetType(v->value, type);
  MlirOperation op = tune_ir_definition(v->value);
  if (!tune_ir_is(op, "tensor.expand_shape"))
    return;
  int64_t all[TUNE_IR_MAX_RANK];
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  for (intptr_t d = 0; d < rank; ++d)
    all[d] = mlirShapedTypeGetDimSize(type, d);
  mlirOperationSetAttributeByName(op, tune_ir_string("static_output_shape"),
                                  mlirDenseI64ArrayGet(mlirOperationGetContext(op), rank, all));
}

// The operands that are none of `values` for loops of the sizes `to`.
static void grow_operands(const tune_attention_values *values, const tune_nest_maps *n,
                          const loop_sizes *to) {
  for (intptr_t o = 0; o < n->operand_count; ++o)
    if (grows(n, o, to) && tune_attention_values_index(values, mlirOperationGetOperand(n->op, o)) ==
                               TUNE_ATTENTION_VALUES)
      mlirOperationSetOperand(n->op, o, lengthen_operand(n, o, to));
}

// The operands of what makes value `index`, before types change: loops have the sizes of these.
static void grow_between(const tune_attention_values *values, size_t index, const sizes *to) {
  MlirOperation op = tune_ir_definition(values->values[index].value);
  tune_nest_maps n;
  tune_attention_axis axes[TUNE_IR_MAX_LOOPS];
  loop_sizes loops = {{0}};
  if (tune_nest_maps_read_any(op, &n) && tune_attention_values_loops(values, &n, axes)) {
    for (intptr_t loop = 0; loop < n.loop_count; ++loop)
      loops.of[loop] = size_of_axis(to, axes[loop]);
    grow_operands(values, &n, &loops);
  } else if (tune_ir_is(op, "linalg.softmax")) {
    tune_ir_builder b = tune_ir_builder_before(op);
    MlirType type = grown_type(&values->values[index], to);
    mlirOperationSetOperand(op, 1, tune_ir_build_value(&b, "tensor.empty", type, 0, NULL));
  }
}

static void grow_product(const tune_attention_values *values, const tune_attention_factors *p,
                         int64_t left, int64_t right, int64_t depth) {
  loop_sizes loops = {{0}};
  loops.of[p->left] = left;
  loops.of[p->right] = right;
  loops.of[p->depth] = depth;
  grow_operands(values, &p->nest, &loops);
}

//===--- Keys that there are not ------------------------------------------------------------===//

// In a body, at `b`: `value` where the index `dimension` is below `keys`, or else -inf.
static MlirValue hide(const tune_ir_builder *b, MlirValue value, intptr_t dimension, int64_t keys) {
  MlirType f32 = mlirValueGetType(value);
  MlirValue key = tune_tensor_index(b, dimension);
  MlirValue is_there = tune_ir_build_compare(b, "ult", key, tune_ir_build_index(b, keys));
  MlirValue least =
      tune_ir_build_constant(b, f32, mlirFloatAttrDoubleGet(b->context, f32, -INFINITY));
  return tune_ir_build_select(b, is_there, value, least);
}

// An op on elements behind what makes `v`, which hides keys; all else reads its result.
static void hide_behind(const tune_attention_value *v, intptr_t dimension, int64_t keys) {
  MlirOperation op = tune_ir_definition(v->value);
  tune_ir_builder b = tune_ir_builder_before(mlirOperationGetNextInBlock(op));
  b.location = tune_marks_without(mlirOperationGetLocation(op));
  MlirType type = mlirValueGetType(v->value), element = mlirShapedTypeGetElementType(type);
  MlirAffineMap map = mlirAffineMapMultiDimIdentityGet(b.context, mlirShapedTypeGetRank(type));
  MlirBlock block =
      mlirBlockCreate(2, (MlirType[]){element, element}, (MlirLocation[]){b.location, b.location});
  tune_ir_builder inside = tune_ir_builder_at_end(block, b.location);
  MlirValue hidden = hide(&inside, mlirBlockGetArgument(block, 0), dimension, keys);
  tune_ir_build(&inside,
                &(tune_ir_parts){.name = "linalg.yield", .operand_count = 1, .operands = &hidden});
  MlirValue empty = tune_ir_build_value(&b, "tensor.empty", type, 0, NULL);
  MlirValue operands[] = {empty, empty};
  MlirOperation generic =
      tune_tensor_generic(&b, 2, operands, (MlirAffineMap[]){map, map}, tune_ir_make_region(block));
  mlirValueReplaceAllUsesOfWith(v->value, mlirOperationGetResult(generic, 0));
  mlirOperationSetOperand(generic, 0, v->value);
}

static void hide_keys(const tune_attention_values *values, int64_t keys) {
  const tune_attention_value *v = &values->values[values->masked];
  MlirOperation op = tune_ir_definition(v->value);
  intptr_t dimension = 0;
  while (v->axes[dimension] != TUNE_ATTENTION_KEYS)
    ++dimension;
  tune_nest_maps n;
  if (values->masked == 0 || !tune_ir_is(op, "linalg.generic") ||
      !tune_nest_maps_read_any(op, &n)) {
    hide_behind(v, dimension, keys);
    return;
  }
  MlirOperation yield = mlirBlockGetTerminator(tune_ir_body(op));
  tune_ir_builder b = tune_ir_builder_before(yield);
  intptr_t loop = tune_nest_maps_loop(tune_nest_maps_result(&n), dimension);
  mlirOperationSetOperand(yield, 0, hide(&b, mlirOperationGetOperand(yield, 0), loop, keys));
}

//===--- All of it ------------------------------------------------------------------------===//

// The result of the second product has more rows and columns: others read those that it had.
static void cut_result(const tune_attention_factors *p, const sizes *to) {
  MlirValue result = mlirOperationGetResult(p->nest.op, 0);
  MlirType before = mlirValueGetType(result), type = before;
  MlirAffineMap map = tune_nest_maps_result(&p->nest);
  int64_t offsets[TUNE_IR_MAX_RANK] = {0}, all[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(before); ++d) {
    intptr_t loop = tune_nest_maps_loop(map, d);
    all[d] = mlirShapedTypeGetDimSize(before, d);
    if (loop == p->left || loop == p->right)
      type = with_size(type, d, loop == p->left ? to->rows : to->cols);
  }
  if (mlirTypeEqual(type, before))
    return;
  tune_ir_builder b = tune_ir_builder_before(mlirOperationGetNextInBlock(p->nest.op));
  b.location = tune_marks_without(mlirOperationGetLocation(p->nest.op));
  mlirValueSetType(result, type);
  // Made of something else first: it is not to read itself.
  MlirValue other = tune_ir_build_value(&b, "tensor.empty", type, 0, NULL);
  MlirValue cut = tune_tensor_slice(&b, other, offsets, all);
  mlirValueReplaceAllUsesOfWith(result, cut);
  mlirOperationSetOperand(tune_ir_definition(cut), 0, result);
  mlirOperationDestroy(tune_ir_definition(other));
}

static void grow(const tune_attention_values *values, const sizes *from, const sizes *to) {
  grow_product(values, &values->scores, to->rows, to->keys, to->width);
  for (size_t i = 1; i < values->count; ++i)
    grow_between(values, i, to);
  grow_product(values, &values->product, to->rows, to->cols, to->keys);
  for (size_t i = 0; i < values->count; ++i)
    set_type(&values->values[i], to);
  cut_result(&values->product, to);
  if (to->keys > from->keys)
    hide_keys(values, from->keys);
}

// Whether a product of such sizes may be one to be grown: a cheap question.
static bool has_odd_sizes(MlirOperation op) {
  tune_nest_maps n;
  bool is_odd = false;
  if (tune_nest_maps_read(op, &n))
    for (intptr_t loop = 0; loop < n.loop_count; ++loop)
      is_odd |= n.extents[loop] >= LEAST_ROWS && n.extents[loop] % VECTOR != 0;
  return is_odd;
}

static void forget(tune_op_list *ops, MlirOperation op) {
  for (size_t i = 0; i < ops->count; ++i)
    if (mlirOperationEqual(ops->ops[i], op))
      ops->ops[i] = (MlirOperation){NULL};
}

// The product with the factor that has the rows first; it may be another op then. Factors may be
// multiplied in any order.
static MlirOperation with_rows_first(const tune_attention_factors *p) {
  if (p->rows == 0)
    return p->nest.op;
  MlirValue operands[] = {mlirOperationGetOperand(p->nest.op, 1),
                          mlirOperationGetOperand(p->nest.op, 0),
                          mlirOperationGetOperand(p->nest.op, 2)};
  const MlirAffineMap maps[] = {p->nest.maps[1], p->nest.maps[0], p->nest.maps[2]};
  MlirValue value = tune_nest_maps_build(&p->nest, operands, maps);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(p->nest.op, 0), value);
  mlirOperationDestroy(p->nest.op);
  return tune_ir_definition(value);
}

bool tune_normalize_attention_sizes(MlirOperation root) {
  static const char *const DIALECTS[] = {"arith", "linalg", "tensor", NULL};
  tune_op_list ops = {0};
  tune_spread_list_products(root, &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    tune_attention_values values;
    sizes from, to;
    if (mlirOperationIsNull(ops.ops[i]))
      continue;
    if (has_odd_sizes(ops.ops[i]))
      ops.failed |= !tune_dead_results_drop(mlirOperationGetResult(ops.ops[i], 0));
    if (!tune_attention_find(ops.ops[i], &values))
      continue;
    tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
    if (values.scores.rows || values.product.rows) {
      forget(&ops, values.product.nest.op);
      with_rows_first(&values.product);
      ops.ops[i] = with_rows_first(&values.scores);
      if (!tune_attention_find(ops.ops[i], &values))
        continue;
    }
    if (find_sizes(&values, &from, &to) && all_can_grow(&values))
      grow(&values, &from, &to);
  }
  tune_op_list_deinit(&ops);
  return !ops.failed;
}
