//===- math_erf.h - erf of f32 as one fraction ---------------------------------===//
//
// x * P(x²) / Q(x²), a minimax fit from 0 to where the result is 1: ten fused products and a
// division for a vector. Upstream's polynomial computes those of several intervals and selects one,
// which takes half as long again. For CPUs with fused products.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_VECTORS_MATH_ERF_H
#define TUNE_TRANSFORMS_LOWER_CPU_VECTORS_MATH_ERF_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Replaces math.erf in `module` on f32 and vectors of them. docs/accuracy.md says how far it is
// off.
void tune_math_erf_insert(MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_VECTORS_MATH_ERF_H
