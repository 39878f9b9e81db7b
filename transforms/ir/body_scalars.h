//===- body_scalars.h - Scalars that go through tensors in bodies of ops --------===//
//
// StableHLO's reductions have bodies on tensors without dimensions: what comes out of its lowering
// makes a tensor of each element, and takes the element out of it. Bufferized as it is, that is
// memory from the heap for each element; and nobody would know the body for a sum.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_IR_BODY_SCALARS_H
#define TUNE_TRANSFORMS_IR_BODY_SCALARS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// In `module`, puts the scalar itself wherever it is taken out of a tensor that was made of it
// alone, and removes the ops that did that. OUT_OF_MEMORY alone.
tune_status tune_body_scalars_forward(MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_IR_BODY_SCALARS_H
