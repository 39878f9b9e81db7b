//===- number_operands.h - Operands that are one number everywhere ---------------===//
//
// StableHLO, TOSA and JAX have numbers as tensors as large as all: `max(x, 0)` reads a tensor of
// zeroes that a broadcast makes. Whoever knows what an op computes by its body looks for the number
// there.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_FRONT_ENDS_NUMBER_OPERANDS_H
#define TUNE_TRANSFORMS_NORMALIZE_FRONT_ENDS_NUMBER_OPERANDS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// In `root`, takes from all linalg.generic on elements that have other inputs, too, those that are
// the same known number everywhere: the number is in the body then. False where memory ran out and
// not all was done.
bool tune_normalize_number_operands(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_FRONT_ENDS_NUMBER_OPERANDS_H
