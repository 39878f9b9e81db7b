//===- nest_windows.h - Windows that slide by one, and sums of prefixes ---------------------===//
//
// An op whose results are each a sum, product or extremum of `width` elements in a row, where the
// next result begins an element further: sums of prefixes as reduce_window writes them, windows of
// poolings. Taken one by one that is `width` steps a result. Here each element is looked at twice:
//
//   for blocks of `width` results
//     from the block's last element back to its first: what the rest of the block adds up to, kept
//     from the next block's first element on: what its beginning adds up to
//     a result is what is kept there and the beginning of the next block
//
// Nothing is taken away again, so that any sum, product or extremum may be made so, in both
// directions. Lanes go along another loop, or along the one that slides, and are scanned then.
// Where other loops reduce as well (windows of several lines), each element is what these make of
// it.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_NESTS_NEST_WINDOWS_H
#define TUNE_TRANSFORMS_LOWER_CPU_NESTS_NEST_WINDOWS_H

#include "transforms/lower/cpu/nests/nest_emitter.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_nest_window {
  size_t slid, window;  // the loop of the results, and that of the elements of each
  int64_t steps, width; // how long these are
} tune_nest_window;

// Whether `nest` has such windows, of so many elements that this is less work. `*out_plan` is then
// how its operands are read.
bool tune_nest_window_find(const tune_nest_loops *nest, const tune_nest_wishes *wishes,
                           tune_nest_plan *out_plan, tune_nest_window *out_window);

// Writes the loops, where the emitter is, by the plan that was found.
void tune_nest_window_write(tune_nest_emitter *emitter, const tune_nest_window *window);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_NESTS_NEST_WINDOWS_H
