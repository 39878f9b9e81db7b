//===- version.h - The version of the lowering -------------------------------===//
//
// A record says how fast the code of a config is, and whether it is right. Another version of the
// lowering, of the runtime linked into artifacts, or of LLVM makes other code of the same config,
// so its version is part of what tells spaces apart (spaces/task_space.h).
//
// The number is raised by hand, in the commit that makes other code of the same schedule: records
// are not lost by the edit of a comment, nor by files that move. Golden tests compare the code of a
// payload for each rule and target, and fail until it is raised (lit_tests/golden).
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_VERSION_H
#define TUNE_TRANSFORMS_LOWER_COMMON_VERSION_H

#include "llvm/Config/llvm-config.h"

#ifdef __cplusplus
extern "C" {
#endif

// Of all that makes code of a config: transforms/ir/, transforms/lower/, how a schedule is applied
// (transforms/schedule/instantiate.c), and targets/runtime/.
extern const char tune_lowering_version[];

// Of the LLVM and MLIR that this was built with: "22.1.8".
#define TUNE_LLVM_VERSION LLVM_VERSION_STRING

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_VERSION_H
