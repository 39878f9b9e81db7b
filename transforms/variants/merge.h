//===- merge.h - Variants that bring nothing ---------------------------------===//
//
// A variant is worth its code where what another one runs its sizes with takes more than so much
// longer. Else the other one takes these sizes, too: the one next to it, or that for any sizes.
//
// Threads: plain values.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_VARIANTS_MERGE_H
#define TUNE_TRANSFORMS_VARIANTS_MERGE_H

#include "transforms/variants/variant_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

// As much longer, at most, is near enough.
#define TUNE_NEAR_ENOUGH 1.10

// Others that may run the sizes of a variant: two in each group, and the one for any sizes.
#define TUNE_MOST_NEIGHBOURS (2 * TUNE_MOST_SIZE_GROUPS + 1)

// A variant by its number; the number after the last is the one for any sizes.
typedef struct tune_neighbour {
  size_t variant;
  double ratio; // its time over that of the variant at the variant's size; 0: not known
} tune_neighbour;

// Lists those that may run what `variant` runs: with open sizes, next to it in one group and equal
// to it in the others. Returns how many.
size_t tune_variant_find_neighbours(const tune_variant_plan *plan, size_t variant,
                                    tune_neighbour out_neighbours[TUNE_MOST_NEIGHBOURS]);

// Of variants whose sizes a neighbour runs nearly as fast, takes one after the other out of the
// plan, the nearest first, and gives its sizes to the neighbour. One that has got sizes of another
// stays. So does one after which a size that was measured would run in another variant than the one
// that has it now, since sizes are compared in the order of the plan; and one whose sizes would
// make the neighbour reach into the range of a third. A size in a range can only go to what has
// that part of the range. `neighbours` has, for each variant, `counts` of them. `out_into` has, for
// each variant of the plan as it was, the number of the one that has its sizes now, by the numbers
// as they were.
void tune_variant_merge(tune_variant_plan *plan, tune_neighbour (*neighbours)[TUNE_MOST_NEIGHBOURS],
                        const size_t *counts, size_t out_into[TUNE_MOST_VARIANTS]);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_VARIANTS_MERGE_H
