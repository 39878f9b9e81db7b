//===- nest_maps.c ----------------------------------------------------------------===//

#include "transforms/normalize/nest_maps.h"

#include "transforms/ir/op_list.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Dialect/Linalg.h"

enum { OPERANDS = TUNE_NEST_MAPS_OPERANDS };
_Static_assert(OPERANDS <= TUNE_TENSOR_MAX_OPERANDS, "they are built anew");

static MlirWalkResult find_index(MlirOperation op, void *user_data) {
  *(bool *)user_data |= tune_ir_is(op, "linalg.index");
  return MlirWalkResultAdvance;
}

static bool has_indices(MlirOperation op) {
  bool found = false;
  mlirOperationWalk(op, find_index, &found, MlirWalkPreOrder);
  return found;
}

intptr_t tune_nest_maps_dimension(MlirAffineMap map, intptr_t loop) {
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); ++d)
    if (tune_nest_maps_loop(map, d) == loop)
      return d;
  return -1;
}

intptr_t tune_nest_maps_only_dimension(MlirAffineMap map, intptr_t loop) {
  intptr_t uses = 0;
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); ++d)
    uses += mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, d), loop);
  return uses == 1 ? tune_nest_maps_dimension(map, loop) : -1;
}

bool tune_nest_maps_is_plain(MlirAffineMap map) {
  bool is_in_it[TUNE_IR_MAX_LOOPS] = {false};
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); ++d) {
    intptr_t loop = tune_nest_maps_loop(map, d);
    if (loop < 0 ? !mlirAffineExprIsAConstant(mlirAffineMapGetResult(map, d)) : is_in_it[loop])
      return false;
    if (loop >= 0)
      is_in_it[loop] = true;
  }
  return true;
}

bool tune_nest_maps_read_any(MlirOperation op, tune_nest_maps *out) {
  if (mlirOperationIsNull(op) || !tune_ir_string_starts(tune_ir_name(op), "linalg."))
    return false;
  *out = (tune_nest_maps){.op = op, .operand_count = mlirOperationGetNumOperands(op)};
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
  if (mlirAttributeIsNull(maps) || mlirOperationGetNumResults(op) != 1 ||
      mlirOperationGetNumRegions(op) != 1 || mlirBlockIsNull(tune_ir_body(op)) ||
      out->operand_count < 1 || out->operand_count > OPERANDS ||
      mlirArrayAttrGetNumElements(maps) != out->operand_count)
    return false;
  for (intptr_t o = 0; o < out->operand_count; ++o) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, o));
    out->maps[o] = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, o));
    out->loop_count = mlirAffineMapGetNumDims(out->maps[o]);
    intptr_t rank = mlirAffineMapGetNumResults(out->maps[o]);
    // Scalars have no dimensions either.
    if (out->loop_count > TUNE_IR_MAX_LOOPS || rank > TUNE_IR_MAX_RANK ||
        (mlirTypeIsARankedTensor(type) ? !tune_tensor_is_plain(type) : rank > 0))
      return false;
    for (intptr_t d = 0; d < rank; ++d) {
      intptr_t loop = tune_nest_maps_loop(out->maps[o], d);
      if (loop >= 0)
        out->extents[loop] = mlirShapedTypeGetDimSize(type, d);
    }
  }
  return tune_nest_maps_is_plain(tune_nest_maps_result(out));
}

bool tune_nest_maps_read(MlirOperation op, tune_nest_maps *out) {
  return tune_nest_maps_read_any(op, out) && !has_indices(op);
}

MlirAffineMap tune_nest_maps_result(const tune_nest_maps *n) {
  return n->maps[n->operand_count - 1];
}

intptr_t tune_nest_maps_loop(MlirAffineMap map, intptr_t dimension) {
  MlirAffineExpr index = mlirAffineMapGetResult(map, dimension);
  return mlirAffineExprIsADim(index) ? mlirAffineDimExprGetPosition(index) : -1;
}

bool tune_nest_maps_has(MlirAffineMap map, intptr_t loop) {
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); ++d)
    if (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, d), loop))
      return true;
  return false;
}

bool tune_nest_maps_reduces(const tune_nest_maps *n) {
  for (intptr_t loop = 0; loop < n->loop_count; ++loop)
    if (n->extents[loop] != 1 && !tune_nest_maps_has(tune_nest_maps_result(n), loop))
      return true;
  return false;
}

bool tune_nest_maps_is_on_elements(const tune_nest_maps *n) {
  for (intptr_t loop = 0; loop < n->loop_count; ++loop)
    if (!tune_nest_maps_has(tune_nest_maps_result(n), loop))
      return false;
  return true;
}

bool tune_nest_maps_moves(const tune_nest_maps *n) {
  MlirBlock body = tune_ir_body(n->op);
  MlirOperation first = mlirBlockGetFirstOperation(body);
  return n->operand_count == 2 && tune_ir_is(first, "linalg.yield") &&
         mlirValueEqual(mlirOperationGetOperand(first, 0), mlirBlockGetArgument(body, 0));
}

