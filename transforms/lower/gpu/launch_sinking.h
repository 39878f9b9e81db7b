//===- launch_sinking.h - Sinking of constants and views into launches -------===//
//
// A kernel takes whole buffers and the function's scalars, nothing else: constants, arithmetic,
// views, and loads of what is not written behind them, that a gpu.launch uses from outside are made
// again inside. Other views of a buffer that are
// arguments of their own stay outside: an unrealized_conversion_cast to a memref of vectors, and
// one to memory of textures, in the space "texel", which goes out where it was inside.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_LAUNCH_SINKING_H
#define TUNE_TRANSFORMS_LOWER_GPU_LAUNCH_SINKING_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether `type` is a memref in the space "texel".
bool tune_launch_sinking_is_texels(MlirType type);

// Whether what `load`, an op of the host, reads of `memory` is no longer there further down in its
// block.
bool tune_launch_sinking_is_overwritten(MlirOperation load, MlirValue memory);

// Makes the launches directly in the body of `function` so. What is left unused outside stays.
// INVALID_ARGUMENT (located) for texels of what is not a buffer of the host.
tune_status tune_launch_sinking_run(MlirOperation function);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_LAUNCH_SINKING_H
