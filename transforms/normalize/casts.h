//===- casts.h - Parts of known sizes that are joined as if these were not known ---------===//
//
// What shifts an image around its border, torch.roll, joins two parts. It comes with casts of both
// to sizes that are known at run time only, and upstream looks through these for ops that write to
// a destination, which tensor.concat is not.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_CASTS_H
#define TUNE_TRANSFORMS_NORMALIZE_CASTS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Has each tensor.concat in `root` read what was cast.
void tune_normalize_casts(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_CASTS_H
