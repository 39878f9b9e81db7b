//===- dead_results.h - Results that nobody reads -----------------------------------===//
//
// PyTorch's maximum along a dimension is an op with two results, the maximum and its place, and
// softmax reads the first alone. Upstream keeps the other one: it depends on itself.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_DEAD_RESULTS_H
#define TUNE_TRANSFORMS_NORMALIZE_DEAD_RESULTS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Gives the ops that read `value`, and those that read what ops on elements and reshapes make of
// it, one result where they have several of which one alone is read and does not depend on the
// others.
// False where memory ran out and not all was done.
bool tune_dead_results_drop(MlirValue value);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_DEAD_RESULTS_H
