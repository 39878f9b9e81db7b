//===- vector_legalization_buffers.c - Buffers of a launch, and views of them -===//

#include "transforms/lower/gpu/vectors/vector_legalization_kinds.h"
#include "transforms/lower/gpu/vectors/vector_legalization_memory.h"

#include <stdlib.h>
#include <string.h>

static tune_status add_use(tune_pieces *pieces, MlirValue memref, bool reads, bool writes,
                           bool is_wide) {
  size_t index = tune_op_map_get(&pieces->use_map, memref.ptr);
  if (index == TUNE_OP_MAP_NONE) {
    if (pieces->use_count == pieces->use_capacity) {
      size_t capacity = pieces->use_capacity ? 2 * pieces->use_capacity : 8;
      tune_buffer_use *uses = realloc(pieces->uses, capacity * sizeof *uses);
      if (!uses)
        return tune_pieces_out_of_memory();
      pieces->uses = uses;
      pieces->use_capacity = capacity;
    }
    index = pieces->use_count++;
    pieces->uses[index] = (tune_buffer_use){.memref = memref, .is_wide = true};
    TUNE_RETURN_IF_ERROR(tune_op_map_set(&pieces->use_map, memref.ptr, index));
  }
  pieces->uses[index].is_read |= reads;
  pieces->uses[index].is_written |= writes;
  pieces->uses[index].is_wide &= is_wide;
  return TUNE_OK;
}

typedef struct use_walk {
  tune_pieces *pieces;
  tune_status status;
} use_walk;

static MlirWalkResult list_use(MlirOperation op, void *user_data) {
  use_walk *walk = user_data;
  tune_access access;
  bool is_access = false;
  walk->status = tune_access_read(op, &access, &is_access);
  if (tune_status_is_ok(walk->status) && is_access) {
    walk->status = add_use(walk->pieces, access.memref, !access.writes, access.writes,
                           tune_access_can_be_wide(walk->pieces, &access));
  } else if (tune_pieces_is_matrix_load(op)) {
    walk->status = add_use(walk->pieces, mlirOperationGetOperand(op, 0), true, false,
                           tune_pieces_matrix_can_be_wide(walk->pieces, op));
  } else {
    bool only_reads = tune_ir_is(op, "memref.load") || tune_ir_is(op, "memref.dim");
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && tune_status_is_ok(walk->status);
         ++i) {
      MlirValue operand = mlirOperationGetOperand(op, i);
      if (mlirTypeIsAMemRef(mlirValueGetType(operand)))
        walk->status = add_use(walk->pieces, operand, true, !only_reads, false);
    }
  }
  return tune_status_is_ok(walk->status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

tune_status tune_pieces_list_uses(tune_pieces *pieces, MlirOperation launch) {
  tune_op_map_deinit(&pieces->use_map);
  tune_op_map_init(&pieces->use_map);
  pieces->use_count = 0;
  use_walk walk = {.pieces = pieces};
  mlirOperationWalk(launch, list_use, &walk, MlirWalkPreOrder);
  return walk.status;
}

tune_buffer_use *tune_pieces_find_use(const tune_pieces *pieces, MlirValue memref) {
  size_t index = tune_op_map_get(&pieces->use_map, memref.ptr);
  return index == TUNE_OP_MAP_NONE ? NULL : &pieces->uses[index];
}

static int64_t count_texels(const tune_access *access) {
  int64_t count = 1;
  for (intptr_t i = 0; i < access->memref_rank; ++i)
    count *= access->memref_sizes[i];
  return (count + 3) / 4;
}

bool tune_access_fits_texels(const tune_pieces *pieces, const tune_access *access) {
  const tune_buffer_use *use = tune_pieces_find_use(pieces, access->memref);
  return pieces->texels > 0 && use && !use->is_written && mlirTypeIsAF32(access->element) &&
         tune_access_is_plain(pieces, access) && count_texels(access) <= pieces->texels;
}

// Whether what is written are two of 64 bits.
static bool is_paired(const tune_pieces *pieces, const tune_access *access,
                      const tune_buffer_use *use) {
  return pieces->pairs > 0 && access->writes && !use->is_read && use->is_wide &&
         (mlirTypeIsAF32(access->element) ||
          (mlirTypeIsAInteger(access->element) && mlirIntegerTypeGetWidth(access->element) == 32));
}

bool tune_access_is_of_words(const tune_pieces *pieces, const tune_access *access) {
  return pieces->has_words && tune_pieces_words(access->element) > 0;
}

static MlirType pair_type(MlirContext context) {
  int64_t two = 2;
  return mlirVectorTypeGet(1, &two, mlirIntegerTypeGet(context, 64));
}

tune_access_view tune_access_make_view(const tune_pieces *pieces, const tune_access *access) {
  tune_buffer_use *use = tune_pieces_find_use(pieces, access->memref);
  tune_access_view made = {.memref = access->memref, .step = 1};
  made.is_wide =
      tune_access_can_be_wide(pieces, access) && use && (use->is_wide || !use->is_written);
  bool is_texel = tune_access_fits_texels(pieces, access);
  made.is_flat = is_texel && !made.is_wide;
  intptr_t last = access->shape.rank - 1;
  if (made.is_wide || (made.is_flat && access->shape.width == 4 &&
                       access->dimension[last] == access->memref_rank - 1))
    made.step = 4;
  if (!made.is_wide && !is_texel)
    return made;
  if (made.is_wide && tune_access_is_of_group(pieces, access->memref)) {
    made.memref = tune_pieces_make_fours(use);
    return made;
  }
  MlirContext context = mlirTypeGetContext(access->element);
  int64_t sizes[TUNE_PIECES_RANK], four = 4;
  memcpy(sizes, access->memref_sizes, sizeof sizes);
  MlirType element = access->element;
  if (made.is_wide) {
    sizes[access->memref_rank - 1] /= 4;
    element = mlirVectorTypeGet(1, &four, element);
    if (is_paired(pieces, access, use))
      element = pair_type(context);
    else if (tune_access_is_of_words(pieces, access))
      element = tune_pieces_words_type(context, tune_pieces_words(access->element));
  }
  MlirAttribute space = is_texel ? mlirStringAttrGet(context, tune_ir_string(TUNE_TEXEL_SPACE))
                                 : mlirAttributeGetNull();
  intptr_t rank = access->memref_rank;
  if (made.is_flat) {
    rank = 1;
    sizes[0] = count_texels(access);
    element = mlirVectorTypeGet(1, &four, element);
  }
  MlirType type = mlirMemRefTypeContiguousGet(element, rank, sizes, space);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(pieces->launch, 0));
  tune_ir_builder builder =
      tune_ir_builder_before(is_texel ? mlirBlockGetFirstOperation(body) : pieces->launch);
  made.memref =
      tune_ir_build_value(&builder, "builtin.unrealized_conversion_cast", type, 1, &access->memref);
  return made;
}
