//===- winograd_groups.h - Winograd's convolution of one group of channels at a time -===//
//
// Where groups have a dimension of their own in the image, the filter and the output, a step over
// that dimension has a convolution without it. Upstream's patterns take dimensions of one element
// away, those of other loops too, and what is left is an ordinary convolution.
//
// Threads: one thread at a time per writer.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONV_WINOGRAD_GROUPS_H
#define TUNE_TRANSFORMS_RULES_CONV_WINOGRAD_GROUPS_H

#include "transforms/rules/conv/winograd_steps.h"

#ifdef __cplusplus
extern "C" {
#endif

// Fills `plan->group` and `plan->convolution` in, which is the anchor itself where there are no
// groups.
void tune_winograd_find_group(tune_winograd_plan *plan);

// One group after the other, or on threads where there is one for each thread. `%of_group` is the
// convolution of a group after it, for a plan that has groups.
void tune_winograd_write_groups(const tune_winograd_plan *plan, tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONV_WINOGRAD_GROUPS_H
