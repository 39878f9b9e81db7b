//===- narrow_factors.c -------------------------------------------------------------===//

#include "transforms/normalize/quantized/narrow_factors.h"

#include "transforms/normalize/spread.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

enum { MOST_MOVES = 8 }; // between an op that widens and the product

// A factor that was widened, and what moved its elements since, the last first.
typedef struct factor {
  MlirValue source; // narrow
  MlirOperation moves[MOST_MOVES];
  size_t move_count;
} factor;

//===--- Finding ------------------------------------------------------------------------===//

// Whether `narrow` has the sizes of `wide`, all of them known.
static bool has_sizes_of(MlirValue narrow, MlirValue wide) {
  return tune_tensor_is_plain(mlirValueGetType(wide)) &&
         mlirTypeEqual(mlirValueGetType(narrow),
                       tune_ir_with_element(mlirValueGetType(wide), tune_ir_element_of(narrow)));
}

static bool is_identity(MlirAttribute maps, intptr_t operand) {
  return mlirAffineMapIsIdentity(mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, operand)));
}

// Whether `op` does nothing but to widen the elements of a narrow tensor to f32.
static bool widens(MlirOperation op) {
  if (!tune_ir_is(op, "linalg.generic") || mlirOperationGetNumOperands(op) != 2 ||
      mlirOperationGetNumResults(op) != 1 ||
      !tune_ir_is_short_float(tune_ir_element_of(mlirOperationGetOperand(op, 0))))
    return false;
  MlirBlock body = tune_ir_body(op);
  MlirOperation first = mlirBlockGetFirstOperation(body), last = mlirOperationGetNextInBlock(first);
  MlirAttribute maps = tune_ir_attribute(op, "indexing_maps");
  return has_sizes_of(mlirOperationGetOperand(op, 0), mlirOperationGetResult(op, 0)) &&
         is_identity(maps, 0) && is_identity(maps, 1) && tune_ir_is(first, "arith.extf") &&
         mlirValueEqual(mlirOperationGetOperand(first, 0), mlirBlockGetArgument(body, 0)) &&
         tune_ir_is(last, "linalg.yield") &&
         mlirValueEqual(mlirOperationGetOperand(last, 0), mlirOperationGetResult(first, 0)) &&
         mlirTypeIsAF32(mlirValueGetType(mlirOperationGetResult(first, 0)));
}

