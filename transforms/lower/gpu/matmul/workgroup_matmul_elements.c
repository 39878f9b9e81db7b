//===- workgroup_matmul_elements.c - Elements of vectors of a whole tile -----===//
//
// What stands around the loop of a group's tile is on vectors of the whole tile. A thread has some
// of its elements: each is computed from the elements it is made of, as far back as the loop's sum,
// a constant, or memory.
//
//===--------------------------------------------------------------------------===//

#include "dialects/diagnostic.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_tile.h"

#define MOST_OPERANDS 4
#define MOST_RANK 4

static bool find_known(const tune_tile_elements *self, MlirValue vector, const MlirValue *indices,
                       intptr_t rank, MlirValue *out_element) {
  for (size_t i = 0; i < self->known_count; ++i) {
    bool is_same = mlirValueEqual(self->known[i].vector, vector) && self->known[i].rank == rank;
    for (intptr_t d = 0; d < rank && is_same; ++d)
      is_same = mlirValueEqual(self->known[i].indices[d], indices[d]);
    if (is_same) {
      *out_element = self->known[i].element;
      return true;
    }
  }
  return false;
}

// All of them: what many are made of would otherwise be computed many times over.
static tune_status remember(tune_tile_elements *self, MlirValue vector, const MlirValue *indices,
                            intptr_t rank, MlirValue element) {
  enum { MOST = sizeof self->known / sizeof *self->known };
  if (self->known_count == MOST)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, mlirOpResultGetOwner(vector),
                               "more than %d ops follow a group's tile; compute some of them in a "
                               "loop of their own",
                               MOST);
  self->known[self->known_count].vector = vector;
  self->known[self->known_count].element = element;
  self->known[self->known_count].rank = rank;
  for (intptr_t d = 0; d < rank; ++d)
    self->known[self->known_count].indices[d] = indices[d];
  ++self->known_count;
  return TUNE_OK;
}

static MlirType element_type(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsAVector(type) ? mlirShapedTypeGetElementType(type) : type;
}

static tune_status refuse(MlirOperation op) {
  MlirStringRef name = tune_ir_name(op);
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                             "%.*s on a group's tile: only elementwise ops, broadcasts, "
                             "transpositions and whole reads are known there",
                             (int)name.length, name.data);
}

// Of an op that does the same to each element.
static tune_status apply(tune_tile_elements *self, const tune_ir_builder *builder, MlirOperation op,
                         const MlirValue *indices, intptr_t rank, MlirValue *out_element) {
  MlirValue operands[MOST_OPERANDS];
  intptr_t count = mlirOperationGetNumOperands(op);
  if (count > MOST_OPERANDS || mlirOperationGetNumRegions(op))
    return refuse(op);
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    bool is_vector = mlirTypeIsAVector(mlirValueGetType(operand));
    TUNE_RETURN_IF_ERROR(
        tune_tile_element(self, builder, operand, indices, is_vector ? rank : 0, &operands[i]));
  }
  MlirNamedAttribute attributes[8];
  intptr_t attribute_count = mlirOperationGetNumAttributes(op);
  if (attribute_count > 8)
    return refuse(op);
  for (intptr_t i = 0; i < attribute_count; ++i)
    attributes[i] = mlirOperationGetAttribute(op, i);
  char name[64];
  MlirStringRef text = tune_ir_name(op);
  if (text.length >= sizeof name)
    return refuse(op);
  memcpy(name, text.data, text.length);
  name[text.length] = '\0';
  MlirType type = element_type(mlirOperationGetResult(op, 0));
  *out_element = tune_ir_build_result(builder, &(tune_ir_parts){.name = name,
                                                                .operand_count = count,
                                                                .operands = operands,
                                                                .type_count = 1,
                                                                .types = &type,
                                                                .attribute_count = attribute_count,
                                                                .attributes = attributes});
  return TUNE_OK;
}

static tune_status of_broadcast(tune_tile_elements *self, const tune_ir_builder *builder,
                                MlirOperation op, const MlirValue *indices, intptr_t rank,
                                MlirValue *out_element) {
  MlirValue source = mlirOperationGetOperand(op, 0), inner[MOST_RANK];
  MlirType type = mlirValueGetType(source);
  intptr_t inner_rank = mlirTypeIsAVector(type) ? mlirShapedTypeGetRank(type) : 0;
  for (intptr_t i = 0; i < inner_rank; ++i)
    inner[i] = mlirShapedTypeGetDimSize(type, i) == 1 ? tune_ir_build_index(builder, 0)
                                                      : indices[rank - inner_rank + i];
  return tune_tile_element(self, builder, source, inner, inner_rank, out_element);
}

// Dimensions of one that come or go.
static tune_status of_shape_cast(tune_tile_elements *self, const tune_ir_builder *builder,
                                 MlirOperation op, const MlirValue *indices, intptr_t rank,
                                 MlirValue *out_element) {
  MlirValue source = mlirOperationGetOperand(op, 0), inner[MOST_RANK];
  MlirType type = mlirValueGetType(source), made = mlirValueGetType(mlirOperationGetResult(op, 0));
  intptr_t inner_rank = mlirShapedTypeGetRank(type), at = 0;
  if (inner_rank > MOST_RANK)
    return refuse(op);
  for (intptr_t i = 0; i < inner_rank; ++i) {
    int64_t size = mlirShapedTypeGetDimSize(type, i);
    if (size == 1) {
      inner[i] = tune_ir_build_index(builder, 0);
      continue;
    }
    while (at < rank && mlirShapedTypeGetDimSize(made, at) == 1)
      ++at;
    if (at == rank || mlirShapedTypeGetDimSize(made, at) != size)
      return refuse(op);
    inner[i] = indices[at++];
  }
  return tune_tile_element(self, builder, source, inner, inner_rank, out_element);
}

