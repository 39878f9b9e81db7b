//===- vector_legalization.h - Vector legalization: vectors of any shape as scalars and fours -===//
//
// A shader has scalars and vectors of up to four elements, and buffers of either. A schedule leaves
// vectors of any shape: tiles in registers. Here each such value becomes its pieces, row-major:
// vectors of four along its last dimension where that is a multiple of four, else scalars. Tiles
// that loops carry become as many loop-carried pieces, products become fused multiply-adds of
// pieces, and transfers become loads and stores of them:
//
//  - of vector<4xf32> where the rows of the buffer and the place in them are multiples of four: the
//    kernel then has a second view of the buffer, a builtin.unrealized_conversion_cast just outside
//    of its gpu.launch. What is written is viewed in one way only, since nothing orders accesses
//    through two views;
//  - on Vulkan such fours of elements of 8 or 16 bits are loaded and stored as words of 32, which
//    every device has in its buffers;
//  - what lies outside of a mask, or of the buffer where a transfer is not in bounds, is neither
//    read nor written.
//
// Attributes of the function, which a schedule sets, say more:
//
//   tune.gpu.texels = N   reads of f32 in buffers of at most N texels, which the kernel does not
//                         write, go through texel buffers: casts to a memref in the space "texel"
//                         within the kernel
//   tune.gpu.pairs = 1    four elements of 32 bits, in buffers that the kernel only writes, are
//                         written as two of 64
//   tune.gpu.share = S    what all lanes of a subgroup of S read alike is read by all of them
//                         together, a part each, and passed around by gpu.shuffle
//   tune.gpu.dot = 1      (of Vulkan) products of bytes into i32 of which both operands have four
//                         steps of the depth beside each other are dot products of words
//                         (spirv.SDot, UDot, SUDot), whose sums wrap around as others do
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_VECTORS_VECTOR_LEGALIZATION_H
#define TUNE_TRANSFORMS_LOWER_GPU_VECTORS_VECTOR_LEGALIZATION_H

#include "formats/device_facts.h"
#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// In `function`, a func.func on buffers with gpu.launch ops, for `device`. INVALID_ARGUMENT
// (located) for an op on vectors that has no form in pieces.
tune_status tune_vector_legalization_lower(MlirOperation function, const tune_device *device);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_VECTORS_VECTOR_LEGALIZATION_H
