//===- vector_legalization.c - Vector legalization: vectors of any shape as scalars and fours -===//

#include "transforms/lower/gpu/vectors/vector_legalization.h"

#include "dialects/diagnostic.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/gpu/vectors/vector_legalization_state.h"

#include <stdio.h>
#include <stdlib.h>

tune_status tune_pieces_out_of_memory(void) { return tune_status_out_of_memory("opening vectors"); }

//===--------------------------------------------------------------------------===//
// Shapes
//===--------------------------------------------------------------------------===//

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

int64_t tune_pieces_element_count(const tune_pieces_shape *shape) {
  int64_t count = 1;
  for (intptr_t i = 0; i < shape->rank; ++i)
    count *= shape->sizes[i];
  return count;
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

MlirValue tune_pieces_extract(const tune_ir_builder *builder, MlirValue vector, int64_t place) {
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(vector));
  MlirNamedAttribute position = tune_ir_named(builder->context, "static_position",
                                              mlirDenseI64ArrayGet(builder->context, 1, &place));
  tune_ir_parts parts = {.name = "vector.extract",
                         .operand_count = 1,
                         .operands = &vector,
                         .type_count = 1,
                         .types = &element,
                         .attribute_count = 1,
                         .attributes = &position};
  return tune_ir_build_result(builder, &parts);
}

MlirValue tune_pieces_element(const tune_ir_builder *builder, const tune_piece_list *list,
                              int64_t at) {
  int64_t width = list->shape.width;
  MlirValue piece = list->values[at / width];
  return width == 1 ? piece : tune_pieces_extract(builder, piece, at % width);
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

tune_status tune_pieces_bury(tune_pieces *pieces, MlirOperation op) {
  return tune_op_list_add(&pieces->dead, op) ? TUNE_OK : tune_pieces_out_of_memory();
}

tune_status tune_pieces_refuse(MlirOperation op) {
  MlirStringRef name = tune_ir_name(op);
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                             "%.*s on these vectors has no form on this device; a schedule has to "
                             "lower it, or not to vectorize what it is of",
                             (int)name.length, name.data);
}

//===--------------------------------------------------------------------------===//
// Loops and branches
//===--------------------------------------------------------------------------===//

// What a list of values becomes: vectors their pieces, all else itself.
typedef struct flat_values {
  MlirValue *values;
  MlirType *types;
  size_t count, capacity;
} flat_values;

static void flat_deinit(flat_values *flat) {
  free(flat->values);
  free(flat->types);
}

static tune_status flat_push(flat_values *flat, MlirValue value, MlirType type) {
  if (flat->count == flat->capacity) {
    size_t capacity = flat->capacity ? 2 * flat->capacity : 32;
    MlirValue *values = realloc(flat->values, capacity * sizeof *values);
    if (values)
      flat->values = values;
    MlirType *types = realloc(flat->types, capacity * sizeof *types);
    if (types)
      flat->types = types;
    if (!values || !types)
      return tune_pieces_out_of_memory();
    flat->capacity = capacity;
  }
  flat->values[flat->count] = value;
  flat->types[flat->count++] = type;
  return TUNE_OK;
}

// The types that a value of type `type` becomes.
static tune_status flat_push_types(flat_values *flat, MlirOperation op, MlirType type) {
  tune_pieces_shape shape;
  TUNE_RETURN_IF_ERROR(tune_pieces_read_shape(type, op, &shape));
  MlirType piece = mlirTypeIsAVector(type) ? tune_pieces_type(&shape, shape.element) : type;
  for (int64_t i = 0; i < shape.count; ++i)
    TUNE_RETURN_IF_ERROR(flat_push(flat, (MlirValue){NULL}, piece));
  return TUNE_OK;
}

static tune_status flat_push_operand(tune_pieces *pieces, flat_values *flat, MlirOperation op,
                                     intptr_t index) {
  MlirValue operand = mlirOperationGetOperand(op, index);
  if (!mlirTypeIsAVector(mlirValueGetType(operand)))
    return flat_push(flat, operand, mlirValueGetType(operand));
  tune_piece_list list;
  TUNE_RETURN_IF_ERROR(tune_pieces_find(pieces, op, operand, &list));
  for (int64_t i = 0; i < list.shape.count; ++i)
    TUNE_RETURN_IF_ERROR(flat_push(flat, list.values[i], mlirValueGetType(list.values[i])));
  return TUNE_OK;
}