MlirAffineMap tune_nest_maps_compose(MlirAffineMap map, MlirAffineMap by) {
  MlirAffineExpr indices[TUNE_IR_MAX_RANK];
  intptr_t rank = mlirAffineMapGetNumResults(map);
  for (intptr_t d = 0; d < rank; ++d)
    indices[d] = mlirAffineExprCompose(mlirAffineMapGetResult(map, d), by);
  return mlirAffineMapGet(mlirAffineMapGetContext(by), mlirAffineMapGetNumDims(by), 0, rank,
                          indices);
}

void tune_nest_maps_drop_units(tune_nest_maps *n) {
  MlirAffineMap result = tune_nest_maps_result(n);
  MlirContext context = mlirOperationGetContext(n->op);
  for (intptr_t loop = 0; loop < n->loop_count; ++loop)
    if (n->extents[loop] == 1 && !tune_nest_maps_has(result, loop))
      for (intptr_t o = 0; o < n->operand_count; ++o)
        n->maps[o] = mlirAffineMapReplace(n->maps[o], mlirAffineDimExprGet(context, loop),
                                          mlirAffineConstantExprGet(context, 0), n->loop_count, 0);
}

// What the loops become by `maps`: first those of the result, in its order. Returns how many.
static intptr_t number_loops(const tune_nest_maps *n, const MlirAffineMap *maps,
                             MlirAffineExpr *to) {
  MlirContext context = mlirOperationGetContext(n->op);
  MlirAffineMap result = maps[n->operand_count - 1];
  bool is_done[TUNE_IR_MAX_LOOPS] = {false};
  intptr_t left = 0;
  for (intptr_t d = 0; d < mlirAffineMapGetNumResults(result); ++d) {
    intptr_t loop = tune_nest_maps_loop(result, d);
    if (loop >= 0 && !is_done[loop]) {
      to[loop] = mlirAffineDimExprGet(context, left++);
      is_done[loop] = true;
    }
  }
  for (intptr_t loop = 0; loop < n->loop_count; ++loop) {
    if (is_done[loop])
      continue;
    bool is_kept = n->extents[loop] != 1;
    for (intptr_t o = 0; o < n->operand_count; ++o)
      is_kept |= tune_nest_maps_has(maps[o], loop);
    to[loop] =
        is_kept ? mlirAffineDimExprGet(context, left++) : mlirAffineConstantExprGet(context, 0);
  }
  return left;
}

// What loops have become.
typedef struct renumbering {
  const MlirAffineExpr *to;
  tune_op_list gone; // linalg.index of loops that are left out
} renumbering;

// The index of a loop that is another one by now, or 0.
static MlirWalkResult renumber_index(MlirOperation op, void *user_data) {
  renumbering *self = user_data;
  if (!tune_ir_is(op, "linalg.index"))
    return MlirWalkResultAdvance;
  MlirAttribute dim = tune_ir_attribute(op, "dim");
  MlirAffineExpr loop = self->to[mlirIntegerAttrGetValueInt(dim)];
  if (mlirAffineExprIsADim(loop)) {
    mlirOperationSetAttributeByName(
        op, tune_ir_string("dim"),
        mlirIntegerAttrGet(mlirAttributeGetType(dim), mlirAffineDimExprGetPosition(loop)));
  } else {
    tune_ir_builder b = tune_ir_builder_before(op);
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), tune_ir_build_index(&b, 0));
    tune_op_list_add(&self->gone, op); // without memory it stays, and is used by nothing
  }
  return MlirWalkResultAdvance;
}

static void renumber_indices(MlirOperation op, const MlirAffineExpr *to) {
  renumbering state = {.to = to};
  mlirOperationWalk(op, renumber_index, &state, MlirWalkPreOrder);
  for (size_t i = 0; i < state.gone.count; ++i)
    mlirOperationDestroy(state.gone.ops[i]);
  tune_op_list_deinit(&state.gone);
}

MlirValue tune_nest_maps_build(const tune_nest_maps *n, const MlirValue *operands,
                               const MlirAffineMap *maps) {
  tune_ir_builder b = tune_ir_builder_before(n->op);
  MlirAffineExpr to[TUNE_IR_MAX_LOOPS];
  intptr_t left = number_loops(n, maps, to);
  MlirAffineMap renumbered[OPERANDS], by = mlirAffineMapGet(b.context, left, 0, n->loop_count, to);
  for (intptr_t o = 0; o < n->operand_count; ++o)
    renumbered[o] = tune_nest_maps_compose(maps[o], by);
  MlirOperation op =
      tune_tensor_generic(&b, n->operand_count, operands, renumbered, tune_ir_clone_region(n->op));
  tune_ir_copy_attributes(n->op, op);
  renumber_indices(op, to);
  return mlirOperationGetResult(op, 0);
}
