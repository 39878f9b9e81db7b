//===- combiner.h - Ops that combine numbers in any order ---------------------===//
//
// What linalg ops reduce by, or add to a shifted tensor: a sum, a product, an extremum.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_COMBINER_H
#define TUNE_TRANSFORMS_NORMALIZE_COMBINER_H

#include "transforms/ir/ir_builder.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_combiner {
  const char *name; // of the op
  double neutral;   // what changes nothing
  bool is_extremum; // a number may be in it twice, and none is rounded
} tune_combiner;

// The combiner that is all that the body of `op` does: with its first two arguments, in either
// order. `*out_combine` is the op of it. NULL where there is none, or one whose order counts: it
// rounds f16 or bf16 each time, or its integers are not to overflow. Extrema of integers are none:
// their neutral elements depend on the type.
const tune_combiner *tune_combiner_find(MlirOperation op, MlirOperation *out_combine);

// The body of a linalg op that combines its result so far with the first of `inputs` inputs, as
// `combine` does it.
MlirRegion tune_combiner_build_body(const tune_ir_builder *builder, MlirOperation combine,
                                    intptr_t inputs);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_COMBINER_H
