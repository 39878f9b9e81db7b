//===- vector_pieces_sums.c - Products and reductions of vectors -------------------===//

#include "transforms/lower/combination.h"
#include "transforms/lower/vector_pieces_parts.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

#define MOST_LOOPS 12

// The op that combines two values of `element` as `op` says; NULL where it is not known.
static const char *find_combination(MlirOperation op, MlirType element) {
  const tune_combination *found = tune_combination_find(op);
  if (!found)
    return NULL;
  return mlirTypeIsAFloat(element) ? found->floats : found->integers;
}

// The elements of `piece`, combined.
static MlirValue combine_elements(const tune_ir_builder *builder, const char *name,
                                  const tune_piece_list *list, int64_t piece) {
  int64_t width = list->shape.width;
  MlirValue sum = tune_pieces_element(builder, list, piece * width);
  for (int64_t i = 1; i < width; ++i)
    sum = tune_ir_build_binary(builder, name, sum,
                               tune_pieces_element(builder, list, piece * width + i));
  return sum;
}

//===--------------------------------------------------------------------------===//
// vector.contract
//===--------------------------------------------------------------------------===//

typedef struct product {
  MlirOperation op;
  tune_piece_list operands[3]; // the last is added to
  MlirType element;            // of that
  intptr_t loop_count;
  int64_t extents[MOST_LOOPS];
  bool is_reduction[MOST_LOOPS];
  intptr_t loops[3][TUNE_PIECES_RANK]; // of each dimension of each operand
  intptr_t vector_loop;                // the loop that pieces of the sum lie along, or -1
} product;

static tune_status read_product(tune_pieces *pieces, MlirOperation op, product *self) {
  MlirAttribute maps = tune_ir_attribute(op, "indexing_maps");
  *self = (product){.op = op, .vector_loop = -1};
  if (mlirAttributeIsNull(maps) || mlirArrayAttrGetNumElements(maps) != 3 ||
      mlirOperationGetNumOperands(op) != 3)
    return tune_pieces_refuse(op);
  for (intptr_t i = 0; i < 3; ++i) {
    TUNE_RETURN_IF_ERROR(
        tune_pieces_find(pieces, op, mlirOperationGetOperand(op, i), &self->operands[i]));
    MlirAffineMap map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
    self->loop_count = mlirAffineMapGetNumDims(map);
    intptr_t rank = mlirAffineMapGetNumResults(map);
    if (self->loop_count > MOST_LOOPS || rank != self->operands[i].shape.rank)
      return tune_pieces_refuse(op);
    for (intptr_t d = 0; d < rank; ++d) {
      MlirAffineExpr expression = mlirAffineMapGetResult(map, d);
      if (!mlirAffineExprIsADim(expression))
        return tune_pieces_refuse(op);
      self->loops[i][d] = mlirAffineDimExprGetPosition(expression);
      self->extents[self->loops[i][d]] = self->operands[i].shape.sizes[d];
    }
  }
  const tune_pieces_shape *sum = &self->operands[2].shape;
  self->element = sum->element;
  for (intptr_t i = 0; i < self->loop_count; ++i)
    self->is_reduction[i] = true;
  for (intptr_t d = 0; d < sum->rank; ++d)
    self->is_reduction[self->loops[2][d]] = false;
  if (sum->width > 1)
    self->vector_loop = self->loops[2][sum->rank - 1];
  return TUNE_OK;
}

// `value` in the type of the sum.
static MlirValue widen(const tune_ir_builder *builder, const product *self, MlirValue value) {
  MlirType type = mlirValueGetType(value), wide = self->element;
  bool is_vector = mlirTypeIsAVector(type);
  MlirType element = is_vector ? mlirShapedTypeGetElementType(type) : type;
  if (mlirTypeEqual(element, wide))
    return value;
  if (is_vector) {
    int64_t width = mlirShapedTypeGetDimSize(type, 0);
    wide = mlirVectorTypeGet(1, &width, wide);
  }
  return tune_ir_build_value(builder, mlirTypeIsAFloat(element) ? "arith.extf" : "arith.extsi",
                             wide, 1, &value);
}

