//===- scores_finish.h - What is done to scores, in one op -----------------------------===//
//
// Front ends scale and mask the scores of attention by several ops, and make the mask by others, of
// constants, indices, positions or booleans, in the shape of the scores or of a part of it:
//
//   scaled = scores * 0.125;  row[r, k] = r;  key[r, k] = k;  hidden = key > row
//   masked = select(hidden, -inf, scaled)
//
// As one op that is done where the scores are made, in registers. Booleans in memory would be read
// one by one.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_ATTENTION_SCORES_FINISH_H
#define TUNE_TRANSFORMS_NORMALIZE_ATTENTION_SCORES_FINISH_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Joins the ops on elements between the scores of attention (attention_keys.h) and softmax, and
// takes in what they read: what is one number, and cheap ops on elements that make masks of indices
// or for them alone. False where memory ran out and not all was done.
bool tune_normalize_scores_finish(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_ATTENTION_SCORES_FINISH_H
