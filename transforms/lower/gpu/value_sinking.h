//===- value_sinking.h - Sinking of arithmetic to its uses -------------------===//
//
// Pieces of vectors come stage by stage: all that is read, then all differences, all exponentials,
// all quotients. A driver that keeps the order of a kernel has each stage in memory before the
// next. Arithmetic moves down to just before what needs it, in the order of its operands, and that
// to before the first op of another kind that does; reads, writes and loops keep their order.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_VALUE_SINKING_H
#define TUNE_TRANSFORMS_LOWER_GPU_VALUE_SINKING_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// In all blocks within `root`, as of a module of kernels.
tune_status tune_value_sinking_run(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_VALUE_SINKING_H
