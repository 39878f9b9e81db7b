//===- vector_legalization_places.c - Loads and stores at places of a vector -===//

#include "transforms/lower/gpu/vectors/vector_legalization_memory.h"

// `a` and `b`, of which either may be null: true.
static MlirValue conjoin(const tune_ir_builder *builder, MlirValue a, MlirValue b) {
  if (mlirValueIsNull(a) || mlirValueIsNull(b))
    return mlirValueIsNull(a) ? b : a;
  return tune_ir_build_binary(builder, "arith.andi", a, b);
}

MlirValue tune_access_add_constant(const tune_ir_builder *builder, MlirValue value,
                                   int64_t constant) {
  int64_t known;
  if (constant == 0)
    return value;
  if (tune_ir_is_constant_index(value, &known))
    return tune_ir_build_index(builder, known + constant);
  return tune_ir_build_binary(builder, "arith.addi", value, tune_ir_build_index(builder, constant));
}

// value < limit as a condition; null where it is known to hold.
static MlirValue below(const tune_ir_builder *builder, MlirValue value, MlirValue limit) {
  int64_t a, b;
  if (tune_ir_is_constant_index(value, &a) && tune_ir_is_constant_index(limit, &b) && a < b)
    return (MlirValue){NULL};
  return tune_ir_build_compare(builder, "slt", value, limit);
}

tune_access_location tune_access_locate(const tune_ir_builder *builder, const tune_access *access,
                                        const int64_t *place, const MlirValue *dynamic) {
  tune_access_location at = {.condition = {NULL}};
  for (intptr_t m = 0; m < access->memref_rank; ++m)
    at.indices[m] = access->indices[m];
  for (intptr_t d = 0; d < access->shape.rank; ++d) {
    intptr_t m = access->dimension[d];
    if (!mlirValueIsNull(access->bounds[d])) {
      MlirValue position = dynamic ? dynamic[d] : tune_ir_build_index(builder, place[d]);
      at.condition = conjoin(builder, at.condition, below(builder, position, access->bounds[d]));
    }
    if (m < 0)
      continue;
    at.indices[m] = dynamic ? tune_ir_build_binary(builder, "arith.addi", at.indices[m], dynamic[d])
                            : tune_access_add_constant(builder, at.indices[m], place[d]);
    if (!access->in_bounds[d] && !access->is_any[d])
      at.condition = conjoin(
          builder, at.condition,
          below(builder, at.indices[m], tune_ir_build_index(builder, access->memref_sizes[m])));
  }
  at.residue = tune_access_residue(access, at.indices);
  // What may be anything is read from the last that there is, as if it were in its own place.
  for (intptr_t d = 0; d < access->shape.rank; ++d) {
    intptr_t m = access->dimension[d];
    if (m >= 0 && m < access->memref_rank - 1 && access->is_any[d] && !access->in_bounds[d])
      at.indices[m] =
          tune_ir_build_binary(builder, "arith.minui", at.indices[m],
                               tune_ir_build_index(builder, access->memref_sizes[m] - 1));
  }
  if (mlirValueIsNull(at.condition) || access->writes)
    return at;
  // Nothing is read where it is not there: the first element is instead.
  MlirValue zero = tune_ir_build_index(builder, 0);
  for (intptr_t m = 0; m < access->memref_rank; ++m) {
    MlirValue operands[] = {at.condition, at.indices[m], zero};
    at.indices[m] =
        tune_ir_build_value(builder, "arith.select", mlirValueGetType(zero), 3, operands);
  }
  return at;
}

