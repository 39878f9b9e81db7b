//===- exactness.h - Analysis: outputs that are exact for small integers -----===//
//
// A function that only adds, multiplies and takes maxima and minima computes small integers
// exactly, in any order: of factors and terms none of which is negative no partial result is larger
// than the result. More than that: what is beyond the integers that its narrowest type holds stays
// beyond them, however it is rounded, since each of these ops is monotone. So an output below that
// limit is right only if it is equal. One that only chooses and moves is exact for all values.
//
// Threads: reading IR, as MLIR allows.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_IR_EXACTNESS_H
#define TUNE_TRANSFORMS_IR_EXACTNESS_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_exactness {
  bool selects;  // outputs are inputs or constants, as they are
  int64_t limit; // of whole numbers from 0 on: outputs below it are exact; 0: nothing is known
} tune_exactness;

tune_exactness tune_exactness_of(MlirOperation function);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_IR_EXACTNESS_H