static bool moves(MlirOperation op) {
  return (tune_ir_is(op, "tensor.collapse_shape") || tune_ir_is(op, "tensor.expand_shape") ||
          tune_ir_is(op, "linalg.transpose")) &&
         mlirOperationGetNumResults(op) == 1 &&
         tune_tensor_is_plain(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

static bool find_factor(MlirValue wide, factor *out) {
  MlirOperation op = tune_ir_definition(wide);
  for (out->move_count = 0; moves(op) && out->move_count < MOST_MOVES;
       op = tune_ir_definition(mlirOperationGetOperand(op, 0)))
    out->moves[out->move_count++] = op;
  if (!widens(op))
    return false;
  out->source = mlirOperationGetOperand(op, 0);
  return true;
}

// Of a product: those that are narrow already have no source.
static bool find_factors(MlirOperation product, factor *out) {
  MlirType types[2];
  if (!mlirTypeIsAF32(tune_ir_element_of(mlirOperationGetOperand(product, 2))))
    return false;
  for (intptr_t i = 0; i < 2; ++i) {
    MlirValue operand = mlirOperationGetOperand(product, i);
    types[i] = tune_ir_element_of(operand);
    out[i] = (factor){.move_count = 0};
    if (tune_ir_is_short_float(types[i]))
      continue;
    if (!mlirTypeIsAF32(types[i]) || !find_factor(operand, &out[i]))
      return false;
    types[i] = tune_ir_element_of(out[i].source);
  }
  return mlirTypeEqual(types[0], types[1]) &&
         !(mlirValueIsNull(out[0].source) && mlirValueIsNull(out[1].source));
}

//===--- Rewriting ----------------------------------------------------------------------===//

// What was made for the products so far.
typedef struct rewriter {
  tune_op_list moved;  // moves of wide values, which may be unused by now
  tune_op_list copies; // of the same places in `moved`, of narrow ones
  tune_op_list unused; // ops that widen
} rewriter;

static bool has_failed(const rewriter *r) {
  return r->moved.failed || r->copies.failed || r->unused.failed;
}

// `move` of the narrow `value`, before the op that it is of; once for all products.
static MlirValue move_narrow(rewriter *r, MlirOperation move, MlirValue value) {
  for (size_t i = 0; i < r->moved.count; ++i)
    if (mlirOperationEqual(r->moved.ops[i], move))
      return mlirOperationGetResult(r->copies.ops[i], 0);
  tune_ir_builder b = tune_ir_builder_before(move);
  MlirOperation copy = mlirOperationClone(move);
  MlirValue result = mlirOperationGetResult(copy, 0);
  MlirType type = tune_ir_with_element(mlirValueGetType(result), tune_ir_element_of(value));
  mlirOperationSetOperand(copy, 0, value);
  mlirValueSetType(result, type);
  if (tune_ir_is(move, "linalg.transpose")) {
    mlirOperationSetOperand(copy, 1, tune_ir_build_value(&b, "tensor.empty", type, 0, NULL));
    for (intptr_t i = 0; i < 2; ++i)
      mlirValueSetType(mlirBlockGetArgument(tune_ir_body(copy), i), tune_ir_element_of(value));
  }
  mlirBlockInsertOwnedOperationBefore(b.block, b.before, copy);
  if (tune_op_list_add(&r->moved, move))
    tune_op_list_add(&r->copies, copy);
  return result;
}

// Has the body of `product` widen what is narrow by now.
static void take_narrow(rewriter *r, MlirOperation product, intptr_t operand, const factor *f) {
  MlirValue wide_value = f->move_count ? mlirOperationGetOperand(f->moves[f->move_count - 1], 0)
                                       : mlirOperationGetOperand(product, operand);
  tune_op_list_add_once(&r->unused, tune_ir_definition(wide_value));
  MlirValue value = f->source;
  for (size_t i = f->move_count; i-- > 0 && !has_failed(r);)
    value = move_narrow(r, f->moves[i], value);
  if (has_failed(r))
    return;
  mlirOperationSetOperand(product, operand, value);

  MlirBlock body = tune_ir_body(product);
  MlirValue argument = mlirBlockGetArgument(body, operand);
  MlirType wide = mlirValueGetType(argument);
  mlirValueSetType(argument, tune_ir_element_of(value));
  tune_ir_builder b = tune_ir_builder_before(mlirBlockGetFirstOperation(body));
  MlirValue widened = tune_ir_build_value(&b, "arith.extf", wide, 1, &argument);
  mlirValueReplaceAllUsesExcept(argument, widened, 1,
                                (MlirOperation[]){tune_ir_definition(widened)});
}

bool tune_normalize_narrow_factors(MlirOperation root) {
  static const char *const DIALECTS[] = {"arith", "tensor", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
  tune_op_list products = {0};
  rewriter r = {.moved = {0}};
  tune_spread_list_products(root, &products);
  for (size_t i = 0; i < products.count && !has_failed(&r); ++i) {
    factor factors[2];
    if (!find_factors(products.ops[i], factors))
      continue;
    for (intptr_t o = 0; o < 2; ++o)
      if (!mlirValueIsNull(factors[o].source))
        take_narrow(&r, products.ops[i], o, &factors[o]);
  }
  bool is_done = !products.failed && !has_failed(&r);
  if (is_done) {
    tune_op_list_destroy_unused(&r.moved);
    tune_op_list_destroy_unused(&r.unused);
  }
  tune_op_list_deinit(&r.moved);
  tune_op_list_deinit(&r.copies);
  tune_op_list_deinit(&r.unused);
  tune_op_list_deinit(&products);
  return is_done;
}
