//===- vector_arithmetic.h - Cheaper forms of arithmetic on vectors ----------===//
//
// Ops of arith that cost several times more than what was meant by them. docs/accuracy.md
// says what the cheaper forms change.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_VECTOR_ARITHMETIC_H
#define TUNE_TRANSFORMS_LOWER_COMMON_VECTOR_ARITHMETIC_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Lets maximumf and minimumf on vectors in `module`, and such reductions of vectors, give either
// zero where their operands are zeros of different sign. NaNs are kept. On x86 3 instructions
// instead of 6.
void tune_vector_arithmetic_ignore_zero_signs(MlirOperation module);

// Reductions of vectors of f32 or f64 in `module` by maximumf, minimumf, maxnumf and minnumf become
// maxima of halves, and of halves of those. LLVM would take one element after the other.
void tune_vector_arithmetic_halve_extrema(MlirOperation module);

// Divisions of vectors of f32 or f64 in `module` by one number, broadcast or constant, become
// products with its reciprocal.
// A division takes as long as ten products.
void tune_vector_arithmetic_use_reciprocals(MlirOperation module);

// Conversions between f32 and bf16 in `module`, of vectors and scalars, become integer operations:
// to the nearest, ties to even, NaNs stay NaNs. For CPUs where LLVM calls a function for each
// element that it rounds, and compares those that were extended one by one.
void tune_vector_arithmetic_convert_bf16(MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_VECTOR_ARITHMETIC_H
