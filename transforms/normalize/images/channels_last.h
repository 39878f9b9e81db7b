//===- channels_last.h - Networks with channels innermost --------------------------===//
//
// PyTorch has the channels of an image before its pixels (NCHW). With channels innermost (NHWC)
// vectors are of channels, of which there are mostly enough: lines of 7 or 14 pixels fill none, and
// depthwise convolutions and windows with a stride need no shuffles. So between convolutions images
// are computed with channels innermost, where that saves more than it takes to turn what goes in
// and comes out. Filters that are constant are turned, too, which is done ahead.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_IMAGES_CHANNELS_LAST_H
#define TUNE_TRANSFORMS_NORMALIZE_IMAGES_CHANNELS_LAST_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Does so with all images in `root` (image_values.h), of known sizes, that belong together and
// profit. Before named ops are made generic or after. False where memory ran out and
// not all was done.
bool tune_normalize_channels_last(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_IMAGES_CHANNELS_LAST_H
