//===- nest_choice.h - Bodies that keep the best element so far, and its place ---------------===//
//
// Front ends write the place of the largest in many ways: a compare and two selects, a maximum
// beside it, the lower place of equal ones by a minimum, with NaNs or without. What such a body
// decides is found by computing it: on values of all signs, equal ones, and places in either order.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_NESTS_NEST_CHOICE_H
#define TUNE_TRANSFORMS_LOWER_CPU_NESTS_NEST_CHOICE_H

#include "transforms/lower/cpu/nests/nest_loops.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_nest_choice {
  size_t result;          // which result is the best value; the other is its place
  MlirValue value, place; // of the body: what an element has of both, whatever was before
  // The compare, of arith.cmpf or arith.cmpi, by which an element takes the place of what was
  // before ("ogt", "sle"), as long as neither is a NaN.
  const char *better;
  bool is_last; // of equal ones the last stays: `better` holds for them
  // Of equal ones the lower place stays, whichever came first.
  bool is_lower;
} tune_nest_choice;

// Whether the body of `nest` makes such a choice between an element and what was before.
bool tune_nest_choice_find(const tune_nest_loops *nest, tune_nest_choice *out_choice);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_NESTS_NEST_CHOICE_H
