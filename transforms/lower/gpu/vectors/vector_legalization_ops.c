//===- vector_legalization_ops.c - Elementwise ops, and what moves elements --===//

#include "transforms/lower/gpu/vectors/vector_legalization_kinds.h"

#include <stdio.h>

#include <stdlib.h>

static MlirType type_of_result(MlirOperation op) {
  return mlirValueGetType(mlirOperationGetResult(op, 0));
}

//===--------------------------------------------------------------------------===//
// Elementwise
//===--------------------------------------------------------------------------===//

static bool is_elementwise(MlirOperation op) {
  MlirStringRef name = tune_ir_name(op);
  return (tune_ir_string_starts(name, "arith.") || tune_ir_string_starts(name, "math.") ||
          tune_ir_string_equal(name, "vector.fma")) &&
         mlirOperationGetNumRegions(op) == 0 && mlirOperationGetNumResults(op) == 1;
}

static tune_status open_elementwise(tune_pieces *pieces, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  tune_pieces_shape shape;
  TUNE_RETURN_IF_ERROR(tune_pieces_read_shape(mlirValueGetType(result), op, &shape));
  intptr_t operand_count = mlirOperationGetNumOperands(op),
           attribute_count = mlirOperationGetNumAttributes(op);
  if (operand_count > 4 || attribute_count > 8)
    return tune_pieces_refuse(op);
  tune_piece_list operands[4];
  for (intptr_t i = 0; i < operand_count; ++i)
    TUNE_RETURN_IF_ERROR(
        tune_pieces_find(pieces, op, mlirOperationGetOperand(op, i), &operands[i]));
  MlirNamedAttribute attributes[8];
  for (intptr_t i = 0; i < attribute_count; ++i)
    attributes[i] = mlirOperationGetAttribute(op, i);
  MlirValue *values;
  TUNE_RETURN_IF_ERROR(tune_pieces_add(pieces, result, &shape, &values));
  // Scalars have the op under another name.
  MlirStringRef text = tune_ir_is(op, "vector.fma") ? tune_ir_string("math.fma") : tune_ir_name(op);
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)text.length, text.data);
  tune_ir_builder builder = tune_ir_builder_before(op);
  MlirType type = tune_pieces_type(&shape, shape.element);
  for (int64_t piece = 0; piece < shape.count; ++piece) {
    MlirValue used[4];
    for (intptr_t i = 0; i < operand_count; ++i)
      used[i] = operands[i].values[operands[i].shape.rank ? piece : 0];
    tune_ir_parts parts = {.name = name,
                           .operand_count = operand_count,
                           .operands = used,
                           .type_count = 1,
                           .types = &type,
                           .attribute_count = attribute_count,
                           .attributes = attributes};
    values[piece] = tune_ir_build_result(&builder, &parts);
  }
  return tune_pieces_bury(pieces, op);
}

static tune_status open_constant(tune_pieces *pieces, MlirOperation op) {
  MlirAttribute value = tune_ir_attribute(op, "value");
  tune_pieces_shape shape;
  TUNE_RETURN_IF_ERROR(tune_pieces_read_shape(type_of_result(op), op, &shape));
  if (!mlirAttributeIsADenseElements(value))
    return tune_pieces_refuse(op);
  MlirValue *values;
  TUNE_RETURN_IF_ERROR(tune_pieces_add(pieces, mlirOperationGetResult(op, 0), &shape, &values));
  tune_ir_builder builder = tune_ir_builder_before(op);
  MlirType type = tune_pieces_type(&shape, shape.element);
  bool is_splat = mlirDenseElementsAttrIsSplat(value);
  for (int64_t piece = 0; piece < shape.count; ++piece) {
    MlirAttribute elements[4];
    for (int64_t i = 0; i < shape.width; ++i) {
      int64_t place[TUNE_PIECES_RANK];
      uint64_t index[TUNE_PIECES_RANK];
      tune_pieces_unravel(is_splat ? 0 : piece * shape.width + i, shape.rank, shape.sizes, place);
      for (intptr_t d = 0; d < shape.rank; ++d)
        index[d] = (uint64_t)place[d];
      elements[i] = mlirElementsAttrGetValue(value, shape.rank, index);
    }
    MlirAttribute made =
        shape.width == 1 ? elements[0] : mlirDenseElementsAttrGet(type, shape.width, elements);
    values[piece] = tune_ir_build_constant(&builder, type, made);
  }
  return tune_pieces_bury(pieces, op);
}

