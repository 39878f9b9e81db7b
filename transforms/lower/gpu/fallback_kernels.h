//===- fallback_kernels.h - Kernels for linalg ops that no schedule has taken -===//
//
// On a device every op is part of some kernel. A linalg.generic at the top level of a function on
// buffers becomes scf.forall over its parallel loops, one element an iteration, with its reductions
// as loops inside that keep the sums in registers: slow, right, and never a failure.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_FALLBACK_KERNELS_H
#define TUNE_TRANSFORMS_LOWER_GPU_FALLBACK_KERNELS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Opens every linalg.generic directly in the body of `function`; named ops have been generalized.
// The foralls keep the discardable attributes of the ops. INVALID_ARGUMENT (located) for a size
// that is known only at run time.
tune_status tune_fallback_kernels_lower(MlirOperation function);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_FALLBACK_KERNELS_H
