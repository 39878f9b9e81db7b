//===- normalize_zeroes.c - Filters that were filled up with zeroes ----------===//

#include "transforms/tasks/normalize_zeroes.h"

#include "transforms/ir/constant_value.h"
#include "transforms/ir/ir.h"
#include "transforms/structure/nest_body.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Dialect/Linalg.h"

enum { RANKS = 16, OPERANDS = 3 }; // of what is looked at; what has more dimensions stays

// Whether `op` is out + a * b, so that a factor of zero adds nothing.
static bool sums_products(MlirOperation op) {
  if (!tune_ir_string_starts(tune_ir_name(op), "linalg.") || mlirOperationGetNumRegions(op) != 1 ||
      mlirOperationGetNumOperands(op) != OPERANDS || mlirOperationGetNumResults(op) != 1 ||
      mlirBlockIsNull(tune_ir_body(op)))
    return false;
  tune_nest nest = {.kind = TUNE_NEST_GENERIC, .input_count = 2, .operand_count = OPERANDS};
  tune_nest_body_read(op, &nest);
  return nest.multiplies_and_adds;
}

static bool read_numbers(MlirOperation op, const char *name, intptr_t rank, int64_t *out_numbers) {
  MlirAttribute numbers = tune_ir_attribute(op, name);
  if (mlirAttributeIsNull(numbers) || !mlirAttributeIsADenseI64Array(numbers) ||
      mlirDenseArrayGetNumElements(numbers) != rank)
    return false;
  for (intptr_t i = 0; i < rank; ++i)
    out_numbers[i] = mlirDenseI64ArrayGetElement(numbers, i);
  return true;
}

// Elements of `source` in steps, with zeroes between them and after the last.
typedef struct spread {
  MlirValue source;
  intptr_t rank;
  int64_t steps[RANKS]; // 1 where nothing lies between
} spread;

// Whether `value` is one, of known sizes, which is as large as its source where steps are 1.
static bool find_spread(MlirValue value, spread *out_spread) {
  MlirOperation insert = tune_ir_definition(value);
  double filled;
  // Without operands but the two tensors, all numbers are known.
  if (!tune_ir_is(insert, "tensor.insert_slice") || mlirOperationGetNumOperands(insert) != 2 ||
      !tune_constant_value(mlirOperationGetOperand(insert, 1), &filled) || filled != 0)
    return false;
  MlirValue source = mlirOperationGetOperand(insert, 0);
  MlirType from = mlirValueGetType(source), to = mlirValueGetType(value);
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(to);
  int64_t offsets[RANKS];
  if (rank > RANKS || mlirShapedTypeGetRank(from) != rank || !mlirShapedTypeHasStaticShape(from) ||
      !mlirShapedTypeHasStaticShape(to) || !read_numbers(insert, "static_offsets", rank, offsets) ||
      !read_numbers(insert, "static_strides", rank, out_spread->steps))
    return false;
  bool is_apart = false;
  for (intptr_t d = 0; d < rank; ++d) {
    int64_t size = mlirShapedTypeGetDimSize(from, d), whole = mlirShapedTypeGetDimSize(to, d);
    // The only element along a dimension is in no steps.
    if (size == 1)
      out_spread->steps[d] = 1;
    if (offsets[d] != 0 || size == 0 || (out_spread->steps[d] == 1 && size != whole))
      return false;
    is_apart |= out_spread->steps[d] > 1;
  }
  out_spread->source = source;
  out_spread->rank = rank;
  return is_apart;
}

static MlirAffineMap map_of(MlirAttribute maps, intptr_t operand) {
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, operand));
}

static bool is_indexed_by(MlirAffineMap map, intptr_t loop) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i)
    if (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, i), loop))
      return true;
  return false;
}

// Whether `loop` is in some index of `map`, and has others beside it in each of these.
static bool slides(MlirAffineMap map, intptr_t loop) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i) {
    MlirAffineExpr index = mlirAffineMapGetResult(map, i);
    if (mlirAffineExprIsFunctionOfDim(index, loop) && !mlirAffineExprIsAAdd(index))
      return false;
  }
  return is_indexed_by(map, loop);
}

// The maps of `op`, whose operand `filter` is `apart`, for the source in its place: null where that
// is not all it takes.
static MlirAttribute spread_maps(MlirContext context, MlirAttribute maps, intptr_t filter,
                                 const spread *apart) {
  MlirAffineMap map = map_of(maps, filter), image = map_of(maps, 1 - filter);
  intptr_t loops = mlirAffineMapGetNumDims(map);
  for (intptr_t d = 0; d < apart->rank; ++d) {
    if (apart->steps[d] == 1)
      continue;
    MlirAffineExpr index = mlirAffineMapGetResult(map, d);
    if (!mlirAffineExprIsADim(index))
      return (MlirAttribute){NULL};
    intptr_t loop = mlirAffineDimExprGetPosition(index), uses = 0;
    for (intptr_t other = 0; other < apart->rank; ++other)
      uses += mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, other), loop);
    if (uses != 1 || is_indexed_by(map_of(maps, 2), loop) || !slides(image, loop))
      return (MlirAttribute){NULL};
    image = mlirAffineMapReplace(
        image, index,
        mlirAffineMulExprGet(index, mlirAffineConstantExprGet(context, apart->steps[d])), loops, 0);
  }
  MlirAttribute result[OPERANDS];
  for (intptr_t o = 0; o < OPERANDS; ++o)
    result[o] = mlirAffineMapAttrGet(o == 1 - filter ? image : map_of(maps, o));
  return mlirArrayAttrGet(context, OPERANDS, result);
}

