//===- stages.h - An observer of the stages of a lowering --------------------===//
//
// Who wants to see what the steps of a lowering do is told of the module after each of them.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_STAGES_H
#define TUNE_TRANSFORMS_LOWER_COMMON_STAGES_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_stages {
  // `stage` is the step's name in docs/lowering.md: "launches". `module` is to be left as it is.
  // NULL: nobody watches.
  void (*reach)(void *user, const char *stage, MlirOperation module);
  void *user;
} tune_stages;

static inline void tune_stages_reach(const tune_stages *stages, const char *stage,
                                     MlirOperation module) {
  if (stages->reach)
    stages->reach(stages->user, stage, module);
}

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_STAGES_H
