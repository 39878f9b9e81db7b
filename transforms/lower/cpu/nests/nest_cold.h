//===- nest_cold.h - Which buffers come out of memory ------------------------------------===//
//
// A network reads its weights once in a run, and where they are more than caches hold, none is
// there from the run before. What several calls read, as the steps of a recurrent network do, is.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_NESTS_NEST_COLD_H
#define TUNE_TRANSFORMS_LOWER_CPU_NESTS_NEST_COLD_H

#include "support/status.h"
#include "transforms/ir/op_map.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_nest_cold {
  tune_op_map arguments; // of functions
} tune_nest_cold;

// Finds the arguments of functions of `module`, on buffers, that are cold: each once for a run of a
// function that nobody calls, whose arguments together are more than caches hold. OUT_OF_MEMORY. To
// be deinitialized whatever comes of it.
tune_status tune_nest_cold_find(tune_nest_cold *cold, MlirOperation module);
// Whether `buffer` is one of them, or a part or another form of it.
bool tune_nest_cold_is(const tune_nest_cold *cold, MlirValue buffer);
void tune_nest_cold_deinit(tune_nest_cold *cold);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_NESTS_NEST_COLD_H
