//===- float_emulation.h - Float emulation: bf16 and f16 as f32 in shaders ---===//
//
// What a kernel for Vulkan computes in bf16, which no shader has arithmetic for, it computes in
// f32: bf16 is read as 16 bits that become the upper half of a word, and written to the nearest,
// ties to even. Results that go on into other such ops, or from one iteration of a loop to the
// next, are not rounded in between (docs/accuracy.md). So it is with f16 where the device is
// software, which would convert each operand of each op. Fours of bf16 are two words in memory
// (vector_legalization.h), which shifts take apart and put together; bytes and integers of 16 bits
// as well on devices that have no such integers.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_VULKAN_FLOAT_EMULATION_H
#define TUNE_TRANSFORMS_LOWER_VULKAN_FLOAT_EMULATION_H

#include "formats/device_facts.h"
#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// In the kernels of `kernels`, a builtin.module of gpu.modules: no bf16 is left. OUT_OF_MEMORY
// alone.
tune_status tune_float_emulation_widen(MlirOperation kernels, const tune_device *device);

// After that, and after what is left unused is gone: no vector.bitcast is left between words and
// integers that `device` does not have. OUT_OF_MEMORY alone.
tune_status tune_float_emulation_lower_words(MlirOperation kernels, const tune_device *device);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_VULKAN_FLOAT_EMULATION_H