// What is at `at`, or garbage where the condition does not hold.
static MlirValue load_any(const tune_ir_builder *builder, const tune_access_view *from,
                          const tune_access *access, const tune_access_location *at) {
  if (from->is_flat)
    return tune_access_fetch(builder, from->memref, access, at->indices, at->residue, from->step);
  MlirValue operands[1 + TUNE_PIECES_RANK] = {from->memref};
  for (intptr_t m = 0; m < access->memref_rank; ++m)
    operands[1 + m] = at->indices[m];
  if (from->is_wide)
    operands[access->memref_rank] = tune_access_divide(builder, operands[access->memref_rank], 4);
  MlirValue loaded = tune_ir_build_value(
      builder, "memref.load", mlirShapedTypeGetElementType(mlirValueGetType(from->memref)),
      1 + access->memref_rank, operands);
  return from->is_wide ? tune_pieces_bitcast(builder, loaded,
                                             tune_pieces_type(&access->shape, access->element))
                       : loaded;
}

static MlirValue choose(const tune_ir_builder *builder, MlirValue condition, MlirValue a,
                        MlirValue b) {
  if (mlirValueIsNull(condition))
    return a;
  MlirType type = mlirValueGetType(a);
  if (mlirTypeIsAVector(type)) // older SPIR-V has no other choice between vectors
    condition = tune_pieces_splat(builder, mlirShapedTypeGetDimSize(type, 0), condition);
  MlirValue operands[] = {condition, a, b};
  return tune_ir_build_value(builder, "arith.select", type, 3, operands);
}

MlirValue tune_access_load(const tune_ir_builder *builder, const tune_access_view *from,
                           const tune_access *access, const int64_t *place,
                           const MlirValue *dynamic) {
  tune_access_location at = tune_access_locate(builder, access, place, dynamic);
  MlirValue value = load_any(builder, from, access, &at);
  intptr_t last = access->shape.rank - 1;
  bool is_of_fours = from->is_flat && from->step == 4; // along the last dimension, so there is one
  bool may_end_within = is_of_fours && ((!access->in_bounds[last] && !access->is_any[last]) ||
                                        !mlirValueIsNull(access->bounds[last]));
  if (!may_end_within)
    return choose(builder, at.condition, value,
                  mlirValueIsNull(at.condition)
                      ? value
                      : tune_pieces_splat(builder, from->step, access->padding));
  tune_pieces_shape shape = {
      .element = access->element, .rank = 1, .sizes = {4}, .width = 4, .count = 1};
  tune_piece_list list = {shape, &value};
  MlirValue elements[4];
  for (int64_t i = 0; i < 4; ++i) {
    int64_t there[TUNE_PIECES_RANK] = {0};
    MlirValue moved[TUNE_PIECES_RANK];
    for (intptr_t d = 0; d <= last; ++d) {
      if (dynamic)
        moved[d] = d == last ? tune_access_add_constant(builder, dynamic[d], i) : dynamic[d];
      else
        there[d] = place[d] + (d == last ? i : 0);
    }
    MlirValue condition =
        tune_access_locate(builder, access, there, dynamic ? moved : NULL).condition;
    elements[i] =
        choose(builder, condition, tune_pieces_element(builder, &list, i), access->padding);
  }
  return tune_ir_build_value(builder, "vector.from_elements",
                             tune_pieces_type(&shape, shape.element), 4, elements);
}

void tune_access_store(const tune_ir_builder *builder, const tune_access_view *to,
                       const tune_access *access, tune_access_location at, MlirValue value) {
  tune_ir_builder inner = *builder;
  if (!mlirValueIsNull(at.condition))
    inner = tune_ir_build_if(builder, at.condition);
  MlirType stored = mlirShapedTypeGetElementType(mlirValueGetType(to->memref));
  if (to->is_wide)
    value = tune_pieces_bitcast(&inner, value, stored);
  MlirValue operands[2 + TUNE_PIECES_RANK] = {value, to->memref};
  for (intptr_t m = 0; m < access->memref_rank; ++m)
    operands[2 + m] = at.indices[m];
  if (to->is_wide)
    operands[1 + access->memref_rank] =
        tune_access_divide(&inner, operands[1 + access->memref_rank], 4);
  tune_ir_build(&inner, &(tune_ir_parts){.name = "memref.store",
                                         .operand_count = 2 + access->memref_rank,
                                         .operands = operands});
}
