//===- pixels.h - Products over all pixels of an image, as one line --------------===//
//
// A 1x1 convolution with channels before pixels (NCHW) is a matrix product, of the filter and of
// channels x pixels. Written as a convolution its rows are as short as a line of the image (14, 7),
// which fill no vectors, and rules would turn the image for it. But the lines lie one after the
// other: here they become one, by reshapes that cost nothing. Ops on elements that follow take
// part, so that they stay beside their product; what fills or broadcasts is made anew for it.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_IMAGES_PIXELS_H
#define TUNE_TRANSFORMS_NORMALIZE_IMAGES_PIXELS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// So do the pixels before the channels (NHWC), and the rows of several batches: they are the rows
// of one product.
//
// And an image that a window covers whole is one row: all its dimensions are summed up, in the
// order that the filter has, to which the image is turned. The filter is many times as large.
//
// Does so with all sums of products in `root`, named or generic, of known sizes, whose last
// dimensions, or those before the last one, two and more, are dimensions of one factor, one after
// the other in the same order, and not in the other. The second only where nothing turns the
// result. Before named ops are made generic or after. False where memory ran out and not all was
// done.
bool tune_normalize_pixels(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_IMAGES_PIXELS_H
