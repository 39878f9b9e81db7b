//===- parallel_loops.h - Parallel loops of the CPU, marked by schedules -----===//
//
// Upstream hoists no panels out of scf.forall, those of weights that are packed ahead: a schedule
// has to hoist them out of scf.for. And what is moved out of scf.forall as it is the same for all
// its steps (Winograd's image) is a loop of one thread. Loops of which the schedule knows that
// their steps do not depend on each other, but for memory that each only writes for itself, carry
// the unit attribute `tune.threads`, and become scf.parallel here, on buffers. Elsewhere, in stock
// MLIR, they are loops like any other.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_PARALLEL_LOOPS_H
#define TUNE_TRANSFORMS_LOWER_COMMON_PARALLEL_LOOPS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether threads may do `op` together: scf.forall, scf.parallel, or a loop of the above.
bool tune_parallel_loops_is_parallel(MlirOperation op);

// Whether all calls of `function` are in such loops of others, and there are some: each thread does
// it by itself.
bool tune_parallel_loops_have_calls(MlirOperation function);

#define TUNE_MOST_PARALLEL_LOOPS 16

// Where a loop begins, where it ends, its step; of type index.
typedef struct tune_loop_bounds {
  MlirValue values[3];
} tune_loop_bounds;

// Makes scf.parallel over `count` loops before `place`. Its body, which is returned, has an
// argument for each, and nothing in it but its end.
MlirBlock tune_parallel_loops_make(MlirOperation place, const tune_loop_bounds *loops,
                                   size_t count);

// Makes the outermost loops with the attribute parallel, unless they carry values or do not count
// by index, and with each those directly within it one loop of several dimensions. Memory that
// nothing but such a loop looks at becomes memory of each of its steps; one that writes memory
// which is filled before and of no use after stays a loop, as that may be such memory, too.
// `module` is on buffers that are not yet given back.
tune_status tune_parallel_loops_lower(MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_PARALLEL_LOOPS_H
