//===- attention_sizes.h - Attention of sizes that fill whole vectors ---------------===//
//
// Sequences of 197, 1025 or 1500 fill no tiles of registers. Attention over them is computed over
// more rows and keys:
//
//   Q, K, V, masks   with zeroes after their last rows, keys and columns
//   masked scores    -inf at the keys that there are not: they count for nothing, whatever the
//                    softmax looks like (attention_keys.h)
//   result           cut to its size
//
// Its products have the rows first, whichever way they were written.
//
// What that adds is small beside the products, and all their tiles are full.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_ATTENTION_SIZES_H
#define TUNE_TRANSFORMS_NORMALIZE_ATTENTION_SIZES_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Does so with all attention in `root` (attention_keys.h) of such sizes, where it makes the
// products no more than a quarter larger. Before named ops are made generic or after. False where
// memory ran out and not all was done.
bool tune_normalize_attention_sizes(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_ATTENTION_SIZES_H
