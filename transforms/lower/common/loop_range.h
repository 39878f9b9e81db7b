//===- loop_range.h - Loops whose bounds are known ---------------------------===//
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_LOOP_RANGE_H
#define TUNE_TRANSFORMS_LOWER_COMMON_LOOP_RANGE_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// An scf.for, or one dimension of an scf.forall.
typedef struct tune_loop_range {
  MlirOperation loop;
  MlirValue index;
  int64_t from, to, step; // the step is above 0
} tune_loop_range;

// False unless `loop` is an scf.for with constant bounds.
bool tune_loop_range_read_for(MlirOperation loop, tune_loop_range *out_range);
// The same of dimension `dimension` of an scf.forall of which all bounds are constant.
bool tune_loop_range_read_forall(MlirOperation loop, intptr_t dimension,
                                 tune_loop_range *out_range);

// How many steps there are; 0 where it ends before it begins.
int64_t tune_loop_range_count(const tune_loop_range *range);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_LOOP_RANGE_H