// `value` of `op` is from now on what `next` gives, one after the other.
static tune_status take_over(tune_pieces *pieces, MlirOperation op, MlirValue value,
                             MlirValue (*next)(void *source, intptr_t index), void *source,
                             intptr_t *index) {
  if (!mlirTypeIsAVector(mlirValueGetType(value))) {
    mlirValueReplaceAllUsesOfWith(value, next(source, (*index)++));
    return TUNE_OK;
  }
  tune_pieces_shape shape;
  TUNE_RETURN_IF_ERROR(tune_pieces_read_shape(mlirValueGetType(value), op, &shape));
  MlirValue *values;
  TUNE_RETURN_IF_ERROR(tune_pieces_add(pieces, value, &shape, &values));
  for (int64_t i = 0; i < shape.count; ++i)
    values[i] = next(source, (*index)++);
  return TUNE_OK;
}

static MlirValue next_argument(void *source, intptr_t index) {
  return mlirBlockGetArgument(*(MlirBlock *)source, index);
}

static MlirValue next_result(void *source, intptr_t index) {
  return mlirOperationGetResult(*(MlirOperation *)source, index);
}

// A block with what the arguments of `old` become, which has the ops of `old` from then on.
static tune_status remake_block(tune_pieces *pieces, MlirOperation op, MlirBlock old,
                                MlirBlock *out_block) {
  flat_values flat = {0};
  tune_status status = TUNE_OK;
  intptr_t count = mlirBlockGetNumArguments(old), index = 0;
  for (intptr_t i = 0; i < count && tune_status_is_ok(status); ++i)
    status = flat_push_types(&flat, op, mlirValueGetType(mlirBlockGetArgument(old, i)));
  MlirLocation *locations = calloc(flat.count + 1, sizeof *locations);
  if (tune_status_is_ok(status) && !locations)
    status = tune_pieces_out_of_memory();
  if (tune_status_is_ok(status)) {
    for (size_t i = 0; i < flat.count; ++i)
      locations[i] = mlirOperationGetLocation(op);
    *out_block = mlirBlockCreate((intptr_t)flat.count, flat.types, locations);
    for (intptr_t i = 0; i < count && tune_status_is_ok(status); ++i)
      status =
          take_over(pieces, op, mlirBlockGetArgument(old, i), next_argument, out_block, &index);
    tune_ir_builder inside = tune_ir_builder_at_end(*out_block, mlirOperationGetLocation(op));
    tune_ir_move_all(&inside, old);
  }
  free(locations);
  flat_deinit(&flat);
  return status;
}

static tune_status open_block(tune_pieces *pieces, MlirBlock block);

// A loop or branch anew, with pieces for vectors among its operands, results and block arguments.
static tune_status remake(tune_pieces *pieces, MlirOperation op) {
  flat_values operands = {0}, results = {0};
  MlirRegion regions[2];
  intptr_t region_count = mlirOperationGetNumRegions(op), index = 0;
  tune_status status = region_count <= 2 ? TUNE_OK : tune_pieces_refuse(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && tune_status_is_ok(status); ++i)
    status = flat_push_operand(pieces, &operands, op, i);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && tune_status_is_ok(status); ++i)
    status = flat_push_types(&results, op, mlirValueGetType(mlirOperationGetResult(op, i)));
  for (intptr_t i = 0; i < region_count && tune_status_is_ok(status); ++i) {
    regions[i] = mlirRegionCreate();
    MlirBlock old = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i)), block;
    if (mlirBlockIsNull(old))
      continue;
    status = remake_block(pieces, op, old, &block);
    if (tune_status_is_ok(status))
      mlirRegionAppendOwnedBlock(regions[i], block);
  }
  if (tune_status_is_ok(status)) {
    MlirNamedAttribute attributes[16];
    intptr_t attribute_count = mlirOperationGetNumAttributes(op);
    for (intptr_t i = 0; i < attribute_count && i < 16; ++i)
      attributes[i] = mlirOperationGetAttribute(op, i);
    char name[64];
    MlirStringRef text = tune_ir_name(op);
    snprintf(name, sizeof name, "%.*s", (int)text.length, text.data);
    tune_ir_builder builder = tune_ir_builder_before(op);
    tune_ir_parts parts = {.name = name,
                           .operand_count = (intptr_t)operands.count,
                           .operands = operands.values,
                           .type_count = (intptr_t)results.count,
                           .types = results.types,
                           .attribute_count = attribute_count < 16 ? attribute_count : 16,
                           .attributes = attributes,
                           .region_count = region_count,
                           .regions = regions};
    MlirOperation made = tune_ir_build(&builder, &parts);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && tune_status_is_ok(status); ++i)
      status = take_over(pieces, op, mlirOperationGetResult(op, i), next_result, &made, &index);
    if (tune_status_is_ok(status))
      status = tune_pieces_bury(pieces, op);
    for (intptr_t i = 0; i < region_count && tune_status_is_ok(status); ++i) {
      MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(made, i));
      if (!mlirBlockIsNull(block))
        status = open_block(pieces, block);
    }
  }
  flat_deinit(&operands);
  flat_deinit(&results);
  return status;
}