static tune_status of_transpose(tune_tile_elements *self, const tune_ir_builder *builder,
                                MlirOperation op, const MlirValue *indices, intptr_t rank,
                                MlirValue *out_element) {
  MlirAttribute permutation = tune_ir_attribute(op, "permutation");
  MlirValue inner[MOST_RANK];
  for (intptr_t i = 0; i < rank; ++i)
    inner[mlirDenseI64ArrayGetElement(permutation, i)] = indices[i];
  return tune_tile_element(self, builder, mlirOperationGetOperand(op, 0), inner, rank, out_element);
}

// A read that stays within its memory, without a mask.
static tune_status of_read(const tune_ir_builder *builder, MlirOperation op,
                           const MlirValue *indices, intptr_t rank, MlirValue *out_element) {
  enum { MOST = 14 };
  MlirValue memory = mlirOperationGetOperand(op, 0), operands[MOST + 1] = {memory};
  intptr_t memory_rank = mlirShapedTypeGetRank(mlirValueGetType(memory));
  MlirAffineMap map = mlirAffineMapAttrGetValue(tune_ir_attribute(op, "permutation_map"));
  MlirAttribute in_bounds = tune_ir_attribute(op, "in_bounds");
  bool is_plain = memory_rank <= MOST && mlirOperationGetNumOperands(op) == memory_rank + 2 &&
                  !mlirAttributeIsNull(in_bounds) && mlirTypeIsAMemRef(mlirValueGetType(memory));
  for (intptr_t i = 0; i < rank && is_plain; ++i)
    is_plain = mlirBoolAttrGetValue(mlirArrayAttrGetElement(in_bounds, i));
  if (!is_plain)
    return refuse(op);
  for (intptr_t i = 0; i < memory_rank; ++i)
    operands[1 + i] = mlirOperationGetOperand(op, 1 + i);
  for (intptr_t i = 0; i < rank; ++i) {
    MlirAffineExpr expression = mlirAffineMapGetResult(map, i);
    if (!mlirAffineExprIsADim(expression))
      continue; // a constant: broadcast
    intptr_t dim = mlirAffineDimExprGetPosition(expression);
    operands[1 + dim] = tune_tile_add(builder, operands[1 + dim], indices[i]);
  }
  *out_element =
      tune_ir_build_value(builder, "memref.load", element_type(mlirOperationGetResult(op, 0)),
                          1 + memory_rank, operands);
  return TUNE_OK;
}

static tune_status of_constant(const tune_ir_builder *builder, MlirOperation op,
                               MlirValue *out_element) {
  MlirAttribute value = tune_ir_attribute(op, "value");
  if (mlirAttributeIsADenseElements(value)) {
    if (!mlirDenseElementsAttrIsSplat(value))
      return refuse(op);
    value = mlirDenseElementsAttrGetSplatValue(value);
  }
  *out_element =
      tune_ir_build_constant(builder, element_type(mlirOperationGetResult(op, 0)), value);
  return TUNE_OK;
}

static tune_status make(tune_tile_elements *self, const tune_ir_builder *builder, MlirOperation op,
                        const MlirValue *indices, intptr_t rank, MlirValue *out_element) {
  if (tune_ir_is(op, "arith.constant"))
    return of_constant(builder, op, out_element);
  if (tune_ir_is(op, "vector.step")) {
    *out_element = indices[0];
    return TUNE_OK;
  }
  if (tune_ir_is(op, "vector.broadcast"))
    return of_broadcast(self, builder, op, indices, rank, out_element);
  if (tune_ir_is(op, "vector.shape_cast"))
    return of_shape_cast(self, builder, op, indices, rank, out_element);
  if (tune_ir_is(op, "vector.transpose"))
    return of_transpose(self, builder, op, indices, rank, out_element);
  if (tune_ir_is(op, "vector.transfer_read"))
    return of_read(builder, op, indices, rank, out_element);
  MlirStringRef name = tune_ir_name(op);
  if ((tune_ir_string_starts(name, "arith.") || tune_ir_string_starts(name, "math.")) &&
      mlirOperationGetNumResults(op) == 1)
    return apply(self, builder, op, indices, rank, out_element);
  return refuse(op);
}

tune_status tune_tile_element(tune_tile_elements *self, const tune_ir_builder *builder,
                              MlirValue vector, const MlirValue *indices, intptr_t rank,
                              MlirValue *out_element) {
  if (!mlirTypeIsAVector(mlirValueGetType(vector))) {
    *out_element = vector;
    return TUNE_OK;
  }
  if (!mlirValueIsAOpResult(vector))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, self->tile->forall,
                               "a group's tile of a vector that comes from elsewhere");
  MlirOperation op = mlirOpResultGetOwner(vector);
  if (mlirOperationEqual(op, self->tile->loop)) {
    // Another thread has the other elements.
    bool is_own = !mlirValueIsNull(self->sum) && rank == 2 &&
                  mlirValueEqual(indices[0], self->row) && mlirValueEqual(indices[1], self->col);
    *out_element = self->sum;
    return is_own ? TUNE_OK : refuse(op);
  }
  if (find_known(self, vector, indices, rank, out_element))
    return TUNE_OK;
  if (rank > MOST_RANK)
    return refuse(op);
  TUNE_RETURN_IF_ERROR(make(self, builder, op, indices, rank, out_element));
  return remember(self, vector, indices, rank, *out_element);
}
