//===- orders.h - Products in the order that their results are turned to -----------===//
//
// Front ends that work with channels innermost (TOSA) turn what was the other way round: images at
// the beginning of a function, results at its end. A 1x1 convolution whose result is turned
// (linalg.transpose) can make it in that order right away, with lines of pixels as its columns
// (pixels.h), instead of tiles of channels that are turned one by one. Ops on elements between
// take part. So does what the product alone reads, as far as it is such a product or a convolution
// of each channel with itself over an image that is turned, too: no layout is better for it, and
// nothing is turned any more.
//
// Convolutions with windows over all channels stay: they are faster with channels innermost.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_ORDERS_H
#define TUNE_TRANSFORMS_NORMALIZE_ORDERS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Does so with all linalg.transpose in `root`, of known sizes, that bring two or more dimensions of
// pixels behind that of the channels, where nothing else reads what they turn. Before named ops are
// made generic or after. False where memory ran out and not all was done.
bool tune_normalize_orders(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_ORDERS_H
