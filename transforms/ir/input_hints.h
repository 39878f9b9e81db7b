//===- input_hints.h - Analysis: which values arguments should have ----------===//
//
// What a function is run on to be checked has to keep what it computes in range, or there is
// nothing to compare. How an argument is used says which values do: it is followed through what
// only moves, converts or shifts it (reshapes, transposes, broadcasts, slices, calls, bodies of
// linalg ops) to ops that need something of it.
//
//   - what a gather takes as an index stays within its table;
//   - what is under a root or a logarithm, or is divided by, is positive and away from zero;
//   - a factor of a product over K terms is near one, as far as sqrt(3 / K);
//   - a factor that another value is contracted with, a weight, is as small as its sum is long:
//     uniform with a variance of 1 / fan-in, so that a chain of layers neither grows nor fades;
//   - what counts against a huge constant is a mask: zeros and ones; half of what is compared with
//     zero or one is that;
//   - a shift stays below the width, an exponent small, a float that becomes an integer within that
//     integer's range, and its own;
//   - what integers are divided by is not zero, nor -1, of which the smallest integer has no
//     quotient;
//   - what says how often a loop of scf.while turns is from 1 to below all dimensions, and so is a
//     single number that a branch compares with another value: any number of its type would turn
//     for ever, or not at all;
//   - integers for which nothing of this holds, and that index nothing, are any of their type, or
//     of two digits where they become floats.
//
// Threads: reading IR, as MLIR allows.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_IR_INPUT_HINTS_H
#define TUNE_TRANSFORMS_IR_INPUT_HINTS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_input_hint {
  bool has_range; // else anything that is usual for its type
  double low, high;
  bool is_whole;   // floats, too, are whole numbers
  bool is_flag;    // half of the integers are 0 and 1
  bool is_divisor; // none of the integers is 0 or -1
} tune_input_hint;

// Of argument `index` of `function`, a func.func with a body.
tune_input_hint tune_input_hint_of(MlirOperation function, intptr_t index);

// Whether all of `value` is an argument of a function, moved.
bool tune_input_is_moved(MlirValue value);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_IR_INPUT_HINTS_H
