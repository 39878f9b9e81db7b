//===- vector_legalization_memory.c - Reading and writing pieces -------------===//

#include "transforms/lower/gpu/vectors/vector_legalization_memory.h"
#include "transforms/lower/gpu/vectors/vector_legalization_kinds.h"

// Along a buffer's rows a fetch goes on where there is no more of them; other reads have to ask.
static void keep_in_rows(const tune_access_view *from, tune_access *access) {
  for (intptr_t d = 0; d < access->shape.rank; ++d)
    access->is_any[d] &= access->dimension[d] < access->memref_rank - 1 || from->is_flat;
}

static tune_status open_read(tune_pieces *pieces, tune_access *access) {
  const tune_pieces_shape *shape = &access->shape;
  MlirValue *values;
  MlirValue result = mlirOperationGetResult(access->outer, 0);
  TUNE_RETURN_IF_ERROR(tune_pieces_add(pieces, result, shape, &values));
  tune_access_view from = tune_access_make_view(pieces, access);
  keep_in_rows(&from, access);
  tune_ir_builder builder = tune_ir_builder_before(access->outer);
  if (tune_access_is_shared(pieces, access)) {
    TUNE_RETURN_IF_ERROR(tune_access_read_shared(pieces, access, &from, &builder, values));
    if (!mlirTypeIsAVector(mlirValueGetType(result)))
      mlirValueReplaceAllUsesOfWith(result, values[0]);
    return tune_pieces_bury(pieces, access->outer);
  }
  for (int64_t piece = 0; piece < shape->count; ++piece) {
    int64_t place[TUNE_PIECES_RANK];
    MlirValue elements[4];
    for (int64_t i = 0; i < shape->width; i += from.step) {
      tune_pieces_unravel(piece * shape->width + i, shape->rank, shape->sizes, place);
      elements[i] = tune_access_load(&builder, &from, access, place, NULL);
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
  tune_access_view to = tune_access_make_view(pieces, access);
  tune_ir_builder builder = tune_ir_builder_before(access->outer);
  int64_t step = to.is_wide ? 4 : 1;
  for (int64_t at = 0; at < shape->count * shape->width; at += step) {
    int64_t place[TUNE_PIECES_RANK];
    tune_pieces_unravel(at, shape->rank, shape->sizes, place);
    MlirValue value = to.is_wide ? list.values[at / 4] : tune_pieces_element(&builder, &list, at);
    tune_access_store(&builder, &to, access, tune_access_locate(&builder, access, place, NULL),
                      value);
  }
  return tune_pieces_bury(pieces, access->outer);
}

// A scalar that is read where it may come from a texel buffer.
static tune_status open_scalar_load(tune_pieces *pieces, MlirOperation op) {
  tune_access access;
  bool is_access;
  TUNE_RETURN_IF_ERROR(tune_access_read_scalar(op, &access, &is_access));
  if (!is_access || !tune_access_fits_texels(pieces, &access))
    return TUNE_OK;
  tune_access_view from = tune_access_make_view(pieces, &access);
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
    tune_pieces_open_matrix_load(tune_pieces_find_use(pieces, mlirOperationGetOperand(op, 0)), op);
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
