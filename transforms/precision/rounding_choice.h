//===- rounding_choice.h - What is rounded, within an error --------------------===//
//
// Of kinds of products, each with what rounding it saves and by how much it alone puts the outputs
// off, those whose joint error stays within a budget and that save most. Errors of different
// products are as good as independent: their squares add up. So that is a knapsack, of each kind
// with one item at most (of bf16, say, or of bytes). What is taken next is what saves most for what
// it adds to the squares, be it of a kind that is new or in place of what its kind had (Sinha and
// Zoltners 1979). What the sum leaves out is measured afterwards, of all sets that begin in that
// order.
//
// Threads: plain values.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_PRECISION_ROUNDING_CHOICE_H
#define TUNE_TRANSFORMS_PRECISION_ROUNDING_CHOICE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_rounding {
  size_t kind;  // of products, of which one item is taken at most
  double gain;  // seconds that it saves in a run
  double error; // of the outputs with it alone, as a share of them; not a number: no bound is known
} tune_rounding;

// Writes the indices of items into `order`, of `count` places, in the order that they are taken in,
// and returns how many these are. One takes the place of an earlier one of its kind. The errors of
// those that are left at each step stay within `budget` together.
size_t tune_rounding_choose(const tune_rounding *items, size_t count, double budget, size_t *order);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_PRECISION_ROUNDING_CHOICE_H
