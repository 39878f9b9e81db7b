//===- bufferize.h - Bufferization of what a schedule left on tensors --------===//
//
// All lowerings bufferize alike: softmax and the like are taken apart (decompose.h), arithmetic on
// whole tensors becomes linalg, then upstream's one-shot bufferization, with identity layouts at
// the border of functions. A candidate and its reference have the same memory at the border
// whatever the target.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_BUFFERIZE_BUFFERIZE_H
#define TUNE_TRANSFORMS_LOWER_BUFFERIZE_BUFFERIZE_H

#include "support/status.h"

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_bufferizer {
  MlirOperation dead_ops, decompose; // scripts
  MlirPassManager passes;
} tune_bufferizer;

// `bufferizer` is to be deinitialized also after a failure.
tune_status tune_bufferizer_init(tune_bufferizer *bufferizer, MlirContext context);
void tune_bufferizer_deinit(tune_bufferizer *bufferizer);

// Bufferizes what is still on tensors in `module`.
tune_status tune_bufferizer_run(tune_bufferizer *bufferizer, MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_BUFFERIZE_BUFFERIZE_H
