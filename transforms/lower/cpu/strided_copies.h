//===- strided_copies.h - Vectorized copies and fills of strided memory ------===//
//
// What is a linalg.copy by now (schedules bufferize to such; memory.h makes them of what is not
// contiguous) becomes plain loops, element by element. LLVM unrolls short ones in full before it
// makes vectors of them, in thousands of instructions and seconds. In runs along the last dimension
// they are vectors from the start. Source and target do not overlap: that is so for linalg.copy.
//
// So it is with a linalg.fill of many runs: where these are short, as an image's pixels with
// channels innermost, LLVM makes scatters across runs of it, which take longer than all else.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_STRIDED_COPIES_H
#define TUNE_TRANSFORMS_LOWER_CPU_STRIDED_COPIES_H

#include "support/status.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Makes loops over vectors of 64 bytes of each linalg.copy in `module` between memrefs of one
// element type of 8, 16, 32 or 64 bits and static shape, whose last dimensions have stride 1 and
// two elements or more; what is left of a run is a vector of its own. The same of each linalg.fill
// of more than 16 runs of such memory. Others stay.
tune_status tune_strided_copies_vectorize(MlirOperation module);

// Whether memory of `type` has such runs.
bool tune_strided_copies_has_runs(MlirType type);
// The same loops before `place`, from `source` to `target`, which both have such runs and are of
// one shape; the op `extension` ("arith.extf") makes the target's elements of the source's. The
// outermost loop, or a null op where there is none.
MlirOperation tune_strided_copies_widen(MlirOperation place, MlirValue source, MlirValue target,
                                        const char *extension);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_STRIDED_COPIES_H
