//===- tune_dialect.h - The tune dialect in a context ---------------------------===//
//
// The dialect is described in tune.irdl.mlir, whose text is part of the library; the
// same text makes it in tune-opt, in the plugin, in the worker and for users of the C
// API, so that all of them accept and refuse the same. See docs/dialect.md.
//
// Threads: as MLIR's: a registry belongs to one thread; a dialect must not be loaded
// into a context while passes run on it.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_DIALECTS_TUNE_DIALECT_H
#define TUNE_DIALECTS_TUNE_DIALECT_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// The namespace of the dialect, "tune".
#define TUNE_DIALECT_NAMESPACE "tune"

// Registers the dialect: contexts made with `registry` load it when they meet it.
void tune_dialect_register(MlirDialectRegistry registry);

// Registers and loads the dialect into `context`; does nothing where it is loaded already.
tune_status tune_dialect_load(MlirContext context);

// A handle as upstream's dialects have one, for mlirDialectHandleInsertDialect and as a dependent
// dialect of a pass.
MlirDialectHandle tune_dialect_get_handle(void);

#ifdef __cplusplus
}
#endif

#endif // TUNE_DIALECTS_TUNE_DIALECT_H
