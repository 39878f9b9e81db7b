//===- math_avx512.h - Math functions by instructions of AVX-512 -------------===//
//
// exp and erf of f32 in about 15 instructions for 16 numbers. vscalefps multiplies by a power
// of two and overflows as it should, which takes upstream's polynomials clamps and
// integer arithmetic; vpermps looks coefficients up, where upstream's computes polynomials for
// several intervals and selects one.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_VECTORS_MATH_AVX512_H
#define TUNE_TRANSFORMS_LOWER_CPU_VECTORS_MATH_AVX512_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Replaces arith.maxnumf and minnumf in `module` on vectors of rank 1 of f32 whose length is 4, 8
// or a multiple of 16, for CPUs with AVX-512 F, DQ and VL, by vrangeps, which takes NaNs as they
// do; LLVM makes three instructions of each.
void tune_math_avx512_insert_extrema(MlirOperation module);

// Replaces math.exp and math.erf in `module` on vectors of rank 1 of f32 whose length is a multiple
// of 16, for the same CPUs. docs/accuracy.md says how far they are off.
// `*out_left` is whether any such op of f32, or f16 or bf16, on vectors or scalars, is left.
void tune_math_avx512_insert(MlirOperation module, bool *out_left);

// The ops that it replaces ("math.exp"), NULL after the last.
const char *tune_math_avx512_op(size_t index);

// Whether `op` calls one of the instructions above; they touch no memory.
bool tune_math_avx512_is_call(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_VECTORS_MATH_AVX512_H
