//===- pipeline.h - Upstream's passes, parsed once ---------------------------===//
//
// A lowering parses the text of its pass pipelines once and runs them for each candidate.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_PIPELINE_H
#define TUNE_TRANSFORMS_LOWER_COMMON_PIPELINE_H

#include "support/status.h"

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes a pass manager over a builtin.module of the passes in `text`, "canonicalize,cse".
// INTERNAL where this MLIR does not take them. `*out_passes` is to be destroyed by
// tune_pipeline_destroy also after a failure.
tune_status tune_pipeline_create(MlirContext context, const char *text,
                                 MlirPassManager *out_passes);
// Of a null one as well.
void tune_pipeline_destroy(MlirPassManager passes);

// INVALID_ARGUMENT with the diagnostics of the passes, or that `what` failed.
tune_status tune_pipeline_run(MlirPassManager passes, MlirOperation module, const char *what);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_PIPELINE_H
