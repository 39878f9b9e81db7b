//===- version.h - Which lowering this is ------------------------------------------===//
//
// A record says how fast the code of a config is, and whether it is right. Another version
// of the lowering, of the runtime linked into artifacts, or of LLVM makes other code of the
// same config, so its version is part of what tells spaces apart (task_space.h).
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_VERSION_H
#define TUNE_TRANSFORMS_LOWER_VERSION_H

#include "llvm/Config/llvm-config.h"

#ifdef __cplusplus
extern "C" {
#endif

// The digest of the sources in transforms/lower/, of transforms/instantiate.c and of
// targets/runtime/, made by the build.
extern const char tune_lowering_version[];

// Of the LLVM and MLIR that this was built with: "22.1.8".
#define TUNE_LLVM_VERSION LLVM_VERSION_STRING

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_VERSION_H
