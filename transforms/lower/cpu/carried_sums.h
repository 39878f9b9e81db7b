//===- carried_sums.h - Sums on the stack become what a loop carries -----------------------===//
//
// A schedule keeps the sums of a register tile on the stack, and has the loop over the depth carry
// them. Upstream's hoisting does so for vectors that are all of one type: where 40 columns are two
// vectors of 16 and one of 8, all stay in memory, and LLVM's SROA takes that to scalars (a tenth of
// the speed). What it left is done here, for vectors of any types:
//
//   for %k {                              %r = for %k iter_args(%s = load %a[0, 32]) {
//     %s = load %a[0, 32]                   %t = dot %s, ...
//     %t = dot %s, ...              =>      yield %t
//     store %t, %a[0, 32]                 }
//   }                                     store %r, %a[0, 32]
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_CARRIED_SUMS_H
#define TUNE_TRANSFORMS_LOWER_CPU_CARRIED_SUMS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Does so in `root`, on buffers, for each memref.alloca of a known size that a loop reads before it
// writes it, by vector.load and vector.store at constant places of which no two overlap in part,
// and does nothing else with; nor is it handed on elsewhere. f16 and bf16 stay (float_promotion.h).
// OUT_OF_MEMORY alone.
tune_status tune_carried_sums_run(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_CARRIED_SUMS_H
