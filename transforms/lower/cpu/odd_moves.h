//===- odd_moves.h - Odd vectors of bf16 are moved as integers --------------------===//
//
// LLVM 22 has bf16 in registers of CPUs with avx512_bf16, but not as scalars. A vector of 8 n + 1
// of them that is loaded and stored, or shuffled, falls apart in its back end into vectors and one
// scalar, which nothing there can move: "Do not know how to soft promote this operator's operand!",
// and the process aborts. Integers of 16 bits it can: so what such a vector goes through on its way
// from memory to memory, and nowhere computes, is of these.
//
// Casts are left where it computes, and nowhere else: LLVM would take a cast beside a load or a
// store into it.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_ODD_MOVES_H
#define TUNE_TRANSFORMS_LOWER_CPU_ODD_MOVES_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Does so in `module`, which is in the LLVM dialect. OUT_OF_MEMORY alone.
tune_status tune_odd_moves_run(MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_ODD_MOVES_H
