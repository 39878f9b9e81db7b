//===- vector_legalization_sums.c - Products and reductions of vectors -------===//

#include "transforms/lower/common/combining_kind.h"
#include "transforms/lower/gpu/vectors/vector_legalization_kinds.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

#define MOST_LOOPS 12

// The op that combines two values of `element` as `op` says; NULL where it is not known.
static const char *find_combination(MlirOperation op, MlirType element) {
  const tune_combining_kind *found = tune_combining_kind_find(op);
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

// Sets the places of the reductions, of which `skipped` (or -1) stays where it is, as in step
// `step` of all of theirs.
static void find_step(const product *self, int64_t step, intptr_t skipped, int64_t *place) {
  for (intptr_t i = self->loop_count; i-- > 0;)
    if (self->is_reduction[i] && i != skipped) {
      place[i] = step % self->extents[i];
      step /= self->extents[i];
    }
}

static int64_t count_steps(const product *self, intptr_t skipped) {
  int64_t steps = 1;
  for (intptr_t i = 0; i < self->loop_count; ++i)
    steps *= self->is_reduction[i] && i != skipped ? self->extents[i] : 1;
  return steps;
}

//===--------------------------------------------------------------------------===//
// Dot products of words
//===--------------------------------------------------------------------------===//

// A product of bytes, four of which lie beside each other along `loop` in either operand.
typedef struct dot {
  product base;
  intptr_t loop;
  bool is_unsigned[2];
} dot;

// What `value`, an operand of a product, is of bytes; before it was widened, if it was.
static MlirValue find_bytes(MlirValue value, bool *out_is_unsigned) {
  *out_is_unsigned = false;
  if (!mlirValueIsAOpResult(value))
    return value;
  MlirOperation op = mlirOpResultGetOwner(value);
  *out_is_unsigned = tune_ir_is(op, "arith.extui");
  return *out_is_unsigned || tune_ir_is(op, "arith.extsi") ? mlirOperationGetOperand(op, 0) : value;
}

static bool is_integer(MlirType type, unsigned bits) {
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == bits;
}

static tune_status read_dot(tune_pieces *pieces, MlirOperation op, dot *self, bool *out_is_dot) {
  product *of = &self->base;
  *out_is_dot = false;
  TUNE_RETURN_IF_ERROR(read_product(pieces, op, of));
  const char *name = find_combination(op, of->element);
  if (pieces->dot <= 0 || !name || strcmp(name, "arith.addi") != 0 || !is_integer(of->element, 32))
    return TUNE_OK;
  for (intptr_t i = 0; i < 2; ++i) {
    MlirValue bytes = find_bytes(mlirOperationGetOperand(op, i), &self->is_unsigned[i]);
    tune_piece_list *list = &of->operands[i];
    TUNE_RETURN_IF_ERROR(tune_pieces_find(pieces, op, bytes, list));
    if (!is_integer(list->shape.element, 8) || list->shape.width != 4)
      return TUNE_OK;
    intptr_t last = of->loops[i][list->shape.rank - 1];
    if (!of->is_reduction[last] || (i > 0 && last != self->loop))
      return TUNE_OK;
    self->loop = last;
  }
  *out_is_dot = true;
  return TUNE_OK;
}

// The four bytes of operand `which` from `place` on.
static MlirValue read_word(const tune_ir_builder *builder, const dot *self, intptr_t which,
                           const int64_t *place) {
  const tune_piece_list *list = &self->base.operands[which];
  int64_t at[TUNE_PIECES_RANK] = {0};
  for (intptr_t d = 0; d < list->shape.rank; ++d)
    at[d] = place[self->base.loops[which][d]];
  int64_t first = tune_pieces_ravel(list->shape.rank, list->shape.sizes, at);
  MlirValue word = tune_pieces_bitcast(builder, list->values[first / 4],
                                       tune_pieces_words_type(builder->context, 1));
  return tune_ir_build_lane(builder, word, 0);
}

static MlirValue multiply_words(const tune_ir_builder *builder, const dot *self,
                                const int64_t *place) {
  MlirValue words[] = {read_word(builder, self, 0, place), read_word(builder, self, 1, place)};
  bool is_mixed = self->is_unsigned[0] != self->is_unsigned[1];
  if (is_mixed && self->is_unsigned[0]) { // the bytes with a sign come first
    MlirValue first = words[0];
    words[0] = words[1];
    words[1] = first;
  }
  MlirType type = mlirIntegerTypeGet(builder->context, 32);
  MlirNamedAttribute format =
      tune_ir_named(builder->context, "format",
                    mlirAttributeParseGet(
                        builder->context,
                        tune_ir_string("#spirv.packed_vector_format<PackedVectorFormat4x8Bit>")));
  return tune_ir_build_result(builder,
                              &(tune_ir_parts){.name = is_mixed               ? "spirv.SUDot"
                                                       : self->is_unsigned[0] ? "spirv.UDot"
                                                                              : "spirv.SDot",
                                               .operand_count = 2,
                                               .operands = words,
                                               .type_count = 1,
                                               .types = &type,
                                               .attribute_count = 1,
                                               .attributes = &format});
}

// Sums are scalars while they grow: drivers see the addition beside each dot product.
static tune_status open_dot(tune_pieces *pieces, MlirOperation op, const dot *self) {
  const product *of = &self->base;
  const tune_pieces_shape *shape = &of->operands[2].shape;
  MlirValue *sums, result = mlirOperationGetResult(op, 0);
  TUNE_RETURN_IF_ERROR(tune_pieces_add(pieces, result, shape, &sums));
  int64_t steps = count_steps(of, self->loop), fours = of->extents[self->loop] / 4;
  tune_ir_builder builder = tune_ir_builder_before(op);
  for (int64_t piece = 0; piece < shape->count; ++piece) {
    MlirValue elements[4];
    for (int64_t i = 0; i < shape->width; ++i) {
      int64_t place[MOST_LOOPS] = {0}, at[TUNE_PIECES_RANK];
      tune_pieces_unravel(piece * shape->width + i, shape->rank, shape->sizes, at);
      for (intptr_t d = 0; d < shape->rank; ++d)
        place[of->loops[2][d]] = at[d];
      elements[i] = tune_pieces_element(&builder, &of->operands[2], piece * shape->width + i);
      for (int64_t step = 0; step < steps * fours; ++step) {
        find_step(of, step / fours, self->loop, place);
        place[self->loop] = step % fours * 4;
        elements[i] = tune_ir_build_binary(&builder, "arith.addi", elements[i],
                                           multiply_words(&builder, self, place));
      }
    }
    sums[piece] = shape->width == 1 ? elements[0]
                                    : tune_ir_build_value(&builder, "vector.from_elements",
                                                          tune_pieces_type(shape, shape->element),
                                                          shape->width, elements);
  }
  if (!mlirTypeIsAVector(mlirValueGetType(result)))
    mlirValueReplaceAllUsesOfWith(result, sums[0]);
  return tune_pieces_bury(pieces, op);
}

//===--------------------------------------------------------------------------===//
// Any product
//===--------------------------------------------------------------------------===//

static tune_status open_contract(tune_pieces *pieces, MlirOperation op) {
  dot of_words;
  bool is_dot;
  TUNE_RETURN_IF_ERROR(read_dot(pieces, op, &of_words, &is_dot));
  if (is_dot)
    return open_dot(pieces, op, &of_words);
  product self;
  TUNE_RETURN_IF_ERROR(read_product(pieces, op, &self));
  const char *name = find_combination(op, self.element);
  if (!name)
    return tune_pieces_refuse(op);
  const tune_pieces_shape *shape = &self.operands[2].shape;
  MlirValue *sums, result = mlirOperationGetResult(op, 0);
  TUNE_RETURN_IF_ERROR(tune_pieces_add(pieces, result, shape, &sums));
  memcpy(sums, self.operands[2].values, (size_t)shape->count * sizeof *sums);
  int64_t steps = count_steps(&self, -1);
  tune_ir_builder builder = tune_ir_builder_before(op);
  // All steps of a piece after each other: where registers are few its sum stays in one.
  for (int64_t piece = 0; piece < shape->count; ++piece) {
    int64_t place[MOST_LOOPS] = {0}, at[TUNE_PIECES_RANK];
    tune_pieces_unravel(piece * shape->width, shape->rank, shape->sizes, at);
    for (intptr_t d = 0; d < shape->rank; ++d)
      place[self.loops[2][d]] = at[d];
    for (int64_t step = 0; step < steps; ++step) {
      find_step(&self, step, -1, place);
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