// What operand `which` is at `place`, a piece as wide as those of the sum.
static MlirValue read_factor(const tune_ir_builder *builder, const product *self, intptr_t which,
                             const int64_t *place) {
  const tune_piece_list *list = &self->operands[which];
  const tune_pieces_shape *shape = &list->shape;
  int64_t width = self->operands[2].shape.width, at[TUNE_PIECES_RANK] = {0};
  intptr_t along = -1; // the dimension that pieces of the sum lie along
  for (intptr_t d = 0; d < shape->rank; ++d) {
    at[d] = place[self->loops[which][d]];
    if (self->loops[which][d] == self->vector_loop)
      along = d;
  }
  int64_t first = tune_pieces_ravel(shape->rank, shape->sizes, at);
  if (along < 0) {
    MlirValue scalar = widen(builder, self, tune_pieces_element(builder, list, first));
    return tune_pieces_splat(builder, width, scalar);
  }
  if (along == shape->rank - 1 && shape->width == width)
    return widen(builder, self, list->values[first / width]);
  MlirValue elements[4];
  for (int64_t i = 0; i < width; ++i, ++at[along])
    elements[i] =
        tune_pieces_element(builder, list, tune_pieces_ravel(shape->rank, shape->sizes, at));
  MlirType type = mlirVectorTypeGet(1, &width, shape->element);
  return widen(builder, self,
               tune_ir_build_value(builder, "vector.from_elements", type, width, elements));
}

static MlirValue add_product(const tune_ir_builder *builder, const product *self, const char *name,
                             const int64_t *place, MlirValue sum) {
  MlirValue factors[] = {read_factor(builder, self, 0, place), read_factor(builder, self, 1, place),
                         sum};
  bool is_float = mlirTypeIsAFloat(self->element);
  if (is_float && strcmp(name, "arith.addf") == 0)
    return tune_ir_build_value(builder, "math.fma", mlirValueGetType(sum), 3, factors);
  MlirValue made =
      tune_ir_build_binary(builder, is_float ? "arith.mulf" : "arith.muli", factors[0], factors[1]);
  return tune_ir_build_binary(builder, name, sum, made);
}

static tune_status open_contract(tune_pieces *pieces, MlirOperation op) {
  product self;
  TUNE_RETURN_IF_ERROR(read_product(pieces, op, &self));
  const char *name = find_combination(op, self.element);
  if (!name)
    return tune_pieces_refuse(op);
  const tune_pieces_shape *shape = &self.operands[2].shape;
  MlirValue *sums, result = mlirOperationGetResult(op, 0);
  TUNE_RETURN_IF_ERROR(tune_pieces_add(pieces, result, shape, &sums));
  memcpy(sums, self.operands[2].values, (size_t)shape->count * sizeof *sums);
  int64_t steps = 1;
  for (intptr_t i = 0; i < self.loop_count; ++i)
    steps *= self.is_reduction[i] ? self.extents[i] : 1;
  tune_ir_builder builder = tune_ir_builder_before(op);
  // All steps of a piece after each other: where registers are few its sum stays in one.
  for (int64_t piece = 0; piece < shape->count; ++piece) {
    int64_t place[MOST_LOOPS] = {0}, at[TUNE_PIECES_RANK];
    tune_pieces_unravel(piece * shape->width, shape->rank, shape->sizes, at);
    for (intptr_t d = 0; d < shape->rank; ++d)
      place[self.loops[2][d]] = at[d];
    for (int64_t step = 0; step < steps; ++step) {
      int64_t rest = step;
      for (intptr_t i = self.loop_count; i-- > 0;)
        if (self.is_reduction[i]) {
          place[i] = rest % self.extents[i];
          rest /= self.extents[i];
        }
      sums[piece] = add_product(&builder, &self, name, place, sums[piece]);
    }
  }
  if (shape->rank == 0 && !mlirTypeIsAVector(mlirValueGetType(result)))
    mlirValueReplaceAllUsesOfWith(result, sums[0]);
  return tune_pieces_bury(pieces, op);
}

//===--------------------------------------------------------------------------===//
// Reductions
//===--------------------------------------------------------------------------===//

// vector.reduction: all of a vector, and perhaps a scalar.
static tune_status open_reduction(tune_pieces *pieces, MlirOperation op) {
  tune_piece_list list;
  TUNE_RETURN_IF_ERROR(tune_pieces_find(pieces, op, mlirOperationGetOperand(op, 0), &list));
  const char *name = find_combination(op, list.shape.element);
  if (!name)
    return tune_pieces_refuse(op);
  tune_ir_builder builder = tune_ir_builder_before(op);
  MlirValue first = list.values[0];
  for (int64_t i = 1; i < list.shape.count; ++i)
    first = tune_ir_build_binary(&builder, name, first, list.values[i]);
  tune_piece_list one = {list.shape, &first};
  one.shape.count = 1;
  MlirValue sum = combine_elements(&builder, name, &one, 0);
  if (mlirOperationGetNumOperands(op) > 1)
    sum = tune_ir_build_binary(&builder, name, mlirOperationGetOperand(op, 1), sum);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), sum);
  return tune_pieces_bury(pieces, op);
}

