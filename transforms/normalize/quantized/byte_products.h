//===- byte_products.h - Products of f32 whose factors may be bytes --------------------===//
//
// A product that is allowed it (dialects/allow.h, int8) becomes one of bytes, added up in i32, as
// those are that come so (quantized_products.h):
//
//   sum a b   ->   sa sb sum (bytes of a) (bytes of b)
//
// A factor has a scale for each of its indices along a dimension of the result (scaled_bytes.h): a
// row of a matrix product, an output channel of a filter, an image of a convolution. What is made
// so of constants alone is made ahead. Several products of one tensor share its bytes.
//
// It is done where it pays by far: with the depth that instructions for bytes take, and 64
// multiplications or more for each element that is rounded in each call. Products of batches of
// which nothing is constant stay, as those of attention, which is one task in f32. So do 1x1
// convolutions of images whose channels come first: their products are joined with nothing.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_BYTE_PRODUCTS_H
#define TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_BYTE_PRODUCTS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// On a module, a unit: some product of it is of bytes by what it was allowed.
#define TUNE_BYTE_PRODUCTS_ATTRIBUTE "tune.byte_products"

// Does so with all such products in `root`, of known sizes, after tune_allow_place, and marks
// `root` where there was one. Before named ops are made generic or after. False where memory ran
// out and not all was done.
bool tune_normalize_byte_products(MlirOperation root);

// How many elements are rounded in each call where factors of `op` are bytes; 0: they never are,
// allowed or not.
double tune_byte_products_elements(MlirOperation op);

// Which dimensions of operand `factor`, 0 or 1, have scales of their own then, into `is_kept`, of
// TUNE_IR_MAX_RANK places. False where it is none.
bool tune_byte_products_kept(MlirOperation op, intptr_t factor, bool *is_kept);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_BYTE_PRODUCTS_H
