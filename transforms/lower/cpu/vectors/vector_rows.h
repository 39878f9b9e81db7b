//===- vector_rows.h - Arithmetic on tiles, a row at a time ------------------===//
//
// A schedule leaves the elementwise ops of a tile on vectors of two dimensions or more, such
// as vector<8x32xf32>. LLVM has vectors of one dimension, and upstream's lowering of math
// ops knows no others. Splitting ops into rows makes them all lowerable; placing each
// row's ops one after the other, instead of each op's rows, keeps a row in registers until
// it is stored, where a whole tile would be spilled at every op.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_VECTORS_VECTOR_ROWS_H
#define TUNE_TRANSFORMS_LOWER_CPU_VECTORS_VECTOR_ROWS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Splits every op of the dialects arith and math on fixed vectors of rank 0, 2 or more into ops on
// their rows (vectors of rank 1; of rank 0: scalars), taken out of the operands with vector.extract
// and put together with vector.insert. `*out_count` is how many ops were split; where it is not 0,
// folding and removing what is dead is left to do. OUT_OF_MEMORY only.
tune_status tune_vector_rows_split(MlirOperation module, size_t *out_count);

// Moves each op of arith and math on vectors, and what became of such, right before its first user
// in its block, from the end of the block to its begin. What it computes is computed when it is
// needed. OUT_OF_MEMORY only.
tune_status tune_vector_rows_sink(MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_VECTORS_VECTOR_ROWS_H
