//===- nest_body.h - The body of a loop nest: what it computes ----------------===//
//
// The part of a nest (structure.h) that is read off the ops within a linalg op: whether they
// multiply and add, or combine with the output, what they yield as an expression, and what of them
// is costly.
//
// Threads: reading IR follows the rule of its context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_STRUCTURE_NEST_BODY_H
#define TUNE_TRANSFORMS_STRUCTURE_NEST_BODY_H

#include "transforms/structure/structure.h"

#ifdef __cplusplus
extern "C" {
#endif

// Fills in what `nest` has of the body of `op`, which it is the nest of; its input_count is known.
// An op without a body leaves it as it is.
void tune_nest_body_read(MlirOperation op, tune_nest *nest);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_STRUCTURE_NEST_BODY_H
