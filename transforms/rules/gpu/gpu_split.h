//===- gpu_split.h - The depth of a product on devices, in parts -------------===//
//
// Split-K: a product of few rows and columns and a great depth has too few tiles for a device's
// multiprocessors. In parts of the depth it is a batch of products (contraction_split.h), whose
// results go through memory to a second kernel:
//
//   forall  1 part of the depth, rows, columns    as of a batch
//   forall  1 row, four columns                   the parts added up, always in the same order,
//   onto
//                                                 what starts the sum; then what follows
//
// Threads: plain values.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_GPU_GPU_SPLIT_H
#define TUNE_TRANSFORMS_RULES_GPU_GPU_SPLIT_H

#include "transforms/rules/contraction/contraction_split.h"
#include "transforms/rules/gpu/gpu_writer.h"

#ifdef __cplusplus
extern "C" {
#endif

// How many parts the depth of `whole` may be divided in, of 256 or more that are multiples of
// `step`: powers of two from 2 to 64. None for products with more loops than three or whose
// operands are indexed by more than loops, and for columns that are no multiple of four.
tune_value_set tune_gpu_split_parts(const tune_contraction_plan *whole, int64_t step);

// Binds the ops of split->whole, splits the product, makes the kernel that adds the parts up, and
// binds %anchor and %init to the batch of products and what starts it.
void tune_gpu_write_split(const tune_contraction_split *split, tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_GPU_GPU_SPLIT_H
