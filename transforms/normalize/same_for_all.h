//===- same_for_all.h - Tensors that are the same all along a dimension ---------------===//
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_SAME_FOR_ALL_H
#define TUNE_TRANSFORMS_NORMALIZE_SAME_FOR_ALL_H

#include "transforms/ir/ir_builder.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether `value` is what it is whatever its size along `dimension`: empty, filled with a number,
// or broadcast along that.
bool tune_same_for_all(MlirValue value, intptr_t dimension);

// Such a value with another size along `dimension`, made before `b`.
MlirValue tune_same_for_all_of_size(const tune_ir_builder *b, MlirValue value, intptr_t dimension,
                                    int64_t size);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_SAME_FOR_ALL_H
