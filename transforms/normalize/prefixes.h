//===- prefixes.h - Sums of prefixes in steps, as one window ---------===//
//
// TOSA has no op for sums of prefixes: they come as steps, each of which adds to a tensor itself,
// shifted by 1, 2, 4, … places, with zeroes before it: a pad, a slice and an addition each. After
// the steps each element is the sum of a window that ends there, as wide as the shifts and one.
// Here that becomes the window, as StableHLO writes it: one op, of which CPUs take each element
// twice (lower/cpu/nests/nest_windows.h), however wide it is. Devices take each window by itself:
// for them the steps are better.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_PREFIXES_H
#define TUNE_TRANSFORMS_NORMALIZE_PREFIXES_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Does so with all chains of two steps and more in `root`, of known sizes, along any dimension,
// from its start or its end on, of sums, products and extrema. Sums and products of f16 and bf16
// stay: in a window each addition would be rounded; so does what other ops read between the steps,
// up to there. False where memory ran out
// and not all was done.
bool tune_normalize_prefixes(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_PREFIXES_H
