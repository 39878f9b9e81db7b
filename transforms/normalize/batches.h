//===- batches.h - Batches whose images take their turns -----------------------------===//
//
// Layer after layer a batch of images goes through the caches as a whole: what one layer leaves has
// gone to memory when the next one reads it. Where weights are small beside that, a loop takes the
// images through several layers in turns, one or a few at once, and what lies between layers stays
// in the caches. Where weights are large the layers are of all images, so that each weight is read
// once. So networks of images go in turns up to where their weights outgrow their images.
//
// Several threads share the turns: each has images of its own, and goes through all layers without
// waiting for others. The loop has TUNE_THREADS_ATTRIBUTE then, and what is in it is for one thread
// (transforms/tasks/extract.h).
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_BATCHES_H
#define TUNE_TRANSFORMS_NORMALIZE_BATCHES_H

#include "support/status.h"

#include "mlir-c/IR.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// An integer on a func.func: how many images are computed at once, a divisor of the batch; the
// batch itself is all of them. Without it that is decided by an estimate. It goes when that is
// done.
#define TUNE_IMAGES_AT_ONCE_ATTRIBUTE "tune.images_at_once"

// With that, an integer, too: through how many layers, the first ones. Without it an estimate
// decides.
#define TUNE_IMAGES_LAYERS_ATTRIBUTE "tune.images_layers"

// Before choices are taken off `root`, a module: notes which functions have them. Once it is
// normalized that is forgotten.
void tune_batches_note_choices(MlirOperation root);
void tune_batches_forget_choices(MlirOperation root);

// Says on the functions of `root` whose images take turns how many go at once and through what, as
// was decided in `normalized`, the same module: before choices are written, which are for that.
void tune_batches_pin(MlirOperation root, MlirOperation normalized);

// Does so with the functions of `root`, a module, that have a batch (batch_values.h), for code that
// runs on `threads`. Before named ops are made generic or after. INVALID_ARGUMENT (located) where
// the attribute asks for what there is none of.
tune_status tune_normalize_batches(MlirOperation root, size_t threads);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_BATCHES_H
