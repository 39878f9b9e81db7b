//===- nest_vectors.h - linalg.generic on buffers as loops of vectors --------------------===//
//
// A schedule marks ops (nest_loops.h has what becomes of them):
//
//   tune.nest.bits = N        bits of a vector register; an op without it is left to plain loops
//   tune.nest.registers = N   how many there are
//   tune.nest.loop = N        0: the loop that vectors go best along, 1: the next best, ...
//   tune.nest.vectors = N     so many vectors beside each other; 0: as the nest needs
//   tune.nest.rows = N        so many steps of another loop at once; 0: as the nest needs
//
// Each lane of a parallel loop computes what the plain loop does, in its order. Where lanes are
// parts of one result, floating-point sums and products are in another order.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_NESTS_NEST_VECTORS_H
#define TUNE_TRANSFORMS_LOWER_CPU_NESTS_NEST_VECTORS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes loops of vectors of the marked ops in `module`. Those that are not for vectors stay,
// without their marks. INVALID_ARGUMENT (located) where a mark has a value that it cannot have.
tune_status tune_nest_vectors_make(MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_NESTS_NEST_VECTORS_H
