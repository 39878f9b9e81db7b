//===- quantized_products.c -------------------------------------------------------===//

#include "transforms/normalize/quantized/quantized_products.h"

#include "transforms/ir/op_list.h"
#include "transforms/normalize/quantized/product_build.h"
#include "transforms/normalize/spread.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/BuiltinTypes.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

// Bytes whose products one instruction adds up.
enum { GROUP = 4 };

//===--- What is taken ----------------------------------------------------------------===//

static bool is_f32(MlirOperation op) {
  for (intptr_t o = 0; o < mlirOperationGetNumOperands(op); ++o)
    if (!mlirTypeIsAF32(tune_ir_element_type(mlirValueGetType(mlirOperationGetOperand(op, o)))))
      return false;
  return true;
}

// Whether numbers for each index, where there are such, go along a dimension of the result.
static bool is_along_result(const tune_quantized_product *p, intptr_t factor,
                            const tune_factor_term *term) {
  return term->dimension < 0 || tune_quantized_product_along(p, factor, term) >= 0;
}

static bool has_terms_of_result(const tune_quantized_product *p, intptr_t factor) {
  const tune_quantized_factor *f = &p->factors[factor];
  bool is_so = !f->has_zero || is_along_result(p, factor, &f->zero);
  for (intptr_t s = 0; s < f->scale_count; ++s)
    is_so &= is_along_result(p, factor, &f->scales[s]) &&
             (!mlirValueIsNull(f->scales[s].value) || isfinite(f->scales[s].number));
  return is_so;
}

static bool has_zero_of_value(const tune_quantized_factor *f) {
  return f->has_zero && !mlirValueIsNull(f->zero.value);
}

// Whether dot products of bytes take it: a sum along a dimension of both, of whole groups where
// there are windows, which then are the same for all channels of the result.
static bool fits_instructions(const tune_nest_maps *n) {
  MlirAffineMap result = tune_nest_maps_result(n);
  bool has_windows = false, has_batch = false, has_depth = false, fills_groups = false;
  for (intptr_t f = 0; f < 2; ++f)
    for (intptr_t d = 0; d < mlirAffineMapGetNumResults(n->maps[f]); ++d)
      has_windows |= tune_nest_maps_loop(n->maps[f], d) < 0 &&
                     !mlirAffineExprIsAConstant(mlirAffineMapGetResult(n->maps[f], d));
  for (intptr_t loop = 0; loop < n->loop_count; ++loop) {
    bool is_in_both = true;
    for (intptr_t f = 0; f < 2; ++f) {
      bool is_in_it = false;
      for (intptr_t d = 0; d < mlirAffineMapGetNumResults(n->maps[f]); ++d)
        is_in_it |= tune_nest_maps_loop(n->maps[f], d) == loop;
      is_in_both &= is_in_it;
    }
    bool is_summed = !tune_nest_maps_has(result, loop);
    has_batch |= is_in_both && !is_summed && n->extents[loop] > 1;
    has_depth |= is_in_both && is_summed && n->extents[loop] >= GROUP;
    fills_groups |= is_in_both && is_summed && n->extents[loop] % GROUP == 0;
  }
  return has_depth && (!has_windows || (fills_groups && !has_batch));
}

// How many products are added up; 0 where that is not known.
static double depth_of(const tune_nest_maps *n) {
  double depth = 1;
  for (intptr_t loop = 0; loop < n->loop_count; ++loop)
    depth *= tune_nest_maps_has(tune_nest_maps_result(n), loop) ? 1 : (double)n->extents[loop];
  return depth;
}

static bool find(MlirOperation op, tune_quantized_product *out) {
  double a, b;
  if (!is_f32(op) || !tune_nest_maps_read(op, &out->nest) ||
      mlirAffineMapGetNumResults(tune_nest_maps_result(&out->nest)) > TUNE_IR_MAX_RANK ||
      !fits_instructions(&out->nest))
    return false;
  for (intptr_t f = 0; f < 2; ++f)
    if (!tune_quantized_factor_find(mlirOperationGetOperand(op, f), &out->factors[f]) ||
        !has_terms_of_result(out, f))
      return false;
  double depth = depth_of(&out->nest);
  return !(has_zero_of_value(&out->factors[0]) && has_zero_of_value(&out->factors[1])) &&
         tune_quantized_factor_bound(&out->factors[0], &a) &&
         tune_quantized_factor_bound(&out->factors[1], &b) && depth > 0 &&
         depth * a * b <= (double)INT32_MAX;
}

//===--- All of them ------------------------------------------------------------------===//

static bool may_drop(MlirOperation op) {
  return !mlirOperationIsNull(op) && mlirOperationGetNumResults(op) > 0 && !tune_ir_is_used(op) &&
         (tune_ir_string_starts(tune_ir_name(op), "linalg.") ||
          tune_ir_string_starts(tune_ir_name(op), "tensor."));
}

// Takes `op` away where nothing uses it, and then what nothing uses any more.
static void drop_unused(tune_op_list *left, MlirOperation op) {
  tune_op_list_add(left, op);
  while (left->count > 0) {
    op = left->ops[--left->count];
    if (!may_drop(op))
      continue;
    for (intptr_t o = 0; o < mlirOperationGetNumOperands(op); ++o) {
      MlirOperation before = tune_ir_definition(mlirOperationGetOperand(op, o));
      if (!mlirOperationIsNull(before))
        tune_op_list_add_once(left, before);
    }
    mlirOperationDestroy(op);
  }
}

bool tune_normalize_quantized_products(MlirOperation root) {
  static const char *const DIALECTS[] = {"arith", "linalg", "tensor", NULL};
  tune_op_list products = {0}, left = {0};
  tune_spread_list_products(root, &products);
  for (size_t i = 0; i < products.count; ++i) {
    tune_quantized_product found;
    if (!find(products.ops[i], &found))
      continue;
    tune_quantized_product_take_moves(&found);
    tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(products.ops[i], 0),
                                  tune_quantized_product_build(&found));
    drop_unused(&left, products.ops[i]);
  }
  tune_op_list_deinit(&left);
  tune_op_list_deinit(&products);
  return !products.failed && !left.failed;
}
