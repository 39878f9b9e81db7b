//===- product_build.h - A product of bytes, and what scales it ----------------------===//
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_PRODUCT_BUILD_H
#define TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_PRODUCT_BUILD_H

#include "transforms/ir/op_list.h"
#include "transforms/normalize/nest_maps.h"
#include "transforms/normalize/quantized/quantized_factor.h"

#ifdef __cplusplus
extern "C" {
#endif

// A product of two such factors: operands 0 and 1 of the nest. Terms are numbers for all, or go
// along a dimension of the result; the zero point of one factor at least is a number, or there is
// none.
typedef struct tune_quantized_product {
  tune_nest_maps nest;
  tune_quantized_factor factors[2];
  // How the bytes of each are read once the moves that are left are made: the first of them may
  // have been taken into it (tune_quantized_product_take_moves).
  MlirAffineMap read[2];
  // Beside the scales of the factors, tensors of f32, read by the dimensions of the result; null:
  // there is none.
  MlirValue scales[2];
  MlirAffineMap scale_maps[2];
} tune_quantized_product;

// What there is to multiply, and to add up.
typedef struct tune_product_size {
  double depth;    // products of a sum; 0 where that is not known
  double products; // all of them; 0 where that is not known
  bool has_batch;  // a dimension of both factors is one of the result
} tune_product_size;

tune_product_size tune_product_size_of(const tune_nest_maps *nest);

// Whether each loop is in the result or in a factor that is read by its map in `read`.
bool tune_product_reads_loops(const tune_nest_maps *nest, const MlirAffineMap *read);

// Whether dot products of bytes take it: a sum along a dimension of both, of whole groups where
// there are windows, which then are the same for all channels of the result.
bool tune_product_fits_bytes(const tune_nest_maps *nest);

// Sets product->read, and takes moves into it that turn, or add and take away dimensions of size 1.
// So a sum of the bytes and the product read the same tensor, as it lies.
void tune_quantized_product_take_moves(tune_quantized_product *product);

// The dimension of the result that `term`, of factor `factor`, goes along; -1: none, as where it is
// a window or summed up.
intptr_t tune_quantized_product_along(const tune_quantized_product *product, intptr_t factor,
                                      const tune_factor_term *term);

// Builds it before its op, which stays; the value to be taken for the op's result.
MlirValue tune_quantized_product_build(const tune_quantized_product *product);

// Lets all that reads the result of `op` read `by`, and adds `op` to `replaced`.
void tune_quantized_product_replace(MlirOperation op, MlirValue by, tune_op_list *replaced);

// Takes the ops of `replaced` away that nothing uses, and what they alone used; the list is empty
// then. To be called last: what it takes away others may have found. False where memory ran out and
// not all of that is away.
bool tune_quantized_products_drop(tune_op_list *replaced);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_PRODUCT_BUILD_H
