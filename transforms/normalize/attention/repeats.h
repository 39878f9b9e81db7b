//===- repeats.h - Products of operands that are repeated -----------------------------===//
//
// In attention of grouped queries several heads have one set of keys and values. Front ends repeat
// these in memory, and scale and turn what is repeated:
//
//   K[group, key, width] -> repeated[group, head, key, width] -> [group * head, key, width] -> ...
//   S[group * head, row, key] = Q * what came of K
//
// With few rows, as of one token, that takes more time than the product. So the product has loops
// of groups and of heads, and reads what is not repeated. Then the heads of a group are rows of one
// product, whose keys are read once.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_ATTENTION_REPEATS_H
#define TUNE_TRANSFORMS_NORMALIZE_ATTENTION_REPEATS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Does so with all products in `root`, of known sizes, that use each element of such an operand
// less often than 8 times. What is done to each element of what is repeated is done to what is not.
// Before named ops are made generic or after. False where memory ran out and not all was done.
bool tune_normalize_repeats(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_ATTENTION_REPEATS_H
