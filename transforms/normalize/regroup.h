//===- regroup.h - Reshapes of what products make and read, out of their way ------===//
//
// A convolution in groups stands between reshapes: its channels become groups of channels, and then
// channels again. Tasks end at reshapes, so that borders before it and ops on elements after it
// would be tasks of their own. So ops on elements are computed in the shape that the product has,
// and reshaped after that; borders are added to what is reshaped before. The same for other
// products whose result is reshaped.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_REGROUP_H
#define TUNE_TRANSFORMS_NORMALIZE_REGROUP_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Does so in `root`, where sizes are known: past ops on elements, as long as they are all that
// reads the product's result. Before named ops are made generic or after. False where memory ran
// out and not all was done.
bool tune_normalize_regroup(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_REGROUP_H
