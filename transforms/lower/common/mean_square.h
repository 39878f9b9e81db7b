//===- mean_square.h - The size of what is in a buffer -------------------------===//
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_MEAN_SQUARE_H
#define TUNE_TRANSFORMS_LOWER_COMMON_MEAN_SQUARE_H

#include "transforms/ir/ir_builder.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether `type` is that of a buffer of floats of known sizes, which has at most TUNE_IR_MAX_RANK
// dimensions, and one at least.
bool tune_mean_square_is_known(MlirType type);

// The root of the mean of the squares of the elements of `buffer`, as such, in f64: loops over all
// of it.
MlirValue tune_mean_square_root(const tune_ir_builder *builder, MlirValue buffer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_MEAN_SQUARE_H
