//===- accumulator_promotion.h - Accumulator promotion: the reference's sums in wider types -===//
//
// A sum that rounds each addition stands still where it is 256 (bf16), 2048 (f16) or 2^24 (f32)
// times as large as what is added: of 4096 numbers around 1 bf16 makes 256. Long before it is off
// by more than a candidate that sums up in vectors. As a measure for what is more exact that is
// useless, so in the reference reductions in f16 and bf16 are computed in f32, and long ones in f32
// in f64, and rounded once, where they are written.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_ACCUMULATOR_PROMOTION_H
#define TUNE_TRANSFORMS_LOWER_CPU_ACCUMULATOR_PROMOTION_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Gives each linalg.generic of `module` that reduces into buffers of f16 or bf16, or more than
// 65536 elements into one of f32, buffers of the wider type in their place, which begin with what
// these hold and are rounded into them afterwards. What its body computes by arith and math is
// computed in that type, but for what it converts itself. `module` is on buffers, and memory is
// given back in it already.
void tune_accumulator_promotion_run(MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_ACCUMULATOR_PROMOTION_H
