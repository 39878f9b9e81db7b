//===- wide_images.h - Convolutions of bf16 and f16 that are faster in f32 -----------------===//
//
// Winograd's transforms have three times fewer products for 3x3 windows over large images, and
// compute in f32. That is less than what dot products of bf16 save, let alone than f16, or bf16
// without such, which multiply in f32 anyway. There the image is widened by an op of its own, which
// joins what makes it, and the constant filter ahead of all calls:
//
//   conv(%x_bf16, %w_bf16) -> f32      =>      conv(extf %x_bf16, extf %w_bf16) -> f32
//
// It computes what it did: factors are widened all the same, and sums are of f32.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_IMAGES_WIDE_IMAGES_H
#define TUNE_TRANSFORMS_NORMALIZE_IMAGES_WIDE_IMAGES_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Does so with all such convolutions in `root`, named or generic, of known sizes, in any layout,
// where an estimate says that it pays. Borders of zeroes go around what is widened. False where
// memory ran out and not all was done.
bool tune_normalize_wide_images(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_IMAGES_WIDE_IMAGES_H
