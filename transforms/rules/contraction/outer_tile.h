//===- outer_tile.h - The outer tile of a product ----------------------------------------===//
//
// How many rows and columns are computed between two looks at the panels of B, and which of these
// threads have: what there is to choose from, and the defaults.
//
// Threads: plain values.
//
//===----------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONTRACTION_OUTER_TILE_H
#define TUNE_TRANSFORMS_RULES_CONTRACTION_OUTER_TILE_H

#include "transforms/rules/contraction/contraction_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

// Fills in `mc` and `nc` of a plan that has its register tile (register_tile.h), of which the rows
// may become fewer, so that they divide what a thread has.
void tune_contraction_choose_outer(tune_contraction_plan *plan, const tune_machine *machine);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONTRACTION_OUTER_TILE_H
