//===- vector_legalization.c - Vector legalization: vectors of any shape as scalars and fours -===//

#include "transforms/lower/gpu/vectors/vector_legalization.h"

#include "transforms/lower/common/attributes.h"
#include "transforms/lower/gpu/vectors/vector_legalization_kinds.h"

#include <stdio.h>
#include <stdlib.h>

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

// The attributes of `op`; owned by the caller.
static tune_status list_attributes(MlirOperation op, MlirNamedAttribute **out_attributes) {
  intptr_t count = mlirOperationGetNumAttributes(op);
  *out_attributes = calloc((size_t)count + 1, sizeof **out_attributes);
  if (!*out_attributes)
    return tune_pieces_out_of_memory();
  for (intptr_t i = 0; i < count; ++i)
    (*out_attributes)[i] = mlirOperationGetAttribute(op, i);
  return TUNE_OK;
}

// An op of the kind of `op` before it, with all of its attributes.
static MlirOperation build_alike(MlirOperation op, const flat_values *operands,
                                 const flat_values *results, MlirRegion *regions,
                                 const MlirNamedAttribute *attributes) {
  char name[64];
  MlirStringRef text = tune_ir_name(op);
  snprintf(name, sizeof name, "%.*s", (int)text.length, text.data);
  tune_ir_builder builder = tune_ir_builder_before(op);
  return tune_ir_build(&builder,
                       &(tune_ir_parts){.name = name,
                                        .operand_count = (intptr_t)operands->count,
                                        .operands = operands->values,
                                        .type_count = (intptr_t)results->count,
                                        .types = results->types,
                                        .attribute_count = mlirOperationGetNumAttributes(op),
                                        .attributes = attributes,
                                        .region_count = mlirOperationGetNumRegions(op),
                                        .regions = regions});
}

static tune_status open_block(tune_pieces *pieces, MlirBlock block);

// A loop or branch anew, with pieces for vectors among its operands, results and block arguments.
static tune_status remake(tune_pieces *pieces, MlirOperation op) {
  flat_values operands = {0}, results = {0};
  MlirRegion regions[2];
  intptr_t region_count = mlirOperationGetNumRegions(op), index = 0;
  tune_status status = region_count <= 2 ? TUNE_OK : tune_pieces_refuse(op);
  MlirNamedAttribute *attributes = NULL;
  if (tune_status_is_ok(status))
    status = list_attributes(op, &attributes);
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
    MlirOperation made = build_alike(op, &operands, &results, regions, attributes);
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
  free(attributes);
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
                        .has_words = tune_device_is_vulkan(device),
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
