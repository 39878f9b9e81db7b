//===- op_sums.h - Facts of a linalg op, named or generic, as it came --------===//
//
// op_facts.h knows generic ops, which tasks consist of. What a function is run on is found out
// before any op of it is made generic.
//
// Threads: reading IR, as MLIR allows.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_IR_OP_SUMS_H
#define TUNE_TRANSFORMS_IR_OP_SUMS_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_op_sum {
  bool is_known;      // a linalg op with a body and loops; else all else is zero
  bool reduces;       // some loop is of no result
  bool multiplies;    // it sums up products of two operands or more: a contraction, a convolution
  bool multiplies_up; // it multiplies what a result is so far: a product over a dimension
  bool moves;         // no loop reduces, and the body yields an operand, converted at most once
  int64_t
      length; // of what is reduced into an element, 1 where nothing is; 0: known only when it runs
  intptr_t input_count; // operands before those that are written
} tune_op_sum;

tune_op_sum tune_op_sum_of(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_IR_OP_SUMS_H
