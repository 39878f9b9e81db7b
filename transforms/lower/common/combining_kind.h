//===- combining_kind.h - Combining kinds of vector reductions ---------------===//
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_COMBINING_KIND_H
#define TUNE_TRANSFORMS_LOWER_COMMON_COMBINING_KIND_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_combining_kind {
  const char *kind;              // as in #vector.kind<...>
  const char *floats, *integers; // the op that combines two; NULL where there is none
} tune_combining_kind;

// What the attribute `kind` of `op`, as of a vector.reduction, says; NULL where it is not known.
const tune_combining_kind *tune_combining_kind_find(MlirOperation op);
// The same of such an attribute, or of one of gpu.subgroup_reduce (#gpu<all_reduce_op add>).
const tune_combining_kind *tune_combining_kind_read(MlirAttribute kind);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_COMBINING_KIND_H