//===--------------------------------------------------------------------------===//
// Moving elements
//===--------------------------------------------------------------------------===//

// Where element `at` of a result comes from: an operand and an element of it.
typedef struct origin {
  intptr_t operand;
  int64_t element;
} origin;

typedef struct movement {
  MlirOperation op;
  tune_pieces_shape result;
  tune_piece_list operands[2];
  int64_t offsets[TUNE_PIECES_RANK], strides[TUNE_PIECES_RANK];
  intptr_t offset_count;
  origin (*find)(const struct movement *self, int64_t at);
} movement;

// Whether the elements of piece `piece` are one whole piece of an operand.
static bool is_whole(const movement *self, int64_t piece, MlirValue *out_value) {
  int64_t width = self->result.width;
  origin first = self->find(self, piece * width);
  const tune_piece_list *from = &self->operands[first.operand];
  if (from->shape.width != width || first.element % width)
    return false;
  for (int64_t i = 1; i < width; ++i) {
    origin next = self->find(self, piece * width + i);
    if (next.operand != first.operand || next.element != first.element + i)
      return false;
  }
  *out_value = from->values[first.element / width];
  return true;
}

static bool is_repeated(const movement *self, int64_t piece) {
  int64_t width = self->result.width;
  origin first = self->find(self, piece * width);
  for (int64_t i = 1; i < width; ++i) {
    origin next = self->find(self, piece * width + i);
    if (next.operand != first.operand || next.element != first.element)
      return false;
  }
  return true;
}

static tune_status move_elements(tune_pieces *pieces, const movement *self) {
  const tune_pieces_shape *shape = &self->result;
  MlirValue *values;
  TUNE_RETURN_IF_ERROR(
      tune_pieces_add(pieces, mlirOperationGetResult(self->op, 0), shape, &values));
  tune_ir_builder builder = tune_ir_builder_before(self->op);
  for (int64_t piece = 0; piece < shape->count; ++piece) {
    if (is_whole(self, piece, &values[piece]))
      continue;
    MlirValue elements[4];
    bool repeats = is_repeated(self, piece);
    for (int64_t i = 0; i < (repeats ? 1 : shape->width); ++i) {
      origin from = self->find(self, piece * shape->width + i);
      elements[i] = tune_pieces_element(&builder, &self->operands[from.operand], from.element);
    }
    if (repeats)
      values[piece] = tune_pieces_splat(&builder, shape->width, elements[0]);
    else
      values[piece] =
          tune_ir_build_value(&builder, "vector.from_elements",
                              tune_pieces_type(shape, shape->element), shape->width, elements);
  }
  if (!mlirTypeIsAVector(type_of_result(self->op)))
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(self->op, 0), values[0]);
  return tune_pieces_bury(pieces, self->op);
}

static origin find_broadcast(const movement *self, int64_t at) {
  const tune_pieces_shape *from = &self->operands[0].shape;
  int64_t place[TUNE_PIECES_RANK];
  tune_pieces_unravel(at, self->result.rank, self->result.sizes, place);
  intptr_t added = self->result.rank - from->rank;
  for (intptr_t i = 0; i < from->rank; ++i)
    place[added + i] = from->sizes[i] == 1 ? 0 : place[added + i];
  return (origin){0, tune_pieces_ravel(from->rank, from->sizes, place + added)};
}

// vector.shape_cast, and what only renames.
static origin find_same(const movement *self, int64_t at) {
  (void)self;
  return (origin){0, at};
}

static origin find_transposed(const movement *self, int64_t at) {
  const tune_pieces_shape *from = &self->operands[0].shape;
  int64_t place[TUNE_PIECES_RANK], source[TUNE_PIECES_RANK];
  tune_pieces_unravel(at, self->result.rank, self->result.sizes, place);
  for (intptr_t i = 0; i < from->rank; ++i)
    source[self->offsets[i]] = place[i];
  return (origin){0, tune_pieces_ravel(from->rank, from->sizes, source)};
}

