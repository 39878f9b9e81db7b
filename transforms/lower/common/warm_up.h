//===- warm_up.h - A first run of a lowering ---------------------------------===//
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_WARM_UP_H
#define TUNE_TRANSFORMS_LOWER_COMMON_WARM_UP_H

#include "transforms/lower/common/build_order.h"

#ifdef __cplusplus
extern "C" {
#endif

// As tune_cpu_lowering_run.
typedef tune_status (*tune_warm_up_run)(void *lowering, const tune_build_order *order,
                                        tune_code *out_code);

// Lets `run` lower a small product of matrices, and throws away what comes of it.
tune_status tune_warm_up(MlirContext context, tune_warm_up_run run, void *lowering);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_WARM_UP_H
