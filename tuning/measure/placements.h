//===- placements.h - Comparison of kernels in several placements in memory --===//
//
// Where code and data of a kernel lie is fixed as long as a process has them, and short kernels
// feel it: by up to 1 % one way or the other (docs/measuring.md), which rounds within the process
// find with great certainty, and call a difference of the code (Mytkowicz, Diwan, Hauswirth and
// Sweeney, "Producing wrong data without doing anything obviously wrong!", 2009; Curtsinger and
// Berger, "Stabilizer", 2013). So kernels are compared in several placements: processes that load
// them one after the other, each at other places. Each placement gives one ratio, which counts
// once: their interval holds the places, too. The budget is shared among the placements. A
// placement is so short that nothing drifts meanwhile, and has few rounds: its ratio is that of the
// medians of its samples, which bears what is interrupted better than ratios of rounds do.
//
// What takes so long that a placement's share of the budget is far too little for it is compared in
// one placement, which then is whole.
//
// Threads: one at a time per object.
//
//===--------------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_MEASURE_PLACEMENTS_H
#define TUNE_TUNING_MEASURE_PLACEMENTS_H

#include "tuning/measure/statistics.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// As few as give, by order statistics alone, an interval that holds the ratios of four finalists in
// 98.3 % of comparisons: all placements then have to agree on which one is faster.
#define TUNE_PLACEMENTS ((size_t)9)

typedef struct tune_placements {
  size_t kernels;
  size_t count;      // placements, so far
  bool is_whole;     // the first one is all there is
  tune_ratio *first; // `kernels`: what the first one found by itself
  double *ratios;    // of kernel k in placement i: ratios[k * TUNE_PLACEMENTS + i]
} tune_placements;

// For comparisons of `kernels` >= 1 with the first of them.
tune_status tune_placements_init(tune_placements *placements, size_t kernels);
void tune_placements_deinit(tune_placements *placements);

// Adds a placement, of at most TUNE_PLACEMENTS: the medians of the kernels' samples, above 0, their
// ratios by rounds and whether it was whole, as tune_measure_interleaved has them.
void tune_placements_add(tune_placements *placements, const double *medians,
                         const tune_ratio *ratios, bool is_whole);

// Whether that is all. If `only_faster`, it is asked which ones are faster than the first, and all
// is known once each was no faster in one placement.
bool tune_placements_are_enough(const tune_placements *placements, bool only_faster);

// The ratios to the first kernel into `out_ratios`, of `kernels`. All intervals together hold with
// `confidence` (Bonferroni). With one placement they are those within it. INVALID_ARGUMENT for a
// ratio that is not positive; OUT_OF_MEMORY.
tune_status tune_placements_get_ratios(const tune_placements *placements, double confidence,
                                       tune_ratio *out_ratios);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_MEASURE_PLACEMENTS_H
