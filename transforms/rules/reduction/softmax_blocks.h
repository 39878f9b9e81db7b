//===- softmax_blocks.h - Softmax of long rows, with a maximum for each block -===//
//
// Softmax goes over its row for the maximum, then for what each element becomes beside that and for
// their sum, then to divide by it. A row that is longer than the caches comes three times from
// where it is kept. Here blocks of the row each have a maximum and a sum of their own while they
// are near, and what they became is put right by a factor a block in the end:
//
//   for    a row                                           parallel, or else the blocks are
//     for    a block: maximum, exp(x - maximum), sum
//     the maximum of the row, exp(maximum of a block - that), the sum of all
//     for    a block: times its factor
//
// (Milakov and Gimelshein, Online normalizer calculation for softmax, 2018, with blocks in place of
// elements: no function is computed twice.) Sums are those of partial results, as exact as others;
// a row of negative infinities becomes NaN, as it does without blocks.
//
// Threads: plain values; one thread at a time per writer.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_REDUCTION_SOFTMAX_BLOCKS_H
#define TUNE_TRANSFORMS_RULES_REDUCTION_SOFTMAX_BLOCKS_H

#include "transforms/rules/rule.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_SOFTMAX_MOST_BLOCKS 3

typedef struct tune_softmax_blocks {
  int64_t rows, columns; // of the row's elements; rows 0: there is but one, which is no dimension
  unsigned lanes, threads;
  tune_value_set lengths; // of a block
  int64_t default_length;
} tune_softmax_blocks;

// Whether `structure` is a softmax of f32 along rows of 32,768 elements or more, which blocks
// divide, and that alone.
bool tune_softmax_blocks_make(const tune_structure *structure, const tune_machine *machine,
                              tune_softmax_blocks *out_blocks);

// From the prepared function to vectors, in blocks of `length`: one of the alternatives. Leaves
// the handle of the function in writer->func.
void tune_softmax_blocks_write(const tune_softmax_blocks *blocks, int64_t length,
                               tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_REDUCTION_SOFTMAX_BLOCKS_H
