//===- task_runs.h - How often an op runs in a call of its function ----------===//
//
// Threads: reading IR, as MLIR allows.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_TASKS_TASK_RUNS_H
#define TUNE_TRANSFORMS_TASKS_TASK_RUNS_H

#include "mlir-c/IR.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_RUNS_UNKNOWN (-1)

// The product of the trips of the loops around `op` (scf.for with constant bounds), or
// TUNE_RUNS_UNKNOWN where a branch, or a loop whose trips are not known, is around it.
int64_t tune_task_runs(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_TASKS_TASK_RUNS_H
