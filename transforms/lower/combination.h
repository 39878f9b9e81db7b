//===- combination.h - What vectors are reduced by ------------------------------------===//
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMBINATION_H
#define TUNE_TRANSFORMS_LOWER_COMBINATION_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_combination {
  const char *kind;              // as in #vector.kind<...>
  const char *floats, *integers; // the op that combines two; NULL where there is none
} tune_combination;

// What the attribute `kind` of `op`, as of a vector.reduction, says; NULL where it is not known.
const tune_combination *tune_combination_find(MlirOperation op);
// The same of such an attribute, or of one of gpu.subgroup_reduce (#gpu<all_reduce_op add>).
const tune_combination *tune_combination_read(MlirAttribute kind);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMBINATION_H
