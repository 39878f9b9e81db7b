//===- preparation.h - The form of a task that rules and schedules work on ------------===//
//
// Front ends write the same work in many forms. Before a rule looks at a task, and again
// at the begin of each schedule, the task's function is brought to one form: named ops
// become generic (but for fills and matmuls of mixed precision, which upstream
// vectorizes better by name), movement folds into the indexing of its users, elementwise
// chains become one op. It is a transform script of upstream's ops, so that a schedule is whole
// without us.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_PREPARATION_H
#define TUNE_TRANSFORMS_RULES_PREPARATION_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// The named sequence @tune_prepare as text. It takes the handle of a function and yields that of
// the prepared one.
const char *tune_preparation_text(void);

// Runs it on the only function of `payload`. INTERNAL where it fails.
tune_status tune_preparation_run(MlirModule payload);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_PREPARATION_H
