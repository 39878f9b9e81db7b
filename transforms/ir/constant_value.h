//===- constant_value.h - Analysis: values that are one number ---------------===//
//
// A scalar constant, a constant of equal elements, what is filled or broadcast from one, and, in
// the body of a linalg op, an element of an operand that is such.
//
// Threads: reading IR, as MLIR allows.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_IR_CONSTANT_VALUE_H
#define TUNE_TRANSFORMS_IR_CONSTANT_VALUE_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether `value` is the same known number everywhere. Integers are signed.
bool tune_constant_value(MlirValue value, double *out_number);
// The same of a number that a double holds exactly: of floats any, of integers those below 2^53.
bool tune_constant_exact_value(MlirValue value, double *out_number);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_IR_CONSTANT_VALUE_H