// vector.extract: the position is the first part of the place.
static origin find_extracted(const movement *self, int64_t at) {
  const tune_pieces_shape *from = &self->operands[0].shape;
  int64_t place[TUNE_PIECES_RANK];
  for (intptr_t i = 0; i < self->offset_count; ++i)
    place[i] = self->offsets[i];
  tune_pieces_unravel(at, self->result.rank, self->result.sizes, place + self->offset_count);
  return (origin){0, tune_pieces_ravel(from->rank, from->sizes, place)};
}

// vector.insert of operand 0 into operand 1.
static origin find_inserted(const movement *self, int64_t at) {
  const tune_pieces_shape *part = &self->operands[0].shape;
  int64_t place[TUNE_PIECES_RANK];
  tune_pieces_unravel(at, self->result.rank, self->result.sizes, place);
  for (intptr_t i = 0; i < self->offset_count; ++i)
    if (place[i] != self->offsets[i])
      return (origin){1, at};
  return (origin){0, tune_pieces_ravel(part->rank, part->sizes, place + self->offset_count)};
}

static origin find_slice(const movement *self, int64_t at) {
  const tune_pieces_shape *from = &self->operands[0].shape;
  int64_t place[TUNE_PIECES_RANK];
  tune_pieces_unravel(at, self->result.rank, self->result.sizes, place);
  for (intptr_t i = 0; i < self->offset_count; ++i)
    place[i] = self->offsets[i] + place[i] * self->strides[i];
  return (origin){0, tune_pieces_ravel(from->rank, from->sizes, place)};
}

static origin find_slice_inserted(const movement *self, int64_t at) {
  const tune_pieces_shape *part = &self->operands[0].shape;
  int64_t place[TUNE_PIECES_RANK];
  intptr_t added = self->result.rank - part->rank;
  tune_pieces_unravel(at, self->result.rank, self->result.sizes, place);
  for (intptr_t i = 0; i < self->offset_count; ++i) {
    int64_t size = i < added ? 1 : part->sizes[i - added];
    place[i] -= self->offsets[i];
    if (place[i] < 0 || place[i] >= size)
      return (origin){1, at};
  }
  return (origin){0, tune_pieces_ravel(part->rank, part->sizes, place + added)};
}

// Reads the numbers of `attribute`, an array of integers dense or not, into `numbers`.
static tune_status read_numbers(MlirOperation op, const char *name, int64_t *numbers,
                                intptr_t *out_count) {
  MlirAttribute attribute = tune_ir_attribute(op, name);
  *out_count = 0;
  if (mlirAttributeIsNull(attribute))
    return tune_pieces_refuse(op);
  bool is_dense = mlirAttributeIsADenseI64Array(attribute);
  intptr_t count =
      is_dense ? mlirDenseArrayGetNumElements(attribute) : mlirArrayAttrGetNumElements(attribute);
  if (count > TUNE_PIECES_RANK)
    return tune_pieces_refuse(op);
  for (intptr_t i = 0; i < count; ++i) {
    numbers[i] = is_dense ? mlirDenseI64ArrayGetElement(attribute, i)
                          : mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(attribute, i));
    if (numbers[i] < 0)
      return tune_pieces_refuse(op); // known at run time only
  }
  *out_count = count;
  return TUNE_OK;
}

typedef struct mover {
  const char *name;
  origin (*find)(const movement *self, int64_t at);
  const char *offsets, *strides; // attributes, or NULL
} mover;

static const mover MOVERS[] = {
    {"vector.broadcast", find_broadcast, NULL, NULL},
    {"vector.splat", find_broadcast, NULL, NULL},
    {"vector.shape_cast", find_same, NULL, NULL},
    {"vector.transpose", find_transposed, "permutation", NULL},
    {"vector.extract", find_extracted, "static_position", NULL},
    {"vector.insert", find_inserted, "static_position", NULL},
    {"vector.extract_strided_slice", find_slice, "offsets", "strides"},
    {"vector.insert_strided_slice", find_slice_inserted, "offsets", "strides"},
};

static const mover *find_mover(MlirOperation op) {
  for (size_t i = 0; i < sizeof MOVERS / sizeof *MOVERS; ++i)
    if (tune_ir_is(op, MOVERS[i].name))
      return &MOVERS[i];
  return NULL;
}

