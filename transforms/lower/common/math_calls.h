//===- math_calls.h - Math functions as calls into libraries -----------------===//
//
// What has no instructions and no approximation becomes calls: of glibc's libmvec, which
// computes 4, 8 or 16 f32 (2, 4 or 8 f64) at once with an error of about 4 ulp at most, or of libm,
// one element at a time.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_MATH_CALLS_H
#define TUNE_TRANSFORMS_LOWER_COMMON_MATH_CALLS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// The `index`-th math op that is a function of libm ("math.exp"), or NULL after the last: all ops
// but those that CPUs have instructions for.
const char *tune_math_calls_op(size_t index);
#define TUNE_MATH_CALLS_LIMIT 32 // there are not more

// Whether code for `triple` may call libmvec: x86-64 Linux with glibc.
bool tune_math_calls_has_vector_library(const char *triple);

// The widest vectors that libmvec may be called with.
typedef enum tune_math_width {
  TUNE_MATH_WIDTH_NONE = 0, // no libmvec
  TUNE_MATH_WIDTH_SSE = 128,
  TUNE_MATH_WIDTH_AVX2 = 256,
  TUNE_MATH_WIDTH_AVX512 = 512,
} tune_math_width;

// Replaces in `module`, which is a builtin.module, the ops of tune_math_calls_op on vectors of rank
// 1 of f32 or f64 by calls; of those on scalars only expm1 and log1p, for which LLVM's lowering
// loses all digits of small numbers.
void tune_math_calls_insert(MlirOperation module, tune_math_width width);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_MATH_CALLS_H
