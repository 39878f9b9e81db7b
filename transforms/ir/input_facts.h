//===- input_facts.h - Analysis: which arguments outputs are defined for -----===//
//
// Which values, beside those that input_hints.h gives its arguments, a function has one right
// result for, and how near to that any code has to come.
//
// Threads: reading IR, as MLIR allows.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_IR_INPUT_FACTS_H
#define TUNE_TRANSFORMS_IR_INPUT_FACTS_H

#include "transforms/ir/input_hints.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_input_facts {
  // There are arguments for which its outputs are not defined: an op leaves open what comes of some
  // values (a division of integers, a shift, a float that becomes an integer, an index computed
  // from data, a promise such as nnan or nsw), unless a constant rules them out, or may (a call).
  // Of a product over a dimension too, where what is too large and what is zero give NaN or not, as
  // they meet.
  bool is_partial;
  // NaN and infinities come out of any right code as they come out of the plain one. Not so where
  // products are summed up (Winograd's transforms spread them), where the largest of several is
  // found by comparisons (in which order matters for NaN), nor where it is partial.
  bool takes_special;
  // What sums of floats add up are arguments, or products of them: zeros there make them short.
  bool sums_arguments;
  // Infinities may be chosen by a body, so that there is nothing odd about infinite results.
  bool has_infinities;
  // Halves and quarters up to 256 either way (targets/sparse.h) are computed with exactly, so that
  // there is nothing between what rounds one way and what rounds the other.
  bool keeps_steps;
  // Of zeros the sign is the same by any right code, too: nothing is added up, no larger one of two
  // is taken, which leaves it open, no function is approximated, and no product is added to.
  bool keeps_zeros;
  // The coarsest type of floats that something is summed up in; null: there is none, or it is not
  // known.
  MlirType sums;
} tune_input_facts;

tune_input_facts tune_input_facts_of(MlirOperation function);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_IR_INPUT_FACTS_H
