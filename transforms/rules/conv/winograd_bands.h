//===- winograd_bands.h - Winograd's convolution of some lines of an image at a time -===//
//
// What an image is transformed to has 36 values for 16 pixels and goes through memory: it is
// written, read by the products of each block of channels, and so are these. Of a large image that
// is more than a cache holds. So bands of lines go one after the other, each through all steps (the
// knob winograd_lines); threads have bands of their own. The filter is transformed again for each
// band: a band is as large as the second cache allows.
//
// Threads: one thread at a time per writer.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONV_WINOGRAD_BANDS_H
#define TUNE_TRANSFORMS_RULES_CONV_WINOGRAD_BANDS_H

#include "transforms/rules/conv/winograd_steps.h"

#ifdef __cplusplus
extern "C" {
#endif

// Fills `plan->bands` in, going by `plan->winograd` and `plan->kc_default`; zeroes where all of the
// image is in a cache anyhow, its channels are not innermost or in groups, or too few tiles are
// left behind the bands. Of several images each has bands of its own, or is one.
void tune_winograd_choose_bands(const tune_machine *machine, tune_winograd_plan *plan);

// The convolution of the handle `anchor`, as a whole or in bands: of a plan that has them,
// `%of_lines` is one or two convolutions after it.
void tune_winograd_write_bands(const tune_winograd_plan *plan, const char *anchor,
                               tune_writer *writer);

// The convolutions that there may be after it, as patterns see them: at most
// TUNE_WINOGRAD_MOST_HEIGHTS, all of F(`tile`). Returns how many.
size_t tune_winograd_parts(const tune_winograd_plan *plan, int64_t tile,
                           tune_winograd out_parts[TUNE_WINOGRAD_MOST_HEIGHTS]);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONV_WINOGRAD_BANDS_H
