//===- hidden_rows.h - Softmax of rows that are masked from end to end ---------------===//
//
// PyTorch's scaled_dot_product_attention gives zeroes where a mask hides all keys of a row:
//
//   H[row]      = and over all keys of (X[row, key] == -inf)
//   R[row, key] = H[row] ? 0 : softmax of X
//
// That reads X a second time, and has booleans in memory. Its maximum M, which softmax has, says
// the same: H[row] is M[row] == -inf, also where X is no number.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_HIDDEN_ROWS_H
#define TUNE_TRANSFORMS_NORMALIZE_HIDDEN_ROWS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Lets each linalg.generic in `root` that reads such an H compare such an M instead, and takes away
// what only H needed. False where memory ran out and not all was done.
bool tune_normalize_hidden_rows(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_HIDDEN_ROWS_H