static tune_status read_reduced(MlirOperation op, bool *is_reduced, intptr_t rank) {
  MlirAttribute dims = tune_ir_attribute(op, "reduction_dims");
  if (mlirAttributeIsNull(dims) || !mlirAttributeIsADenseI64Array(dims))
    return tune_pieces_refuse(op);
  for (intptr_t i = 0; i < rank; ++i)
    is_reduced[i] = false;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(dims); ++i)
    is_reduced[mlirDenseI64ArrayGetElement(dims, i)] = true;
  return TUNE_OK;
}

// vector.multi_reduction. Pieces along a dimension that is reduced are added up as they are, and
// their elements at the end.
static tune_status open_multi_reduction(tune_pieces *pieces, MlirOperation op) {
  tune_piece_list from, to;
  TUNE_RETURN_IF_ERROR(tune_pieces_find(pieces, op, mlirOperationGetOperand(op, 0), &from));
  TUNE_RETURN_IF_ERROR(tune_pieces_find(pieces, op, mlirOperationGetOperand(op, 1), &to));
  const char *name = find_combination(op, from.shape.element);
  bool is_reduced[TUNE_PIECES_RANK];
  intptr_t rank = from.shape.rank;
  TUNE_RETURN_IF_ERROR(read_reduced(op, is_reduced, rank));
  if (!name || rank == 0)
    return tune_pieces_refuse(op);
  bool is_across = is_reduced[rank - 1]; // elements of a piece go into one
  int64_t width = from.shape.width;
  MlirValue *sums, result = mlirOperationGetResult(op, 0);
  tune_pieces_shape shape = to.shape;
  TUNE_RETURN_IF_ERROR(tune_pieces_add(pieces, result, &shape, &sums));
  tune_ir_builder builder = tune_ir_builder_before(op);
  int64_t elements = tune_pieces_element_count(&shape), step = is_across ? 1 : width;
  MlirValue scalars[4];
  for (int64_t at = 0; at < elements; at += step) {
    MlirValue sum = {NULL};
    for (int64_t piece = 0; piece < from.shape.count; ++piece) {
      int64_t place[TUNE_PIECES_RANK], kept[TUNE_PIECES_RANK];
      intptr_t kept_count = 0;
      tune_pieces_unravel(piece * width, rank, from.shape.sizes, place);
      for (intptr_t d = 0; d < rank; ++d)
        if (!is_reduced[d])
          kept[kept_count++] = place[d];
      if (tune_pieces_ravel(kept_count, shape.sizes, kept) != at)
        continue;
      sum = mlirValueIsNull(sum) ? from.values[piece]
                                 : tune_ir_build_binary(&builder, name, sum, from.values[piece]);
    }
    if (!is_across) {
      sums[at / width] = tune_ir_build_binary(&builder, name, sum, to.values[at / width]);
      continue;
    }
    tune_piece_list one = {from.shape, &sum};
    one.shape.count = 1;
    MlirValue scalar = combine_elements(&builder, name, &one, 0);
    scalar = tune_ir_build_binary(&builder, name, scalar, tune_pieces_element(&builder, &to, at));
    scalars[at % shape.width] = scalar;
    if (shape.width == 1)
      sums[at] = scalar;
    else if (at % shape.width == shape.width - 1)
      sums[at / shape.width] =
          tune_ir_build_value(&builder, "vector.from_elements",
                              tune_pieces_type(&shape, shape.element), shape.width, scalars);
  }
  if (!mlirTypeIsAVector(mlirValueGetType(result)))
    mlirValueReplaceAllUsesOfWith(result, sums[0]);
  return tune_pieces_bury(pieces, op);
}

bool tune_pieces_is_sum(MlirOperation op) {
  return tune_ir_is(op, "vector.contract") || tune_ir_is(op, "vector.multi_reduction") ||
         tune_ir_is(op, "vector.reduction");
}

tune_status tune_pieces_open_sum(tune_pieces *pieces, MlirOperation op) {
  if (tune_ir_is(op, "vector.contract"))
    return open_contract(pieces, op);
  if (tune_ir_is(op, "vector.reduction"))
    return open_reduction(pieces, op);
  return open_multi_reduction(pieces, op);
}
