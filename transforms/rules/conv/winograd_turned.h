//===- winograd_turned.h - A channels-first convolution as Winograd's ------------===//
//
// What Winograd's transforms need to know of a convolution whose channels are before its pixels:
// they want its image turned.
//
// Threads: plain values.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONV_WINOGRAD_TURNED_H
#define TUNE_TRANSFORMS_RULES_CONV_WINOGRAD_TURNED_H

#include "transforms/rules/conv/conv_blocked_plan.h"
#include "transforms/rules/conv/winograd_steps.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether dimension `dimension` of `image` is the loop `pixel` plus the loop `window`, of 3.
bool tune_winograd_is_window(const tune_nest *nest, const tune_operand *image, size_t dimension,
                             size_t pixel, size_t window);

// [n,] c, h + p, w + q | any order of f, c, p, q -> [n,] f, h, w. False where `plan` is no such
// convolution of f32 with 3x3 windows over all of its image. Borders are not looked for.
bool tune_winograd_read_turned(const tune_conv_plan *plan, tune_winograd *out_winograd);

// Whether it is one that takes clearly less time by Winograd's transforms, going by the sizes.
bool tune_winograd_pays_turned(const tune_conv_plan *plan);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONV_WINOGRAD_TURNED_H
