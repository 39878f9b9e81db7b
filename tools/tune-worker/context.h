//===- context.h - The MLIR context of processes that build ------------------===//
//
// Everything upstream and the tune dialect, in one context without threads: the worker
// forks, and a forked child has only the thread that forked.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_WORKER_CONTEXT_H
#define TUNE_TOOLS_TUNE_WORKER_CONTEXT_H

#include "support/status.h"

#include "mlir-c/IR.h"

// Once per process: upstream's passes are registered for the whole process. Dialects load when they
// are met. mlirContextDestroy it.
tune_status tune_worker_context_create(MlirContext *out_context);

#endif // TUNE_TOOLS_TUNE_WORKER_CONTEXT_H
