//===- warm_up.h - A first run of a lowering ---------------------------------===//
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_WARM_UP_H
#define TUNE_TRANSFORMS_LOWER_COMMON_WARM_UP_H

#include "transforms/ir/signature.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Lowers `module`, whose function is `function`; `*out_bytes` is free()d.
typedef tune_status (*tune_warm_up_run)(void *lowering, MlirOperation module, const char *function,
                                        const tune_function_signature *signature, char **out_bytes);

// Lets `run` lower a small product of matrices, and throws away what comes of it.
tune_status tune_warm_up(MlirContext context, tune_warm_up_run run, void *lowering);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_WARM_UP_H
