//===- subgroup_shuffles.h - Sums over a subgroup, as shuffles ---------------===//
//
// Upstream's conversion to NVVM has gpu.subgroup_reduce for integers alone, and only of some
// devices. Here each becomes log2 of the subgroup's size exchanges between lanes (a butterfly, so
// that all lanes have the same result, bit by bit), with the op that combines two values.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CUDA_SUBGROUP_SHUFFLES_H
#define TUNE_TRANSFORMS_LOWER_CUDA_SUBGROUP_SHUFFLES_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Opens every gpu.subgroup_reduce in `kernels`, of subgroups of `size` (a power of two).
// INVALID_ARGUMENT (located) for one of another size or of a type that lanes do not exchange: it is
// of scalars of 8 to 64 bits.
tune_status tune_subgroup_shuffles_lower(MlirOperation kernels, int64_t size);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CUDA_SUBGROUP_SHUFFLES_H
