//===- weights_ahead.h - Panels of weights, all at once and ahead --------------------===//
//
// Schedules make what they multiply by in parts, each where it is needed and into the same memory:
// panels of a product's columns, a block of a filter. Where that is made of constants alone, all
// parts are made ahead of the loops, each in memory of its own, so that prepacking (prepack.h)
// finds them and they are made once:
//
//   %p = alloc                       %all = alloc of as many
//   for %i                           for %i: fill part %i of %all from %w
//     fill %p from %w                for %i
//     ... read %p                      ... read part %i of %all
//
// A schedule that asks for it (`tune.weights_ahead`) says that what it fills in a step it does not
// read of an earlier one. What is looked at besides, that as many elements are stored as there are,
// is no proof of that.
//
// Threads: as the context of the IR.
//
//===---------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_WEIGHTS_WEIGHTS_AHEAD_H
#define TUNE_TRANSFORMS_LOWER_CPU_WEIGHTS_WEIGHTS_AHEAD_H

#include "support/status.h"
#include "transforms/lower/common/constant_dependence.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Does so in `function`, on buffers, for what is made of `constants` and of memory that is kept of
// `ahead`, which was found in it, in loops whose bounds are known. What would take more than twice
// the memory of what it is made of stays. `*out_changed`: there was something, and `ahead` has to
// be found anew. OUT_OF_MEMORY alone.
tune_status tune_weights_ahead_run(MlirOperation function,
                                   tune_constant_dependence_constants constants,
                                   const tune_constant_dependence *ahead, bool *out_changed);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_WEIGHTS_WEIGHTS_AHEAD_H
