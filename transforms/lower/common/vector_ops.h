//===- vector_ops.h - Building ops on vectors --------------------------------===//
//
// For what replaces an op on a vector by others, made right before it.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_VECTOR_OPS_H
#define TUNE_TRANSFORMS_LOWER_COMMON_VECTOR_OPS_H

#include "mlir-c/IR.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Makes the op `name` before `place`; its one result, of `type`.
MlirValue tune_vector_op_make(MlirOperation place, const char *name, intptr_t operand_count,
                              const MlirValue *operands, MlirType type, intptr_t attribute_count,
                              const MlirNamedAttribute *attributes);

// Elements [at, at + lanes) of `vector`, which is of rank 1; one lane is a scalar.
MlirValue tune_vector_op_take_lanes(MlirOperation place, MlirValue vector, int64_t at,
                                    int64_t lanes);
// `vector` with `part`, of `lanes` elements (one is a scalar), at `at`.
MlirValue tune_vector_op_put_lanes(MlirOperation place, MlirValue part, MlirValue vector,
                                   int64_t at, int64_t lanes);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_VECTOR_OPS_H
