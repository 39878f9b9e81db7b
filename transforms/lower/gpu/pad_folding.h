//===- pad_folding.h - Folding of padding into masked reads ------------------===//
//
// A schedule pads what fills no whole tiles: a buffer that is filled, has the operand copied into
// its corner and is read by a kernel; or one that a kernel writes, and whose corner is the result.
// Where kernels do nothing with such a buffer but transfers of vectors, they can reach for what it
// is a copy of instead, out of bounds at the edges, and buffer and copies go:
//
//  - results always: what is outside is not written;
//  - operands where the function has the attribute tune.gpu.edges = 1: what is outside is read as
//    the value of the filling. That takes comparisons at each access, so that copies pay where much
//    is read again.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_PAD_FOLDING_H
#define TUNE_TRANSFORMS_LOWER_GPU_PAD_FOLDING_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// In the body of `function`, which is on buffers, with kernels as scf.forall. OUT_OF_MEMORY alone.
tune_status tune_pad_folding_lower(MlirOperation function);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_PAD_FOLDING_H
