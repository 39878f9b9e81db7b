//===- product_size.c -------------------------------------------------------------===//

#include "transforms/normalize/quantized/product_build.h"

#include "mlir-c/AffineExpr.h"

// Bytes whose products one instruction adds up.
enum { GROUP = 4 };

// Whether a dimension of both factors is `loop`.
static bool is_in_both(const tune_nest_maps *n, intptr_t loop) {
  bool is_so = true;
  for (intptr_t f = 0; f < 2; ++f)
    is_so &= tune_nest_maps_dimension(n->maps[f], loop) >= 0;
  return is_so;
}

tune_product_size tune_product_size_of(const tune_nest_maps *n) {
  tune_product_size size = {.depth = 1, .products = 1};
  for (intptr_t loop = 0; loop < n->loop_count; ++loop) {
    bool is_summed = !tune_nest_maps_has(tune_nest_maps_result(n), loop);
    size.products *= (double)n->extents[loop];
    size.depth *= is_summed ? (double)n->extents[loop] : 1;
    size.has_batch |= is_in_both(n, loop) && !is_summed && n->extents[loop] > 1;
  }
  return size;
}

bool tune_product_reads_loops(const tune_nest_maps *n, const MlirAffineMap *read) {
  for (intptr_t loop = 0; loop < n->loop_count; ++loop)
    if (!tune_nest_maps_has(read[0], loop) && !tune_nest_maps_has(read[1], loop) &&
        !tune_nest_maps_has(tune_nest_maps_result(n), loop))
      return false;
  return true;
}

bool tune_product_fits_bytes(const tune_nest_maps *n) {
  bool has_windows = false, has_depth = false, fills_groups = false;
  for (intptr_t f = 0; f < 2; ++f)
    for (intptr_t d = 0; d < mlirAffineMapGetNumResults(n->maps[f]); ++d)
      has_windows |= tune_nest_maps_loop(n->maps[f], d) < 0 &&
                     !mlirAffineExprIsAConstant(mlirAffineMapGetResult(n->maps[f], d));
  for (intptr_t loop = 0; loop < n->loop_count; ++loop) {
    bool is_depth = is_in_both(n, loop) && !tune_nest_maps_has(tune_nest_maps_result(n), loop);
    has_depth |= is_depth && n->extents[loop] >= GROUP;
    fills_groups |= is_depth && n->extents[loop] % GROUP == 0;
  }
  return has_depth && (!has_windows || (fills_groups && !tune_product_size_of(n).has_batch));
}
