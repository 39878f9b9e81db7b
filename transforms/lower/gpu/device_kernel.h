//===- device_kernel.h - Kernels of a device program -------------------------===//
//
// What the ways to devices' code (spirv.h, nvvm.h) hand to the one that writes the program down
// (device_program.h).
//
// Threads: a plain value; what reads IR, as its context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_DEVICE_KERNEL_H
#define TUNE_TRANSFORMS_LOWER_GPU_DEVICE_KERNEL_H

#include "support/status.h"
#include "transforms/lower/common/code_report.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_TENSOR_MAP_RANK 5
#define TUNE_TENSOR_MAPS 4 // of a kernel

// What a tensor map says of the buffer of an argument (tensor_maps.h). From the innermost dimension
// on.
typedef struct tune_tensor_map {
  size_t argument;
  int64_t rank, element_bytes, swizzle;
  int64_t sizes[TUNE_TENSOR_MAP_RANK], box[TUNE_TENSOR_MAP_RANK];
} tune_tensor_map;

typedef struct tune_device_kernel {
  char *name;
  void *code; // a module with this kernel alone
  size_t code_size;
  size_t argument_count;
  bool *is_written;                       // which arguments it may write to
  tune_tensor_map maps[TUNE_TENSOR_MAPS]; // parameters behind the arguments
  size_t map_count;
  int64_t subgroup_size;           // that it is written for; 0: any
  int64_t shared_bytes;            // that a launch has to ask for, besides its own
  tune_jit_options told;           // to whom compiles it when it is loaded
  tune_kernel_resources assembled; // what it takes; no registers where nobody has assembled it
} tune_device_kernel;

typedef struct tune_device_kernels {
  tune_device_kernel *items;
  size_t count;
  bool is_unordered; // one of them is (unordered.h)
} tune_device_kernels;

// One item, all zero, for each gpu.module in `kernels`, a builtin.module of nothing else.
tune_status tune_device_kernels_init(MlirOperation kernels, tune_device_kernels *out_kernels);
// Fills in the name and the arguments of `kernel`, a gpu.func, and its subgroup size: `subgroup`
// where it does anything as one.
tune_status tune_device_kernel_describe(MlirOperation kernel, int64_t subgroup,
                                        tune_device_kernel *out_kernel);
// Whether argument `index` of the kernel in `module` is in the same buffer as another one, and one
// of the two is written.
bool tune_device_kernel_is_aliased(const tune_device_kernel *kernel, MlirOperation module,
                                   size_t index);
// Of what starts as {0}.
void tune_device_kernels_deinit(tune_device_kernels *kernels);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_DEVICE_KERNEL_H
