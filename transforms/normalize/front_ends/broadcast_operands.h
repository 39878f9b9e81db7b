//===- broadcast_operands.h - Operands that were made as large as the result -----===//
//
// StableHLO has no operands of fewer dimensions than the result: a row that is added to all rows is
// broadcast into a tensor first. Reshapes of the result then reach all of that, and a constant row
// is a constant as large as an image.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_FRONT_ENDS_BROADCAST_OPERANDS_H
#define TUNE_TRANSFORMS_NORMALIZE_FRONT_ENDS_BROADCAST_OPERANDS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// In `root`, lets all linalg.generic on elements of images, of four dimensions and more, read what
// was broadcast for them where it comes from. False where memory ran out and not all was done.
bool tune_normalize_broadcast_operands(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_FRONT_ENDS_BROADCAST_OPERANDS_H
