//===- contraction_split.h - The depth of a product in a part for each thread -===//
//
// Split-K: a product of few rows and columns and a great depth has no tiles to go round among
// threads. In parts of the depth it is a batch of products, whose results are added up after:
//
//   forall  1 part of the depth, mc rows, nc columns        parallel
//     as in a batch of products
//   for     a row: the parts added up, then the epilogue    parallel where there is much of it
//
// Threads: plain values.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONTRACTION_CONTRACTION_SPLIT_H
#define TUNE_TRANSFORMS_RULES_CONTRACTION_CONTRACTION_SPLIT_H

#include "transforms/rules/contraction/contraction_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_contraction_split {
  const tune_contraction_plan *whole;
  int64_t parts;
  bool is_default;          // the whole has no tile for each thread
  tune_structure structure; // of the parts: a fill and a batch of products; owns nothing
  tune_nest nests[2];
  tune_contraction_plan plan; // of that
} tune_contraction_split;

// How the depth of `whole` is split. False where it is not: products with more loops than three or
// whose operands are indexed by more than loops, of fewer than 2^20 multiply-adds, of a depth that
// the threads (or some of them) cannot share in equal parts of 128 or more, and, where there is a
// tile for each thread, of less than four times as much depth as rows and as columns. `out_split`
// and `whole` stay where they are as long as `out_split` is used.
bool tune_contraction_split_make(const tune_contraction_plan *whole, const tune_machine *machine,
                                 tune_contraction_split *out_split);

// The same in `parts` parts, which divide the depth, of a product of three loops whose operands are
// indexed by them alone. False where no plan takes the batch.
bool tune_contraction_split_into(const tune_contraction_plan *whole, int64_t parts,
                                 const tune_machine *machine, tune_contraction_split *out_split);

// Where parts are the default: the defaults of `whole`, the plan that was split, as they can be
// used in parts, too.
void tune_contraction_split_choose(const tune_contraction_split *split,
                                   tune_contraction_plan *whole);

// Splits %whole, and binds %anchor and %init of the parts, and %sum, which adds them up.
void tune_contraction_split_write_parts(const tune_contraction_split *split, tune_writer *writer);

// After the ops of split->whole were bound (%whole, %whole_init, %epilogue): splits %whole,
// binds %anchor and %init of the parts, and tiles what adds them up.
void tune_contraction_split_write(const tune_contraction_split *split, tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONTRACTION_CONTRACTION_SPLIT_H
