//===- vector_legalization_memory.c - Reading and writing pieces -------------===//

#include "transforms/lower/gpu/vectors/vector_legalization_access.h"

#include <stdlib.h>

//===--------------------------------------------------------------------------===//
// Buffers within a launch
//===--------------------------------------------------------------------------===//

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

static tune_buffer_use *find_use(const tune_pieces *pieces, MlirValue memref) {
  size_t index = tune_op_map_get(&pieces->use_map, memref.ptr);
  return index == TUNE_OP_MAP_NONE ? NULL : &pieces->uses[index];
}

// What a buffer is accessed through: itself, or a view of it.
typedef struct view {
  MlirValue memref;
  bool is_wide; // of fours, the last dimension a quarter as long
  bool is_flat; // of texels, in one dimension
  int64_t step; // elements that are accessed at once: 4 or 1
} view;

static int64_t count_texels(const tune_access *access) {
  int64_t count = 1;
  for (intptr_t i = 0; i < access->memref_rank; ++i)
    count *= access->memref_sizes[i];
  return (count + 3) / 4;
}

static bool fits_texels(const tune_pieces *pieces, const tune_access *access) {
  const tune_buffer_use *use = find_use(pieces, access->memref);
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

// Whether fours are words of 32 bits.
static bool is_of_words(const tune_pieces *pieces, const tune_access *access) {
  return pieces->has_words && tune_pieces_words(access->element) > 0;
}

static MlirType pair_type(MlirContext context) {
  int64_t two = 2;
  return mlirVectorTypeGet(1, &two, mlirIntegerTypeGet(context, 64));
}

static view make_view(const tune_pieces *pieces, const tune_access *access) {
  tune_buffer_use *use = find_use(pieces, access->memref);
  view made = {.memref = access->memref, .step = 1};
  made.is_wide =
      tune_access_can_be_wide(pieces, access) && use && (use->is_wide || !use->is_written);
  bool is_texel = fits_texels(pieces, access);
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
    else if (is_of_words(pieces, access))
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
  MlirBlock body = tune_ir_body(pieces->launch);
  tune_ir_builder builder =
      tune_ir_builder_before(is_texel ? mlirBlockGetFirstOperation(body) : pieces->launch);
  made.memref =
      tune_ir_build_value(&builder, "builtin.unrealized_conversion_cast", type, 1, &access->memref);
  return made;
}

//===--------------------------------------------------------------------------===//
// Places and conditions
//===--------------------------------------------------------------------------===//

// `a` and `b`, of which either may be null: true.
static MlirValue conjoin(const tune_ir_builder *builder, MlirValue a, MlirValue b) {
  if (mlirValueIsNull(a) || mlirValueIsNull(b))
    return mlirValueIsNull(a) ? b : a;
  return tune_ir_build_binary(builder, "arith.andi", a, b);
}

static MlirValue add_constant(const tune_ir_builder *builder, MlirValue value, int64_t constant) {
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

// Where a piece lies in memory, and whether it does.
typedef struct location {
  MlirValue indices[TUNE_PIECES_RANK];
  MlirValue condition; // null: always
  int residue;         // of the place, as tune_access_residue
} location;

// Of the element at `place` of the vector, each dimension a constant or, where `dynamic` is not
// NULL, a value.
static location locate(const tune_ir_builder *builder, const tune_access *access,
                       const int64_t *place, const MlirValue *dynamic) {
  location at = {.condition = {NULL}};
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
                            : add_constant(builder, at.indices[m], place[d]);
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
static MlirValue load_any(const tune_ir_builder *builder, const view *from,
                          const tune_access *access, const location *at) {
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
  return tune_ir_build_select(builder, condition, a, b);
}

// The elements from the place on, as many as the view gives at once; see locate.
static MlirValue load(const tune_ir_builder *builder, const view *from, const tune_access *access,
                      const int64_t *place, const MlirValue *dynamic) {
  location at = locate(builder, access, place, dynamic);
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
        moved[d] = d == last ? add_constant(builder, dynamic[d], i) : dynamic[d];
      else
        there[d] = place[d] + (d == last ? i : 0);
    }
    MlirValue condition = locate(builder, access, there, dynamic ? moved : NULL).condition;
    elements[i] =
        choose(builder, condition, tune_pieces_element(builder, &list, i), access->padding);
  }
  return tune_ir_build_value(builder, "vector.from_elements",
                             tune_pieces_type(&shape, shape.element), 4, elements);
}

static void store(const tune_ir_builder *builder, const view *to, const tune_access *access,
                  location at, MlirValue value) {
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

//===--------------------------------------------------------------------------===//
// Reads that a subgroup shares
//===--------------------------------------------------------------------------===//

// Whether all lanes of a subgroup read the same, all of them, and enough of it to be divided.
static bool is_shared(const tune_pieces *pieces, const tune_access *access) {
  int64_t pieces_of_view = access->shape.count;
  return pieces->share > 1 && pieces_of_view >= pieces->share &&
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
    taken[i] = shuffle(builder, tune_pieces_extract(builder, given, i), lane, lanes);
  MlirValue all = tune_ir_build_value(builder, "vector.from_elements", of_words, words, taken);
  return tune_pieces_bitcast(builder, all, type);
}

// Lane l reads its share of the pieces, one after the other, so that it is known of each where in
// its texel it begins, if their number is a multiple of four; what is left where there is no such
// share some read twice.
static tune_status read_shared(const tune_pieces *pieces, const tune_access *access,
                               const view *from, const tune_ir_builder *builder,
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
    MlirValue piece = add_constant(builder, first, round);
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
    loaded[round] = load(builder, from, access, NULL, place);
  }
  int64_t words = is_of_words(pieces, access) ? tune_pieces_words(access->element) : 0;
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

//===--------------------------------------------------------------------------===//
// Whole accesses
//===--------------------------------------------------------------------------===//

// Elements that a view gives one by one are shared as such, and put together after.
static tune_status read_shared_elements(const tune_pieces *pieces, const tune_access *access,
                                        const view *from, const tune_ir_builder *builder,
                                        MlirValue *values) {
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

// Along a buffer's rows a fetch goes on where there is no more of them; other reads have to ask.
static void keep_in_rows(const view *from, tune_access *access) {
  for (intptr_t d = 0; d < access->shape.rank; ++d)
    access->is_any[d] &= access->dimension[d] < access->memref_rank - 1 || from->is_flat;
}

static tune_status open_read(tune_pieces *pieces, tune_access *access) {
  const tune_pieces_shape *shape = &access->shape;
  MlirValue *values;
  MlirValue result = mlirOperationGetResult(access->outer, 0);
  TUNE_RETURN_IF_ERROR(tune_pieces_add(pieces, result, shape, &values));
  view from = make_view(pieces, access);
  keep_in_rows(&from, access);
  tune_ir_builder builder = tune_ir_builder_before(access->outer);
  if (is_shared(pieces, access)) {
    TUNE_RETURN_IF_ERROR(from.step == shape->width
                             ? read_shared(pieces, access, &from, &builder, values)
                             : read_shared_elements(pieces, access, &from, &builder, values));
    if (!mlirTypeIsAVector(mlirValueGetType(result)))
      mlirValueReplaceAllUsesOfWith(result, values[0]);
    return tune_pieces_bury(pieces, access->outer);
  }
  for (int64_t piece = 0; piece < shape->count; ++piece) {
    int64_t place[TUNE_PIECES_RANK];
    MlirValue elements[4];
    for (int64_t i = 0; i < shape->width; i += from.step) {
      tune_pieces_unravel(piece * shape->width + i, shape->rank, shape->sizes, place);
      elements[i] = load(&builder, &from, access, place, NULL);
    }
    values[piece] =
        from.step == shape->width
            ? elements[0]
            : tune_ir_build_value(&builder, "vector.from_elements",
                                  tune_pieces_type(shape, shape->element), shape->width, elements);
  }
  if (!mlirTypeIsAVector(mlirValueGetType(result)))
    mlirValueReplaceAllUsesOfWith(result, values[0]);
  return tune_pieces_bury(pieces, access->outer);
}

static tune_status open_write(tune_pieces *pieces, const tune_access *access) {
  const tune_pieces_shape *shape = &access->shape;
  tune_piece_list list;
  TUNE_RETURN_IF_ERROR(tune_pieces_find(pieces, access->op, access->value, &list));
  view to = make_view(pieces, access);
  tune_ir_builder builder = tune_ir_builder_before(access->outer);
  int64_t step = to.is_wide ? 4 : 1;
  for (int64_t at = 0; at < shape->count * shape->width; at += step) {
    int64_t place[TUNE_PIECES_RANK];
    tune_pieces_unravel(at, shape->rank, shape->sizes, place);
    MlirValue value = to.is_wide ? list.values[at / 4] : tune_pieces_element(&builder, &list, at);
    store(&builder, &to, access, locate(&builder, access, place, NULL), value);
  }
  return tune_pieces_bury(pieces, access->outer);
}

// A scalar that is read where it may come from a texel buffer.
static tune_status open_scalar_load(tune_pieces *pieces, MlirOperation op) {
  tune_access access;
  bool is_access;
  TUNE_RETURN_IF_ERROR(tune_access_read_scalar(op, &access, &is_access));
  if (!is_access || !fits_texels(pieces, &access))
    return TUNE_OK;
  view from = make_view(pieces, &access);
  tune_ir_builder builder = tune_ir_builder_before(op);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0),
                                tune_access_fetch(&builder, from.memref, &access, access.indices,
                                                  tune_access_residue(&access, access.indices), 1));
  return tune_pieces_bury(pieces, op);
}

bool tune_pieces_is_access(MlirOperation op) {
  static const char *const NAMES[] = {
      "vector.transfer_read", "vector.transfer_write", "vector.load",          "vector.store",
      "vector.mask",          "vector.create_mask",    "vector.constant_mask", "memref.load"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i)
    if (tune_ir_is(op, NAMES[i]))
      return true;
  return tune_pieces_is_matrix_load(op);
}

tune_status tune_pieces_open_access(tune_pieces *pieces, MlirOperation op) {
  // Masks are read off the ops that make them by what they mask.
  if (tune_ir_is(op, "vector.create_mask") || tune_ir_is(op, "vector.constant_mask"))
    return tune_pieces_bury(pieces, op);
  if (mlirOperationIsNull(pieces->launch))
    return tune_ir_is(op, "memref.load") ? TUNE_OK : tune_pieces_refuse(op);
  if (tune_ir_is(op, "memref.load"))
    return open_scalar_load(pieces, op);
  if (tune_pieces_is_matrix_load(op)) {
    tune_pieces_open_matrix_load(find_use(pieces, mlirOperationGetOperand(op, 0)), op);
    return TUNE_OK;
  }
  MlirOperation inner = op;
  if (tune_ir_is(op, "vector.mask"))
    inner = mlirBlockGetFirstOperation(tune_ir_body(op));
  tune_access access;
  bool is_access;
  TUNE_RETURN_IF_ERROR(tune_access_read(inner, &access, &is_access));
  if (!is_access)
    return tune_pieces_refuse(inner);
  return access.writes ? open_write(pieces, &access) : open_read(pieces, &access);
}
