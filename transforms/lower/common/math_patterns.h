//===- math_patterns.h - Patterns for math that the C API does not offer -----===//
//
// MLIR's approximations of math functions are rewrite patterns that its C API cannot name,
// and which instructions a CPU has is not in LLVM's. math_patterns.cpp is C++ for these few
// functions alone; all that decides is in math.c.
//
// Threads: as the context of the patterns.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_MATH_PATTERNS_H
#define TUNE_TRANSFORMS_LOWER_COMMON_MATH_PATTERNS_H

#include "mlir-c/Rewrite.h"
#include "llvm-c/TargetMachine.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Ops of these names ("math.exp") on f16 and bf16, scalars and vectors, become extensions, the op
// on f32, and a truncation.
void tune_math_patterns_add_extension(MlirRewritePatternSet patterns, const char *const *names,
                                      size_t count);
// Ops of these names on f32, scalars and vectors, become polynomials and bit operations where
// upstream has them.
void tune_math_patterns_add_approximation(MlirRewritePatternSet patterns, const char *const *names,
                                          size_t count);
// Ops of these mnemonics ("sinh") become expressions of others where upstream has them.
void tune_math_patterns_add_expansion(MlirRewritePatternSet patterns, const char *const *mnemonics,
                                      size_t count);
// Powers with exponents such as 2, 3 and 0.5 become products and roots.
void tune_math_patterns_add_powers(MlirRewritePatternSet patterns);
// Division that rounds up or down becomes division and comparisons.
void tune_math_patterns_add_rounding_division(MlirRewritePatternSet patterns);

// Whether code made by `machine` may use the feature `name` ("+avx512bf16").
bool tune_math_machine_has(LLVMTargetMachineRef machine, const char *name);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_MATH_PATTERNS_H
