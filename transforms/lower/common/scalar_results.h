//===- scalar_results.h - Numbers that a function gives back -----------------===//
//
// What is run hands over results in memory (formats/signature.h). So a function that gives back a
// number by itself gives back a tensor of rank 0 with it instead.
//
// Threads: as the context of the module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_SCALAR_RESULTS_H
#define TUNE_TRANSFORMS_LOWER_COMMON_SCALAR_RESULTS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes tensors of the scalars that `function`, of `module`, gives back. One that others call
// stays.
tune_status tune_scalar_results_lift(MlirOperation module, MlirOperation function);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_SCALAR_RESULTS_H
