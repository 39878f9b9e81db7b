//===- workgroup_matmul.h - Products that a workgroup computes through shared memory -===//
//
// A schedule gives each iteration of an scf.forall a large tile of a matrix product: a loop along
// the depth (or loops within each other, as along windows and channels) with one vector.contract in
// it, what follows elementwise, and writes, all on vectors of the whole tile. With the attributes
// below a group of threads computes it together:
//
//  - tiles of A and B are copied to shared memory, `stages` - 1 steps ahead of where they are used,
//    by asynchronous copies (cp.async) of up to 16 bytes a thread; where the device has none, one
//    step ahead by way of registers;
//  - each warp has a part of the output tile, each of its threads pieces of that in registers
//    (workgroup_matmul_tile.h): by tensor cores (ldmatrix and mma.sync, as PTX's manual lays
//    fragments out), by four warps together (wgmma), or by multiply-adds of f32;
//  - what follows is computed of these pieces, element by element, and written from there.
//
// Integers on the forall:
//
//   tune.tile.warps_y, tune.tile.warps_x   how many warps divide the rows and the columns
//   tune.tile.stages                       tiles in shared memory at once; 1: no copy ahead
//   tune.tile.band                         optional: rows of tiles that go together
//                                          (workgroup_matmul_order.h)
//   tune.tile.tensor_cores                 0: multiply-adds of f32 or, on Vulkan, of f16; 1:
//                                          mma.sync, of f16, bf16 or i8, or of f32 as tf32, and on
//                                          Vulkan cooperative matrices, of what the device has
//                                          (workgroup_matmul_matrices.c); 2: wgmma of sm_90, of f16
//                                          or bf16, or of f32 as tf32, into f32: warps_y is a
//                                          multiple of four, which have 64 rows together, or more
//   tune.tile.bulk_copies                  1: with tensor_cores = 2, one thread copies whole tiles
//                                          (cp.async.bulk.tensor); 0, or none: each some of it
//   tune.tile.swizzle                      optional: 1, with mma.sync of f16, bf16 or i8, has rows
//                                          in shared memory lie swizzled, without gaps
//   tune.tile.cluster_y, tune.tile.cluster_x
//                                          optional, with bulk copies: so many rows and columns of
//                                          tiles are those of a cluster of groups. Each copies a
//                                          part of A for those of its row and a part of B for
//                                          those of its column (.multicast::cluster)
//   tune.tile.producer_warps               optional, with bulk copies: 1 has a warp more ask for
//                                          them, that does nothing else
//                                          (workgroup_matmul_producer.h)
//
// Whether f32 may be rounded to tf32 (dialects/allow.h) is not asked here: rules have the values in
// their spaces where it may, and what it changes is more than the check lets pass elsewhere.
//
// The forall gets one dimension more, the last, of the group's threads. On CUDA the attribute
// tune.tile.done stays on it: its vectors are as threads have them. On Vulkan, where a warp is no
// more than 32 threads side by side, vector_legalization.h takes vectors and shared memory from
// there.
//
// The pipeline is that of NVIDIA's CUTLASS for sm_80 (its docs/efficient_gemm.md); rows in shared
// memory are 16 bytes apart from the next power of two, or lie swizzled in panels of up to 128
// bytes (tune_tile_find_shared), so that a warp's reads meet no bank twice. wgmma reads the latter
// alone, as the PTX ISA has it, beginning at multiples of 1024 bytes.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_H
#define TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_H

#include "formats/device_facts.h"
#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Opens every such forall directly in the body of `function`, which is on buffers.
// INVALID_ARGUMENT (located) where one is made otherwise than above, where its tiles do not divide
// as the attributes say, or where `device` has no such instructions.
tune_status tune_workgroup_matmul_lower(MlirOperation function, const tune_device *device);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_MATMUL_WORKGROUP_MATMUL_H
