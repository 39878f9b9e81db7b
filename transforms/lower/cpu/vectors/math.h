//===- math.h - Arithmetic and math functions of a CPU's vectors -------------===//
//
// Between a schedule's vectors and upstream's conversion to LLVM: arithmetic on tiles is split
// into rows (vector_rows.h), math functions become approximations or calls, f16 and bf16 that
// float_promotion.h has left are computed in f32, and conversions that LLVM would do one element at
// a time become integer operations on vectors.
//
// A schedule decides by discardable attributes on the function (transform.annotate):
//
//   tune.math.polynomial = 0   functions are those of libm, one element at a time; the default
//                        = 1   f32 by polynomials, ours with AVX-512 (math_avx512.h) and of erf
//                              (math_erf.h), upstream's otherwise where they are good enough, the
//                              rest by libmvec, or libm where there is none
//                        = 2   vectors by libmvec where there is one, the rest by libm
//
// docs/accuracy.md says how far each way is off.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_VECTORS_MATH_H
#define TUNE_TRANSFORMS_LOWER_CPU_VECTORS_MATH_H

#include "support/status.h"
#include "transforms/lower/cpu/backend/llvm.h"

#include "mlir-c/IR.h"
#include "mlir-c/Rewrite.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_math_options {
  int64_t polynomial;
} tune_math_options;

// What holds where nothing was decided.
tune_math_options tune_math_options_default(void);
// Reads the attributes above off `function` into `options` and removes them. INVALID_ARGUMENT
// (located) for one that does not exist or a value it cannot have.
tune_status tune_math_options_take(MlirOperation function, tune_math_options *options);

// Lowers the arithmetic of `module`, a builtin.module with whatever is left of linalg, loops and
// vectors, so far that upstream's conversions to the LLVM dialect take all of it. INTERNAL where
// upstream's rewriting does not end.
tune_status tune_math_lower(MlirOperation module, const tune_math_options *options,
                            const tune_llvm_target *target);

// Whether LLVM has vectors of bf16 in no registers of `target`: it rounds to them by a function
// call for each element, and moves them element by element.
bool tune_math_lacks_bf16(const tune_llvm_target *target);

// The ops ("math.exp") for which there are polynomials on f32 that are good enough
// (docs/accuracy.md), NULL after the last.
const char *tune_math_polynomial_op(size_t index);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_VECTORS_MATH_H
