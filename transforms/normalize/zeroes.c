//===- zeroes.c - Filters that were filled up with zeroes ----------===//

#include "transforms/normalize/zeroes.h"

#include "transforms/normalize/nest_maps.h"
#include "transforms/normalize/spread.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Dialect/Linalg.h"

enum { OPERANDS = TUNE_SPREAD_OPERANDS };

// Whether it begins at the first place in all dimensions, and zeroes are only where it has steps.
static bool fills_its_place(const tune_spread *apart) {
  for (intptr_t d = 0; d < apart->rank; ++d)
    if (apart->offsets[d] != 0 ||
        (apart->steps[d] == 1 && apart->sizes[d] != apart->whole_sizes[d]))
      return false;
  return true;
}

static MlirAffineMap map_of(MlirAttribute maps, intptr_t operand) {
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, operand));
}

// Whether `loop` is in some index of `map`, and has others beside it in each of these.
static bool slides(MlirAffineMap map, intptr_t loop) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i) {
    MlirAffineExpr index = mlirAffineMapGetResult(map, i);
    if (mlirAffineExprIsFunctionOfDim(index, loop) && !mlirAffineExprIsAAdd(index))
      return false;
  }
  return tune_nest_maps_has(map, loop);
}

// The maps of `op`, whose operand `filter` is `apart`, for the source in its place: null where that
// is not all it takes.
static MlirAttribute spread_maps(MlirContext context, MlirAttribute maps, intptr_t filter,
                                 const tune_spread *apart) {
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
    if (uses != 1 || tune_nest_maps_has(map_of(maps, 2), loop) || !slides(image, loop))
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
  int64_t numbers[TUNE_IR_MAX_RANK];
  intptr_t count = (intptr_t)mlirElementsAttrGetNumElements(dilations);
  for (intptr_t i = 0; i < count; ++i)
    numbers[i] = mlirDenseElementsAttrGetInt64Value(dilations, i) * (i == place ? step : 1);
  mlirOperationSetAttributeByName(
      op, tune_ir_string("dilations"),
      mlirDenseElementsAttrInt64Get(mlirAttributeGetType(dilations), count, numbers));
}

// Finds which dilations of the named `op` make `wanted` of its maps. Which dimension of the filter
// each of them is of, the name says alone: so each is tried.
static bool find_dilations(MlirOperation op, const tune_spread *apart, intptr_t filter,
                           MlirAttribute wanted) {
  MlirAttribute before = tune_ir_attribute(op, "dilations");
  if (mlirAttributeIsNull(before) || !mlirAttributeIsADenseElements(before) ||
      mlirElementsAttrGetNumElements(before) > TUNE_IR_MAX_RANK)
    return false;
  MlirContext context = mlirOperationGetContext(op);
  MlirAttribute maps = maps_now(op);
  for (intptr_t d = 0; d < apart->rank; ++d) {
    if (apart->steps[d] == 1)
      continue;
    tune_spread one = {.rank = apart->rank};
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

static bool take_zeroes_out(MlirOperation op, intptr_t filter) {
  tune_spread apart;
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
  if (mlirAttributeIsNull(maps) || !tune_spread_find(mlirOperationGetOperand(op, filter), &apart) ||
      !fills_its_place(&apart))
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
  tune_spread_drop(insert);
  return true;
}

static MlirWalkResult look_at(MlirOperation op, void *user_data) {
  (void)user_data;
  if (tune_spread_sums_products(op) && !take_zeroes_out(op, 1))
    take_zeroes_out(op, 0);
  return MlirWalkResultAdvance;
}

void tune_normalize_zeroes(MlirOperation root) {
  mlirOperationWalk(root, look_at, NULL, MlirWalkPostOrder);
}
