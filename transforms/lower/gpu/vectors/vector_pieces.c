//===- vector_pieces.c --------------------------------------------------------===//

#include "transforms/lower/gpu/vectors/vector_pieces.h"

#include "dialects/diagnostic.h"

#include <stdlib.h>

tune_status tune_pieces_out_of_memory(void) { return tune_status_out_of_memory("opening vectors"); }

tune_status tune_pieces_refuse(MlirOperation op) {
  MlirStringRef name = tune_ir_name(op);
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                             "%.*s on these vectors has no form on this device; a schedule has to "
                             "lower it, or not to vectorize what it is of",
                             (int)name.length, name.data);
}

//===--------------------------------------------------------------------------===//
// Shapes
//===--------------------------------------------------------------------------===//

int64_t tune_pieces_element_count(const tune_pieces_shape *shape) {
  int64_t count = 1;
  for (intptr_t i = 0; i < shape->rank; ++i)
    count *= shape->sizes[i];
  return count;
}

tune_status tune_pieces_read_shape(MlirType type, MlirOperation op, tune_pieces_shape *out_shape) {
  *out_shape = (tune_pieces_shape){.element = type, .width = 1, .count = 1};
  if (!mlirTypeIsAVector(type))
    return TUNE_OK;
  intptr_t rank = mlirShapedTypeGetRank(type);
  if (mlirVectorTypeIsScalable(type) || rank > TUNE_PIECES_RANK)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                               "a vector that is scalable or has more than %d dimensions has no "
                               "form on this device",
                               TUNE_PIECES_RANK);
  out_shape->element = mlirShapedTypeGetElementType(type);
  out_shape->rank = rank;
  for (intptr_t i = 0; i < rank; ++i)
    out_shape->sizes[i] = mlirShapedTypeGetDimSize(type, i);
  if (rank > 0 && out_shape->sizes[rank - 1] % 4 == 0)
    out_shape->width = 4;
  out_shape->count = tune_pieces_element_count(out_shape) / out_shape->width;
  return TUNE_OK;
}

MlirType tune_pieces_type(const tune_pieces_shape *shape, MlirType element) {
  return shape->width == 1 ? element : mlirVectorTypeGet(1, &shape->width, element);
}

void tune_pieces_unravel(int64_t at, intptr_t rank, const int64_t *sizes, int64_t *out_place) {
  for (intptr_t i = rank; i-- > 0; at /= sizes[i])
    out_place[i] = at % sizes[i];
}

int64_t tune_pieces_ravel(intptr_t rank, const int64_t *sizes, const int64_t *place) {
  int64_t at = 0;
  for (intptr_t i = 0; i < rank; ++i)
    at = at * sizes[i] + place[i];
  return at;
}

//===--------------------------------------------------------------------------===//
// Pieces of values
//===--------------------------------------------------------------------------===//

tune_status tune_pieces_add(tune_pieces *pieces, MlirValue value, const tune_pieces_shape *shape,
                            MlirValue **out_values) {
  if (pieces->list_count == pieces->list_capacity) {
    size_t capacity = pieces->list_capacity ? 2 * pieces->list_capacity : 64;
    tune_piece_list *lists = realloc(pieces->lists, capacity * sizeof *lists);
    if (!lists)
      return tune_pieces_out_of_memory();
    pieces->lists = lists;
    pieces->list_capacity = capacity;
  }
  MlirValue *values = calloc((size_t)shape->count + 1, sizeof *values);
  if (!values)
    return tune_pieces_out_of_memory();
  pieces->lists[pieces->list_count] = (tune_piece_list){*shape, values};
  *out_values = values;
  return tune_op_map_set(&pieces->map, value.ptr, pieces->list_count++);
}

tune_status tune_pieces_find(tune_pieces *pieces, MlirOperation op, MlirValue value,
                             tune_piece_list *out_list) {
  size_t index = tune_op_map_get(&pieces->map, value.ptr);
  if (index == TUNE_OP_MAP_NONE && !mlirTypeIsAVector(mlirValueGetType(value))) {
    tune_pieces_shape shape;
    TUNE_RETURN_IF_ERROR(tune_pieces_read_shape(mlirValueGetType(value), op, &shape));
    MlirValue *values;
    TUNE_RETURN_IF_ERROR(tune_pieces_add(pieces, value, &shape, &values));
    values[0] = value;
    index = pieces->list_count - 1;
  }
  if (index == TUNE_OP_MAP_NONE)
    return tune_pieces_refuse(op);
  *out_list = pieces->lists[index];
  return TUNE_OK;
}

MlirValue tune_pieces_element(const tune_ir_builder *builder, const tune_piece_list *list,
                              int64_t at) {
  int64_t width = list->shape.width;
  MlirValue piece = list->values[at / width];
  return width == 1 ? piece : tune_ir_build_lane(builder, piece, at % width);
}

void tune_pieces_assemble(const tune_ir_builder *builder, const tune_pieces_shape *shape,
                          const MlirValue *elements, MlirValue *values) {
  for (int64_t i = 0; i < shape->count; ++i)
    values[i] = shape->width == 1 ? elements[i]
                                  : tune_ir_build_value(builder, "vector.from_elements",
                                                        tune_pieces_type(shape, shape->element),
                                                        shape->width, elements + i * shape->width);
}

MlirValue tune_pieces_splat(const tune_ir_builder *builder, int64_t width, MlirValue value) {
  if (width == 1)
    return value;
  MlirType type = mlirVectorTypeGet(1, &width, mlirValueGetType(value));
  return tune_ir_build_value(builder, "vector.broadcast", type, 1, &value);
}

tune_status tune_pieces_bury(tune_pieces *pieces, MlirOperation op) {
  return tune_op_list_add(&pieces->dead, op) ? TUNE_OK : tune_pieces_out_of_memory();
}

//===--------------------------------------------------------------------------===//
// Words
//===--------------------------------------------------------------------------===//

int64_t tune_pieces_words(MlirType element) {
  int64_t bits = mlirTypeIsAFloat(element)     ? mlirFloatTypeGetWidth(element)
                 : mlirTypeIsAInteger(element) ? mlirIntegerTypeGetWidth(element)
                                               : 0;
  return bits == 8 || bits == 16 ? bits / 8 : 0;
}

MlirType tune_pieces_words_type(MlirContext context, int64_t count) {
  return mlirVectorTypeGet(1, &count, mlirIntegerTypeGet(context, 32));
}

MlirValue tune_pieces_bitcast(const tune_ir_builder *builder, MlirValue value, MlirType type) {
  return mlirTypeEqual(mlirValueGetType(value), type)
             ? value
             : tune_ir_build_value(builder, "vector.bitcast", type, 1, &value);
}
