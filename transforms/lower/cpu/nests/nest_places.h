//===- nest_places.h - The best of many elements, and its place, by parts --------------------===//
//
// Where the body keeps the best element so far and its place (nest_choice.h), lanes along the
// innermost loop that reduces hold the best of what they saw and when they saw it:
//
//   for    parallel loops
//     for    loops that reduce; `vectors` vectors of the innermost at a time
//       which elements are better than what their lane has: these, and this step
//     the best of all lanes, and of equal ones the first, or the last, as the body has it
//     the body, once, on what was before and that element
//
// Where a NaN was among the elements, or of equal ones the place decides and none was better than
// what was before, the plain loop is run instead: so results are what they are there.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_NESTS_NEST_PLACES_H
#define TUNE_TRANSFORMS_LOWER_CPU_NESTS_NEST_PLACES_H

#include "transforms/lower/cpu/nests/nest_choice.h"
#include "transforms/lower/cpu/nests/nest_emitter.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether `nest` makes such a choice along its innermost loop that reduces, the elements lie for
// that, and there are enough of them. `*out_plan` is then how operands are read.
bool tune_nest_places_find(const tune_nest_loops *nest, const tune_nest_wishes *wishes,
                           tune_nest_plan *out_plan, tune_nest_choice *out_choice);

// Writes the loops, where the emitter is, by the plan that was found.
void tune_nest_places_write(tune_nest_emitter *emitter, const tune_nest_choice *choice);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_NESTS_NEST_PLACES_H
