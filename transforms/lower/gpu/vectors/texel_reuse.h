//===- texel_reuse.h - Reuse of fetched texels in the next step of a loop ----===//
//
// Four neighbours at an odd place of a texel buffer are two fetches (vector_legalization_texels.c).
// A loop that goes along memory, four elements a step, fetches each texel twice then: as the second
// of one step, and as the first of the next. It is carried from one to the other instead, and one
// fetch a step is left, as where the places are even.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_VECTORS_TEXEL_REUSE_H
#define TUNE_TRANSFORMS_LOWER_GPU_VECTORS_TEXEL_REUSE_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// In each loop of `function`, whose vectors are in pieces and whose indices are computed by arith.
// Only where it is known how far from the begin of a texel the elements lie.
tune_status tune_texel_reuse_lower(MlirOperation function);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_VECTORS_TEXEL_REUSE_H
