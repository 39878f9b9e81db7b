//===- workgroup_matmul_producer.h - Producer warps that only copy -----------===//
//
// With tune.tile.producer_warps = 1 on the forall a group has one warp more, the last: one of its
// threads asks for the bulk copies of all steps, as soon as the others have read what is there, and
// the others multiply without ever waiting for each other ("warp specialization", as in NVIDIA's
// CUTLASS, include/cutlass/gemm/collective/sm90_mma_tma_gmma_ss_warpspecialized.hpp).
//
//   barriers made, and all threads behind them      workgroup_matmul_bulk.h
//   if  the warp more
//     for  steps                                    by one thread: waits for readers, copies
//   if  another                                     what starts the sum, the loop, the writes
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_PRODUCER_H
#define TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_PRODUCER_H

#include "transforms/lower/gpu/matmul/workgroup_matmul_tile.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reads the attribute into tile->producer_warps; 0 without it. INVALID_ARGUMENT (located) for
// another number, and where there are no bulk copies.
tune_status tune_tile_producer_read(tune_tile *tile);
// Makes all up to and with what the warp does, before the loop; then `*out_last` is the last op of
// that.
void tune_tile_producer_begin(const tune_tile *tile, MlirOperation *out_last);
// Has what is behind `last` in the forall be for the other warps.
void tune_tile_producer_end(const tune_tile *tile, MlirOperation last);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_PRODUCER_H
