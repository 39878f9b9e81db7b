//===- contraction_lines.h - Lines of rows that share a panel of B ------------===//
//
// A product may have several loops of rows: the lines of an image under a 1x1 window, the tokens of
// a batch. A register tile has rows of the innermost one. Where each line goes by all of B by
// itself, and has few rows, what does not fit the caches is read again for each of them: so the
// loop of lines goes inside, and a panel of B serves all of its lines.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONTRACTION_CONTRACTION_LINES_H
#define TUNE_TRANSFORMS_RULES_CONTRACTION_CONTRACTION_LINES_H

#include "transforms/rules/contraction/contraction_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

// Fills the lines of `plan` in, where it has such: products with a B that is more than what stays
// in the first cache by itself, and convolutions whose filter is several times larger than the
// second.
void tune_contraction_lines_choose(tune_contraction_plan *plan, const tune_machine *machine);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONTRACTION_CONTRACTION_LINES_H
