//===- workgroup_matmul_order.h - The order in which workgroups take tiles ---===//
//
// Groups begin in the order of their numbers, those of a row of tiles first, and as many run at
// once as there are multiprocessors. A row of tiles reads all of B; bands of some rows, column by
// column, read less of both in the same time, and so more of it from the second cache (NVIDIA's
// CUTLASS: docs/efficient_gemm.md, "Threadblock Rasterization").
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_ORDER_H
#define TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_ORDER_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Where the attribute tune.tile.band = N is on `forall`, whose last two dimensions are rows and
// columns of tiles: has its iterations take the tiles in bands of N rows. Clusters of `cluster_y`
// rows and `cluster_x` columns of them, which divide all, stay together. INVALID_ARGUMENT (located)
// where N does not divide the rows, no whole clusters are in it (but for N = 1, which changes
// nothing), or the loop does not count tiles one by one from 0.
tune_status tune_tile_order(MlirOperation forall, int64_t cluster_y, int64_t cluster_x);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_ORDER_H
