//===- reference_loops.h - Loop orders and tiles of the plain lowering -------===//
//
// A linalg op without a schedule, as every one of a reference, is plain loops. In the order of its
// dimensions, a matmul's innermost loop walks down a column and takes seconds; with the
// loop over the contiguous dimension innermost it takes a tenth, and because the reduction
// loops keep their order among themselves, every element is summed up in the same order,
// to the same bits. Large products are read in blocks besides, which keeps that order as well.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_REFERENCE_LOOPS_H
#define TUNE_TRANSFORMS_LOWER_CPU_REFERENCE_LOOPS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Tiles products that are ordered so: where what a row of the result is made of does not fit the
// caches, it is read in blocks, each for all rows. The blocks of the reduction come one after the
// other, so that every sum keeps its order, and its bits. `module` is on buffers. INTERNAL where
// upstream's tiling fails.
tune_status tune_reference_loops_tile_products(MlirOperation module);

// In every linalg.generic of `module` that ends in a reduction: makes that parallel dimension the
// innermost along which each operand is contiguous or does not move, if there is one.
void tune_reference_loops_order(MlirOperation module);

// Whether `op` is a linalg.generic that reduces. `*out_length` is then how many elements come to
// one of a result, 0 where its operands do not say.
bool tune_reference_loops_reduces(MlirOperation op, int64_t *out_length);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_REFERENCE_LOOPS_H
