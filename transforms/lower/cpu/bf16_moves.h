//===- bf16_moves.h - Vectors of bf16 are moved as integers -----------------------===//
//
// Which LLVM 22 cannot do as they are. CPUs with avx512_bf16 have them in registers, but not as
// scalars: a vector of 8 n + 1 that is loaded and stored, or shuffled, falls apart in the back end
// into vectors and one scalar, which nothing there can move ("Do not know how to soft promote this
// operator's operand!"), and the process aborts. For other x86 CPUs it moves vectors of any size
// element by element: a transpose takes six times as long as of integers. Integers of 16 bits it
// can move: so what such a vector goes through on its way from memory to memory, and nowhere
// computes, is of these.
//
// Casts are left where it computes, and nowhere else: LLVM would take a cast beside a load or a
// store into it.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_BF16_MOVES_H
#define TUNE_TRANSFORMS_LOWER_CPU_BF16_MOVES_H

#include "support/status.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Does so in `module`, which is in the LLVM dialect: of vectors of 8 n + 1 elements, or of `all`.
// OUT_OF_MEMORY alone.
tune_status tune_bf16_moves_run(MlirOperation module, bool all);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_BF16_MOVES_H