static tune_status open_movement(tune_pieces *pieces, MlirOperation op, const mover *kind) {
  movement self = {.op = op, .find = kind->find};
  TUNE_RETURN_IF_ERROR(tune_pieces_read_shape(type_of_result(op), op, &self.result));
  intptr_t count = mlirOperationGetNumOperands(op), stride_count;
  if (count > 2)
    return tune_pieces_refuse(op);
  for (intptr_t i = 0; i < count; ++i)
    TUNE_RETURN_IF_ERROR(
        tune_pieces_find(pieces, op, mlirOperationGetOperand(op, i), &self.operands[i]));
  if (kind->offsets)
    TUNE_RETURN_IF_ERROR(read_numbers(op, kind->offsets, self.offsets, &self.offset_count));
  if (kind->strides)
    TUNE_RETURN_IF_ERROR(read_numbers(op, kind->strides, self.strides, &stride_count));
  return move_elements(pieces, &self);
}

//===--------------------------------------------------------------------------===//
// Vectors of scalars, and back
//===--------------------------------------------------------------------------===//

// Makes room for the pieces of the op's result.
static tune_status add_result(tune_pieces *pieces, MlirOperation op, tune_pieces_shape *out_shape,
                              MlirValue **out_values) {
  TUNE_RETURN_IF_ERROR(tune_pieces_read_shape(type_of_result(op), op, out_shape));
  return tune_pieces_add(pieces, mlirOperationGetResult(op, 0), out_shape, out_values);
}

static tune_status open_from_elements(tune_pieces *pieces, MlirOperation op) {
  tune_pieces_shape shape;
  MlirValue *values;
  TUNE_RETURN_IF_ERROR(add_result(pieces, op, &shape, &values));
  intptr_t count = mlirOperationGetNumOperands(op);
  MlirValue *elements = calloc((size_t)count + 1, sizeof *elements);
  if (!elements)
    return tune_pieces_out_of_memory();
  for (intptr_t i = 0; i < count; ++i)
    elements[i] = mlirOperationGetOperand(op, i);
  tune_ir_builder builder = tune_ir_builder_before(op);
  tune_pieces_assemble(&builder, &shape, elements, values);
  free(elements);
  return tune_pieces_bury(pieces, op);
}

static tune_status open_to_elements(tune_pieces *pieces, MlirOperation op) {
  tune_piece_list list;
  TUNE_RETURN_IF_ERROR(tune_pieces_find(pieces, op, mlirOperationGetOperand(op, 0), &list));
  tune_ir_builder builder = tune_ir_builder_before(op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, i),
                                  tune_pieces_element(&builder, &list, i));
  return tune_pieces_bury(pieces, op);
}

// vector.step: 0, 1, 2, …
static tune_status open_step(tune_pieces *pieces, MlirOperation op) {
  tune_pieces_shape shape;
  MlirValue *values;
  TUNE_RETURN_IF_ERROR(add_result(pieces, op, &shape, &values));
  tune_ir_builder builder = tune_ir_builder_before(op);
  for (int64_t piece = 0; piece < shape.count; ++piece) {
    MlirValue elements[4];
    for (int64_t i = 0; i < shape.width; ++i)
      elements[i] = tune_ir_build_index(&builder, piece * shape.width + i);
    values[piece] = shape.width == 1 ? elements[0]
                                     : tune_ir_build_value(&builder, "vector.from_elements",
                                                           tune_pieces_type(&shape, shape.element),
                                                           shape.width, elements);
  }
  return tune_pieces_bury(pieces, op);
}

bool tune_pieces_is_op(MlirOperation op) {
  return is_elementwise(op) || find_mover(op) || tune_ir_is(op, "vector.from_elements") ||
         tune_ir_is(op, "vector.to_elements") || tune_ir_is(op, "vector.step");
}

tune_status tune_pieces_open_op(tune_pieces *pieces, MlirOperation op) {
  if (tune_ir_is(op, "arith.constant"))
    return open_constant(pieces, op);
  if (tune_ir_is(op, "vector.from_elements"))
    return open_from_elements(pieces, op);
  if (tune_ir_is(op, "vector.to_elements"))
    return open_to_elements(pieces, op);
  if (tune_ir_is(op, "vector.step"))
    return open_step(pieces, op);
  const mover *kind = find_mover(op);
  return kind ? open_movement(pieces, op, kind) : open_elementwise(pieces, op);
}
