//===- nvvm.h - Conversion of kernels to NVVM and PTX ------------------------===//
//
// Kernels as spirv.h takes them, and with ops of nvgpu, go through upstream's conversions to NVVM
// and through LLVM to PTX, for the compute capability of the device. Where NVIDIA's assembler is
// here, it is asked what the code takes (ptxas.h): more registers than a group has, or much that
// spills, is an error, so that such code is never measured.
//
// What is known of a kernel is on its gpu.module:
//
//   tune.ptx.registers = N    registers that an invocation may take at most (.maxnreg); 0: what the
//                             assembler thinks best
//   tune.ptx.groups = N       groups that a multiprocessor is to hold at once (.minnctapersm); 0:
//                             any
//   tune.ptx.cluster = array<i32: x, y, z>
//                             groups of a cluster (.reqnctapercluster), by which a launch needs to
//                             say nothing of it; launches.c makes it of the grid
//   tune.ptx.opt_level = N    how far the driver's compiler of PTX goes, 1 to 4
//   tune.ptx.load_cache = S   how it has loads of what the kernel also writes cached: "ca", in both
//                             caches, "cg", in the second alone, or "default". Other loads are
//                             ld.global.nc, which it leaves alone
//   tune.roots                device_kernel.h
//
// The two before go along with the code, for who loads it; ptxas is told the same.
//
// Parameter i of the kernel is the address of argument i.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CUDA_NVVM_H
#define TUNE_TRANSFORMS_LOWER_CUDA_NVVM_H

#include "formats/device_facts.h"
#include "support/status.h"
#include "transforms/lower/gpu/device_kernel.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_nvvm tune_nvvm;

tune_status tune_nvvm_create(MlirContext context, const tune_device *device, tune_nvvm **out_nvvm);
void tune_nvvm_destroy(tune_nvvm *nvvm);

// Converts all gpu.modules in `kernels`, a builtin.module of nothing else, to the LLVM dialect.
// Fills in `out_kernels`, in order, but for their code; deinitialize it also after a failure.
// INVALID_ARGUMENT (located where that is known) for groups or memory that the device does not
// have, options that do not exist, and for what upstream does not convert.
tune_status tune_nvvm_convert(tune_nvvm *nvvm, MlirOperation kernels,
                              tune_device_kernels *out_kernels);

typedef enum tune_nvvm_form {
  TUNE_NVVM_PTX,   // text, with its NUL
  TUNE_NVVM_CUBIN, // for the device's compute capability alone
} tune_nvvm_form;

// Fills in the code of what tune_nvvm_convert made. `kernels` is used up. INVALID_ARGUMENT for code
// that takes more than the device has, or spills more than a little; UNAVAILABLE for a cubin
// without the assembler.
tune_status tune_nvvm_serialize(tune_nvvm *nvvm, MlirOperation kernels, tune_nvvm_form form,
                                tune_device_kernels *out_kernels);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CUDA_NVVM_H