// Named ops keep the maps that they were asked for.
static MlirAttribute maps_now(MlirOperation op) {
  mlirOperationRemoveAttributeByName(op, tune_ir_string("linalg.memoized_indexing_maps"));
  return mlirLinalgGetIndexingMapsAttribute(op);
}

// Multiplies element `place` of the dilations of the named `op` by `step`.
static void dilate(MlirOperation op, MlirAttribute dilations, intptr_t place, int64_t step) {
  int64_t numbers[RANKS];
  intptr_t count = (intptr_t)mlirElementsAttrGetNumElements(dilations);
  for (intptr_t i = 0; i < count; ++i)
    numbers[i] = mlirDenseElementsAttrGetInt64Value(dilations, i) * (i == place ? step : 1);
  mlirOperationSetAttributeByName(
      op, tune_ir_string("dilations"),
      mlirDenseElementsAttrInt64Get(mlirAttributeGetType(dilations), count, numbers));
}

// Finds which dilations of the named `op` make `wanted` of its maps. Which dimension of the filter
// each of them is of, the name says alone: so each is tried.
static bool find_dilations(MlirOperation op, const spread *apart, intptr_t filter,
                           MlirAttribute wanted) {
  MlirAttribute before = tune_ir_attribute(op, "dilations");
  if (mlirAttributeIsNull(before) || !mlirAttributeIsADenseElements(before) ||
      mlirElementsAttrGetNumElements(before) > RANKS)
    return false;
  MlirContext context = mlirOperationGetContext(op);
  MlirAttribute maps = maps_now(op);
  for (intptr_t d = 0; d < apart->rank; ++d) {
    if (apart->steps[d] == 1)
      continue;
    spread one = {.rank = apart->rank};
    for (intptr_t other = 0; other < apart->rank; ++other)
      one.steps[other] = other == d ? apart->steps[d] : 1;
    MlirAttribute next = spread_maps(context, maps, filter, &one);
    MlirAttribute dilations = tune_ir_attribute(op, "dilations");
    for (intptr_t i = 0; i < (intptr_t)mlirElementsAttrGetNumElements(dilations); ++i) {
      dilate(op, dilations, i, apart->steps[d]);
      maps = maps_now(op);
      if (mlirAttributeEqual(maps, next))
        break;
    }
  }
  if (mlirAttributeEqual(maps, wanted))
    return true;
  mlirOperationSetAttributeByName(op, tune_ir_string("dilations"), before);
  maps_now(op);
  return false;
}

// Takes `op` away where nothing uses it, and then what it alone used of what fills memory up: where
// a schedule is applied it counts the ops that are there.
static void drop_unused(MlirOperation op) {
  static const char *const filling[] = {"tensor.insert_slice", "linalg.fill", "linalg.generic",
                                        "tensor.empty", NULL};
  while (tune_ir_is_one_of(op, filling) && !tune_ir_is_used(op)) {
    intptr_t count = mlirOperationGetNumOperands(op);
    MlirOperation before =
        count ? tune_ir_definition(mlirOperationGetOperand(op, count - 1)) : (MlirOperation){NULL};
    mlirOperationDestroy(op);
    op = before;
  }
}

static bool take_zeroes_out(MlirOperation op, intptr_t filter) {
  spread apart;
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
  if (mlirAttributeIsNull(maps) || !find_spread(mlirOperationGetOperand(op, filter), &apart))
    return false;
  MlirAttribute wanted = spread_maps(mlirOperationGetContext(op), maps, filter, &apart);
  if (mlirAttributeIsNull(wanted))
    return false;
  if (tune_ir_is(op, "linalg.generic"))
    mlirOperationSetAttributeByName(op, tune_ir_string("indexing_maps"), wanted);
  else if (!find_dilations(op, &apart, filter, wanted))
    return false;
  MlirOperation insert = tune_ir_definition(mlirOperationGetOperand(op, filter));
  mlirOperationSetOperand(op, filter, apart.source);
  drop_unused(insert);
  return true;
}

static MlirWalkResult look_at(MlirOperation op, void *user_data) {
  (void)user_data;
  if (sums_products(op) && !take_zeroes_out(op, 1))
    take_zeroes_out(op, 0);
  return MlirWalkResultAdvance;
}

void tune_normalize_zeroes(MlirOperation root) {
  mlirOperationWalk(root, look_at, NULL, MlirWalkPostOrder);
}