//===--------------------------------------------------------------------------===//
// The walk
//===--------------------------------------------------------------------------===//

static bool touches_vectors(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirTypeIsAVector(mlirValueGetType(mlirOperationGetOperand(op, i))))
      return true;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (mlirTypeIsAVector(mlirValueGetType(mlirOperationGetResult(op, i))))
      return true;
  return false;
}

static tune_status open_regions(tune_pieces *pieces, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
    for (; !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      TUNE_RETURN_IF_ERROR(open_block(pieces, block));
  }
  return TUNE_OK;
}

static tune_status open_any(tune_pieces *pieces, MlirOperation op) {
  if (tune_ir_is(op, "gpu.launch")) {
    if (!mlirAttributeIsNull(tune_ir_attribute(op, TUNE_TILE_DONE_ATTRIBUTE)))
      return TUNE_OK;
    pieces->launch = op;
    TUNE_RETURN_IF_ERROR(tune_pieces_list_uses(pieces, op));
    TUNE_RETURN_IF_ERROR(open_regions(pieces, op));
    pieces->launch = (MlirOperation){NULL};
    return TUNE_OK;
  }
  if (tune_pieces_is_access(op))
    return tune_pieces_open_access(pieces, op);
  if (!touches_vectors(op))
    return open_regions(pieces, op);
  if (tune_ir_is(op, "scf.for") || tune_ir_is(op, "scf.if") || tune_ir_is(op, "scf.yield"))
    return remake(pieces, op);
  if (tune_pieces_is_sum(op))
    return tune_pieces_open_sum(pieces, op);
  if (tune_pieces_is_op(op))
    return tune_pieces_open_op(pieces, op);
  return tune_pieces_refuse(op);
}

static tune_status open_block(tune_pieces *pieces, MlirBlock block) {
  MlirOperation op = mlirBlockGetFirstOperation(block), next;
  for (; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    TUNE_RETURN_IF_ERROR(open_any(pieces, op));
  }
  return TUNE_OK;
}

static int64_t read_number(MlirOperation function, const char *name) {
  MlirAttribute attribute = tune_ir_attribute(function, name);
  bool is_number = !mlirAttributeIsNull(attribute) && mlirAttributeIsAInteger(attribute);
  return is_number ? mlirIntegerAttrGetValueInt(attribute) : 0;
}

tune_status tune_vector_legalization_lower(MlirOperation function, const tune_device *device) {
  static const char *const MADE_OF[] = {"arith", "gpu",   "math",   "memref",
                                        "scf",   "spirv", "vector", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(function), MADE_OF);
  tune_pieces pieces = {.function = function,
                        .texels = read_number(function, TUNE_GPU_TEXELS_ATTRIBUTE),
                        .pairs = read_number(function, TUNE_GPU_PAIRS_ATTRIBUTE),
                        .dot = read_number(function, TUNE_GPU_DOT_ATTRIBUTE),
                        .has_words = device->arch == 0,
                        .share = read_number(function, TUNE_GPU_SHARE_ATTRIBUTE)};
  tune_op_map_init(&pieces.map);
  tune_op_map_init(&pieces.use_map);
  tune_status status = open_regions(&pieces, function);
  // Users come after what they use. Where something failed the module is thrown away as it is.
  for (size_t i = pieces.dead.count; i-- > 0 && tune_status_is_ok(status);)
    mlirOperationDestroy(pieces.dead.ops[i]);
  for (size_t i = 0; i < pieces.list_count; ++i)
    free(pieces.lists[i].values);
  free(pieces.lists);
  free(pieces.uses);
  tune_op_list_deinit(&pieces.dead);
  tune_op_map_deinit(&pieces.map);
  tune_op_map_deinit(&pieces.use_map);
  return status;
}
