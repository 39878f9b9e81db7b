//===- dead_ops.h - Removal of what nobody uses --------------------------------===//
//
// A module that has no task is lowered as it is, with ops whose results nobody uses. Bufferization
// would give them memory and loops, and a device a kernel, which it may have no functions for.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_BUFFERIZE_DEAD_OPS_H
#define TUNE_TRANSFORMS_LOWER_BUFFERIZE_DEAD_OPS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// The script that tune_dead_ops_remove runs, for the caller to destroy.
tune_status tune_dead_ops_create(MlirContext context, MlirOperation *out_script);
// Removes ops without effects that nobody uses, and what was there for them alone, from all
// functions of `module`.
tune_status tune_dead_ops_remove(MlirOperation script, MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_BUFFERIZE_DEAD_OPS_H
