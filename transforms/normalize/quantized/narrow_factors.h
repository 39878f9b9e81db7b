//===- narrow_factors.h - Products of what was widened first ------------------------===//
//
// Front ends write a product of bf16 or f16 with sums in f32 as one of f32, whose factors an op of
// their own has widened (torch-mlir a linear layer, StableHLO a dot):
//
//   %a = extf %x; %b = extf %w; matmul %a, %b        ->   matmul %x, %w, which widens itself
//
// It computes the same, and has the factors that instructions for such products take.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_NARROW_FACTORS_H
#define TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_NARROW_FACTORS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Does so with all sums of products of f32 in `root`, named or generic, both of whose factors come
// from the same narrower type of float, and are of known sizes; between them reshapes and
// transpositions may lie. False where memory ran out and not all was done.
bool tune_normalize_narrow_factors(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_NARROW_FACTORS_H
