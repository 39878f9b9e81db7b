//===- windows.h - Images cut down to what is read of them ---------===//
//
// The output of a convolution with a stride may have one line: then upstream's folding of
// unit dimensions leaves an op whose image is higher than its window, which no longer
// verifies; or, of windows of one pixel, an image of which each time one line is read. Here
// such an image is cut (tensor.extract_slice) to what is read, before dimensions are folded.
//
// Threads: one thread at a time per module.
//
//===------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_WINDOWS_H
#define TUNE_TRANSFORMS_NORMALIZE_WINDOWS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Cuts the inputs of all convolutions, contractions and linalg.generic in `root` that are read
// along a dimension by a sum of loops (times numbers) of which some have one step, and at most one
// other is left, without a stride, where what is read ends before the dimension does. Inputs of
// sizes known at run time stay.
void tune_normalize_windows(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_WINDOWS_H
