//===- phases.h - Transposed convolutions, without the zeroes in their images -----===//
//
// A transposed convolution with a stride, or the gradient of one with a stride, comes as a dense
// convolution over an image that has zeroes between its pixels (tensor.insert_slice with strides
// into zeroes). Of the taps of its window one in s meets a pixel in each dimension, which ones
// hangs on the phase of the output: its place modulo s.
//
// Here the s phases of each such dimension become s times as many channels of one convolution over
// the image as it was. Its window has ceil(K / s) taps, and its result is turned, so that the
// phases lie beside each other, and cut to its size. As upstream does it for TOSA
// (TosaDecomposeTransposeConv.cpp); what the idea is called: sub-pixel convolution (Shi et al.,
// arXiv:1609.05158 and 1609.07009).
//
// With tap k = s t + r and pixel i at off + s i, output o sees pixel i = q + t where
// o = s q + off - r.
//
// What is not multiplied any more may be infinite or NaN, as in zeroes.h. Where s does not divide
// K, some phases have a tap of zero more. Of floats such convolutions stay: an infinite pixel would
// make outputs NaN that do not see it.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_PHASES_H
#define TUNE_TRANSFORMS_NORMALIZE_PHASES_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Does so with all sums of products in `root`, named or generic, of known sizes, with channels that
// index the filter and the result alone. Along the dimensions with zeroes the window has two taps
// and more, of floats a multiple of s, and moves by one place. What f16 and bf16 are added to has
// to be zero. Before named ops are made generic or after. False where memory ran out and not all
// was done.
bool tune_normalize_phases(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_PHASES_H
