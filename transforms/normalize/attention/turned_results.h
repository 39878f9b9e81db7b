//===- turned_results.h - Attention whose result is turned ------------------------------===//
//
// einsum, as JAX lowers it, leaves the result of attention as
//
//   result[.., column, row] = V * weights
//
// with its rows innermost. The sums of a row are then made beside each other and written apart, or
// the whole is not taken as attention. So the product is made with its columns innermost, and
// turned after that: the result is small beside the scores.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_ATTENTION_TURNED_RESULTS_H
#define TUNE_TRANSFORMS_NORMALIZE_ATTENTION_TURNED_RESULTS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Does so with all attention in `root` (attention_values.h) that adds to a fill. False where memory
// ran out and not all was done.
bool tune_normalize_turned_results(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_ATTENTION_TURNED_RESULTS_H
