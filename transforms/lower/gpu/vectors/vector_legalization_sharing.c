//===- vector_legalization_sharing.c - Reads that the lanes of a subgroup share -===//

#include "transforms/lower/gpu/vectors/vector_legalization_memory.h"

#include "transforms/lower/common/memory_access.h"

#include <stdlib.h>

// What is made in the kernel each invocation has for itself, with something else in it.
bool tune_access_is_shared(const tune_pieces *pieces, const tune_access *access) {
  int64_t pieces_of_view = access->shape.count;
  return pieces->share > 1 && pieces_of_view >= pieces->share &&
         !tune_ir_is_made_inside(tune_memory_access_root(access->memref), pieces->launch) &&
         tune_access_is_uniform(pieces, access);
}

static MlirValue shuffle(const tune_ir_builder *builder, MlirValue value, int64_t lane,
                         int64_t lanes) {
  MlirType i32 = mlirIntegerTypeGet(builder->context, 32),
           types[] = {mlirValueGetType(value), mlirIntegerTypeGet(builder->context, 1)};
  MlirValue operands[] = {value,
                          tune_ir_build_constant(builder, i32, mlirIntegerAttrGet(i32, lane)),
                          tune_ir_build_constant(builder, i32, mlirIntegerAttrGet(i32, lanes))};
  MlirNamedAttribute mode = tune_ir_named(
      builder->context, "mode",
      mlirAttributeParseGet(builder->context, tune_ir_string("#gpu<shuffle_mode idx>")));
  tune_ir_parts parts = {.name = "gpu.shuffle",
                         .operand_count = 3,
                         .operands = operands,
                         .type_count = 2,
                         .types = types,
                         .attribute_count = 1,
                         .attributes = &mode};
  return tune_ir_build_result(builder, &parts);
}

// A piece of four elements of lane `lane`, one after the other.
static MlirValue shuffle_four(const tune_ir_builder *builder, MlirValue value,
                              const tune_pieces_shape *shape, int64_t lane, int64_t lanes) {
  MlirValue elements[4];
  tune_piece_list one = {*shape, &value};
  for (int64_t i = 0; i < shape->width; ++i)
    elements[i] = shuffle(builder, tune_pieces_element(builder, &one, i), lane, lanes);
  return tune_ir_build_value(builder, "vector.from_elements",
                             tune_pieces_type(shape, shape->element), shape->width, elements);
}

// The same of narrow elements, as words, which every device that shuffles passes on.
static MlirValue shuffle_words(const tune_ir_builder *builder, MlirValue value, int64_t words,
                               int64_t lane, int64_t lanes) {
  MlirType type = mlirValueGetType(value),
           of_words = tune_pieces_words_type(builder->context, words);
  MlirValue given = tune_pieces_bitcast(builder, value, of_words), taken[2];
  for (int64_t i = 0; i < words; ++i)
    taken[i] = shuffle(builder, tune_ir_build_lane(builder, given, i), lane, lanes);
  MlirValue all = tune_ir_build_value(builder, "vector.from_elements", of_words, words, taken);
  return tune_pieces_bitcast(builder, all, type);
}

// Lane l reads its share of the pieces, one after the other, so that it is known of each where in
// its texel it begins, if their number is a multiple of four; what is left where there is no such
// share some read twice.
static tune_status read_shared(const tune_pieces *pieces, const tune_access *access,
                               const tune_access_view *from, const tune_ir_builder *builder,
                               MlirValue *values) {
  const tune_pieces_shape *shape = &access->shape;
  int64_t lanes = pieces->share, rounds = (shape->count + lanes - 1) / lanes;
  MlirType index = mlirIndexTypeGet(builder->context);
  MlirValue lane = tune_ir_build_value(builder, "gpu.lane_id", index, 0, NULL);
  MlirValue *loaded = calloc((size_t)rounds, sizeof *loaded);
  if (!loaded)
    return tune_pieces_out_of_memory();
  for (int64_t round = 0; round < rounds; ++round) {
    MlirValue first =
        tune_ir_build_binary(builder, "arith.muli", lane, tune_ir_build_index(builder, rounds));
    MlirValue piece = tune_access_add_constant(builder, first, round);
    if (lanes * rounds > shape->count)
      piece = tune_ir_build_binary(builder, "arith.minui", piece,
                                   tune_ir_build_index(builder, shape->count - 1));
    MlirValue place[TUNE_PIECES_RANK];
    for (intptr_t d = shape->rank; d-- > 0;) {
      bool is_last = d == shape->rank - 1;
      int64_t size = is_last ? shape->sizes[d] / shape->width : shape->sizes[d];
      MlirValue extent = tune_ir_build_index(builder, size), part = piece;
      if (d > 0 && size > 1) {
        part = tune_ir_build_binary(builder, "arith.remui", piece, extent);
        piece = tune_ir_build_binary(builder, "arith.divui", piece, extent);
      }
      if (size == 1)
        part = tune_ir_build_index(builder, 0);
      if (is_last && shape->width > 1)
        part = tune_ir_build_binary(builder, "arith.muli", part,
                                    tune_ir_build_index(builder, shape->width));
      place[d] = part;
    }
    loaded[round] = tune_access_load(builder, from, access, NULL, place);
  }
  int64_t words = tune_access_is_of_words(pieces, access) ? tune_pieces_words(access->element) : 0;
  for (int64_t piece = 0; piece < shape->count; ++piece) {
    MlirValue value = loaded[piece % rounds];
    if (shape->width == 1) {
      values[piece] = shuffle(builder, value, piece / rounds, lanes);
      continue;
    }
    values[piece] = words ? shuffle_words(builder, value, words, piece / rounds, lanes)
                          : shuffle_four(builder, value, shape, piece / rounds, lanes);
  }
  free(loaded);
  return TUNE_OK;
}

// Elements that a view gives one by one are shared as such, and put together after.
static tune_status read_shared_elements(const tune_pieces *pieces, const tune_access *access,
                                        const tune_access_view *from,
                                        const tune_ir_builder *builder, MlirValue *values) {
  tune_access apart = *access;
  apart.shape.width = 1;
  apart.shape.count = access->shape.count * access->shape.width;
  MlirValue *elements = calloc((size_t)apart.shape.count, sizeof *elements);
  if (!elements)
    return tune_pieces_out_of_memory();
  tune_status status = read_shared(pieces, &apart, from, builder, elements);
  if (tune_status_is_ok(status))
    tune_pieces_assemble(builder, &access->shape, elements, values);
  free(elements);
  return status;
}

tune_status tune_access_read_shared(const tune_pieces *pieces, const tune_access *access,
                                    const tune_access_view *from, const tune_ir_builder *builder,
                                    MlirValue *values) {
  return from->step == access->shape.width
             ? read_shared(pieces, access, from, builder, values)
             : read_shared_elements(pieces, access, from, builder, values);
}
