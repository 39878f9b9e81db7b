//===- tensor_maps.h - Tensor maps of bulk copies, as parameters of kernels --===//
//
// A bulk copy of sm_90 (cp.async.bulk.tensor) is told by a tensor map of 128 bytes what lies where
// in memory and which boxes of it are copied. The host makes it (cuTensorMapEncodeTiled) from what
// stands in the launch, and the kernel gets it by value, as a parameter behind those that it has.
//
// Until the kernel is converted, the map is a builtin.unrealized_conversion_cast of the buffer to
// !llvm.ptr, with
//
//   tune.tensor_map = array<i64: swizzle, box…>   bytes of a row of the swizzle's pattern, and
//                                                 elements of a box along each dimension
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_MATMUL_TENSOR_MAPS_H
#define TUNE_TRANSFORMS_LOWER_GPU_MATMUL_TENSOR_MAPS_H

#include "support/status.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/lower/gpu/device_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

// The map (a pointer) of `memory`, a contiguous memref of up to TUNE_TENSOR_MAP_RANK dimensions;
// `box` has a number for each.
MlirValue tune_tensor_map_build(const tune_ir_builder *builder, MlirValue memory, int64_t swizzle,
                                const int64_t *box);

// Makes parameters of the maps in `kernel`, a gpu.func, and describes them in `described`.
// INVALID_ARGUMENT (located) for a map of what is no whole buffer of the kernel's, or for too many.
tune_status tune_tensor_maps_lower(MlirOperation kernel, tune_device_kernel *described);

// Of the same kernel as an llvm.func: its last parameters are the maps themselves.
tune_status tune_tensor_maps_finish(MlirOperation kernel, const tune_device_kernel *described);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_MATMUL_TENSOR_MAPS_H
