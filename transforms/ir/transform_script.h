//===- transform_script.h - Scripts that our own code writes and runs --------===//
//
// Rewrites that upstream offers as transform ops alone. Schedules, which are a task's own, are
// instantiate.h's.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_IR_TRANSFORM_SCRIPT_H
#define TUNE_TRANSFORMS_IR_TRANSFORM_SCRIPT_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Runs the sequence @__transform_main of `text`, a module of the transform dialect, on `payload`.
// INTERNAL where it does not parse or does not apply, with upstream's words; `doing` ("taking ops
// apart") says what it was for.
tune_status tune_transform_script_run(MlirOperation payload, const char *text, const char *doing);
// The same of a script that was parsed before, in a context of one thread.
tune_status tune_transform_script_apply(MlirOperation payload, MlirOperation script,
                                        const char *doing);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_IR_TRANSFORM_SCRIPT_H
