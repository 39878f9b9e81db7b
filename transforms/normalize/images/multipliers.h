//===- multipliers.h - Depthwise convolutions with several results a channel ---------------===//
//
// A depthwise convolution with a multiplier has m results for each channel of its image (a grouped
// convolution of single channels, linalg.depthwise_conv_2d_nhwc_hwcm). Vectors of channels do not
// go along its innermost loop, which is m. Here each channel is repeated m times, and the
// convolution is a plain depthwise one of m times as many channels: the copy of the image is small
// beside the windows that read it.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_IMAGES_MULTIPLIERS_H
#define TUNE_TRANSFORMS_NORMALIZE_IMAGES_MULTIPLIERS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Does so with all sums of products in `root`, named or generic, of known sizes, over windows of
// two elements and more, with two to four results a channel, 16 in all and more, that are the last
// dimension of the result behind the channels. (More are vectors of their own. With pixels
// innermost, vectors are of these.) Where the image gets borders it is repeated before; ops on
// elements that start the sums or follow stay beside the convolution. False where memory ran out
// and not all was done.
bool tune_normalize_multipliers(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_IMAGES_MULTIPLIERS_H
