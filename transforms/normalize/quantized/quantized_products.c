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

static bool find(MlirOperation op, tune_quantized_product *out) {
  double a, b;
  *out = (tune_quantized_product){.nest = {.operand_count = 0}};
  if (!is_f32(op) || !tune_nest_maps_read(op, &out->nest) ||
      mlirAffineMapGetNumResults(tune_nest_maps_result(&out->nest)) > TUNE_IR_MAX_RANK ||
      !tune_product_fits_bytes(&out->nest))
    return false;
  for (intptr_t f = 0; f < 2; ++f)
    if (!tune_quantized_factor_find(mlirOperationGetOperand(op, f), &out->factors[f]) ||
        !has_terms_of_result(out, f))
      return false;
  double depth = tune_product_size_of(&out->nest).depth;
  return !(has_zero_of_value(&out->factors[0]) && has_zero_of_value(&out->factors[1])) &&
         tune_quantized_factor_bound(&out->factors[0], &a) &&
         tune_quantized_factor_bound(&out->factors[1], &b) && depth > 0 &&
         depth * a * b <= (double)INT32_MAX;
}

//===--- All of them ------------------------------------------------------------------===//

bool tune_normalize_quantized_products(MlirOperation root) {
  static const char *const DIALECTS[] = {"arith", "linalg", "tensor", NULL};
  tune_op_list products = {0}, replaced = {0};
  tune_spread_list_products(root, &products);
  for (size_t i = 0; i < products.count && !replaced.failed; ++i) {
    tune_quantized_product found;
    if (!find(products.ops[i], &found))
      continue;
    tune_quantized_product_take_moves(&found);
    tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
    tune_quantized_product_replace(products.ops[i], tune_quantized_product_build(&found),
                                   &replaced);
  }
  bool is_done = tune_quantized_products_drop(&replaced) && !products.failed;
  tune_op_list_deinit(&replaced);
  tune_op_list_deinit(&products);
  return is_done;
}
