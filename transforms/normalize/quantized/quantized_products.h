//===- quantized_products.h - Products of what is dequantized, as products of bytes ---===//
//
// Front ends write a quantized network as one of f32: what goes into a product is quantized to
// bytes and dequantized at once, weights are bytes that are dequantized (QDQ). The products are of
// f32 then. Here they become products of the bytes, added up in i32:
//
//   sum (a - za) sa (b - zb) sb = sa sb (sum a b - zb sum a - za sum (b - zb))
//
// An op on elements after the product takes the corrections for zero points off, scales, and adds
// what the product was to be added to. Bias, activation and the next quantization follow as they
// came, and join it as one task (tasks/fusion_groups.h). What is dequantized stays where others
// read it.
//
// It is allowed wherever sums may be added up in another order: sums of bytes are exact, and one
// rounding of the scale follows, where f32 rounds each factor and each addition. It needs
// - sums that i32 holds, however large the bytes (the depth is at most 131,071 without zero
//   points);
// - scales that are the same along what is summed up, so that they can be taken out of the sum, and
//   finite where they are known. Scales at run time are multiplied in turn, each f32: with one
//   above 1e28, which no quantization has, sums may be infinite that were not before;
// - zero points that are whole numbers within bounds that are known, of one factor at least the
//   same for all of it, and of what has borders, which are zero points, too.
//
// What depends on the weights alone (sums of columns) is a task of its own, done ahead where they
// are constant.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_QUANTIZED_PRODUCTS_H
#define TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_QUANTIZED_PRODUCTS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Does so with all such matrix products and convolutions in `root`, of known sizes. Convolutions in
// groups, and those whose channels fill no group of four, stay: no instruction for bytes takes
// them. Before named ops are made generic or after. False where memory ran out and not all was
// done.
bool tune_normalize_quantized_products(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_QUANTIZED_PRODUCTS_H
