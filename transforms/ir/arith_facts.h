//===- arith_facts.h - Classes of the ops of arith and math ------------------===//
//
// Threads: reading IR, as MLIR allows.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_IR_ARITH_FACTS_H
#define TUNE_TRANSFORMS_IR_ARITH_FACTS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Quotients and remainders of integers.
bool tune_arith_divides(MlirOperation op);
bool tune_arith_shifts(MlirOperation op);
// The larger or smaller of two floats.
bool tune_arith_clamps_floats(MlirOperation op);
// To a whole number, which stays a float (math).
bool tune_arith_rounds(MlirOperation op);
// Whether its flags say that it does not overflow.
bool tune_arith_promises_no_overflow(MlirOperation op);

// In bits, of a type of integers or indices, or a shaped one of such; an index has 64.
int64_t tune_arith_width(MlirType type);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_IR_ARITH_FACTS_H
