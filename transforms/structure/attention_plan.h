//===- attention_plan.h - Matching attention: roles of its nests -------------===//
//
// clang-format off
//   S[batch, row, key] = Q[batch, row, width] * K[batch, key, width]     scores
//   E                  = f(S, ...)                                       finish: scale, mask
//   W                  = softmax of E along key                          lines, the last: weights
//   O[batch, row, col] = W[batch, row, key] * V[batch, key, col]         product
//   R                  = g(O, ...)                                       root, or O itself
// clang-format on
//
// Whatever the layouts of Q, K, V and of the result are; any number of batch loops. Sizes are such
// that tiles are full: keys, width and columns in vectors of 16, rows in fours.
//
// Whether this is so does not depend on the machine, so that the tasks of a module do not either.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_STRUCTURE_ATTENTION_PLAN_H
#define TUNE_TRANSFORMS_STRUCTURE_ATTENTION_PLAN_H

#include "transforms/structure/structure.h"

#ifdef __cplusplus
extern "C" {
#endif

// A product and its loops; `order` lists them as batches, row, column, depth.
typedef struct tune_attention_product {
  size_t nest;
  size_t left, right; // operands: left has the rows
  size_t row, col, depth;
  size_t order[TUNE_MAX_LOOPS];
} tune_attention_product;

typedef struct tune_attention_plan {
  const tune_structure *structure;
  tune_attention_product scores, product;
  size_t finish;       // nest; the scores themselves where nothing follows them before softmax
  size_t weights;      // nest
  size_t extreme;      // nest: the first reduction of a row
  size_t root;         // nest; the product where nothing follows it
  size_t score_start;  // nests: the fills that start the sums
  size_t result_start; //
  size_t batch_count;
  size_t root_loops[TUNE_MAX_LOOPS]; // of the root: batches, row, column
  int64_t batches, rows, keys, width, cols;
  bool has_turned_keys, has_turned_values; // K is not contiguous along the keys, V along columns
  size_t math_count;                       // ops such as exp
} tune_attention_plan;

// False where the structure is something else.
bool tune_attention_plan_make(const tune_structure *structure, tune_attention_plan *out_plan);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_STRUCTURE_ATTENTION_PLAN_H
