//===- threads.h - Loops that threads may share, and batches -------------------===//
//
// A unit attribute of an scf.for whose steps do not depend on each other, but for memory that each
// only writes for itself: schedules and normalizing put it there, and on buffers, with threads,
// such a loop becomes parallel (transforms/lower/common/parallel_loops.h). docs/dialect.md has it.
//
// Threads: reading IR, as MLIR allows.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_DIALECTS_THREADS_H
#define TUNE_DIALECTS_THREADS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_THREADS_ATTRIBUTE "tune.threads"

// On a function that transforms/normalize/batches.h was at, an array<i64: IMAGES, LAYERS>: how many
// images at once go through how many of its layers; of zeroes, while a module is normalized:
// nothing is to be decided, since its ops have choices, which are for all images at once.
#define TUNE_IMAGES_TAKEN_ATTRIBUTE "tune.images_taken"

// Whether `op` is a loop that has it, carries tensors alone, if anything, and counts by index:
// others are loops of one thread.
bool tune_threads_is_shared(MlirOperation op);
// Whether `op` is in such a loop of its function.
bool tune_threads_share(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif // TUNE_DIALECTS_THREADS_H
