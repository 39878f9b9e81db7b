//===- rounding_choice.h - What is rounded, within an error --------------------===//
//
// Of kinds of products, each with what rounding it saves and by how much it alone puts the outputs
// off, those whose joint error stays within a budget and that save most. Errors of different
// products are as good as independent: their squares add up. So that is a knapsack, whose items are
// taken by what they save for the square of their error (Dantzig 1957); what the sum leaves out is
// measured afterwards, of all sets that begin in that order.
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
  double gain;  // seconds that it saves in a run
  double error; // of the outputs with it alone, as a share of them; not a number: no bound is known
} tune_rounding;

// Writes the indices of those to take into `order`, of `count` places, the most worthwhile first,
// and returns how many these are: their errors together stay within `budget`.
size_t tune_rounding_choose(const tune_rounding *items, size_t count, double budget, size_t *order);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_PRECISION_ROUNDING_CHOICE_H
