//===- known_branches.h - Branches that are taken, or not, come what may ------------===//
//
// Schedules leave masks of constants, and upstream makes a branch of each of their bits:
//
//   scf.if %true { vector.store ... } else { }
//
// and the same of reads. Such a branch keeps what fills a panel of weights from being made ahead
// (weights_ahead.h), which looks at loops and straight code alone.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_WEIGHTS_KNOWN_BRANCHES_H
#define TUNE_TRANSFORMS_LOWER_CPU_WEIGHTS_KNOWN_BRANCHES_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Puts the ops of what is taken in the place of each scf.if in `function` whose condition is a
// constant. Fails for want of memory alone.
tune_status tune_known_branches_open(MlirOperation function);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_WEIGHTS_KNOWN_BRANCHES_H
