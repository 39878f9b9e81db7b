//===- tile_temporaries.h - Vectors that are written to a buffer on their way to another -===//
//
// Where what follows a product only moves dimensions of one iteration about (a batch to another
// place), its tile is a vector that bufferization has written to a buffer of the tile's size, and
// copied from there to its place. It is written to its place.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_MATMUL_TILE_TEMPORARIES_H
#define TUNE_TRANSFORMS_LOWER_GPU_MATMUL_TILE_TEMPORARIES_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Takes such buffers out of `function`. Others stay.
tune_status tune_tile_temporaries_remove(MlirOperation function);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_MATMUL_TILE_TEMPORARIES_H
