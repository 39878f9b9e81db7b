//===- general_rows.h - A chain of ops done row by row ------------------------===//
//
// Ops that all go over the same leading loops, planes of channels say, are done for a few of these
// steps at a time: what one hands on to the next stays in the nearest cache. Borders that are added
// to a plane, its convolution and what follows that are such a chain.
//
// Threads: one thread at a time per writer.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_REDUCTION_GENERAL_ROWS_H
#define TUNE_TRANSFORMS_RULES_REDUCTION_GENERAL_ROWS_H

#include "transforms/rules/rule.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_general_rows {
  const tune_nest *root; // the last op, which makes the only result
  size_t generic_count;  // ops of loops
  size_t row_loops;      // how many of the root's loops, the first, are rows; at least 1
  tune_value_set counts; // of rows at a time, of the last of these loops
  int64_t default_count;
} tune_general_rows;

// False where `structure` is no chain of two ops or more over the same rows, or where sizes are not
// known.
bool tune_general_rows_make(const tune_structure *structure, tune_general_rows *out_rows);

// The knob `rows_at_once`, and the ops in loops over rows, which threads share if there are some.
void tune_general_rows_write(const tune_general_rows *rows, const tune_machine *machine,
                             tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_REDUCTION_GENERAL_ROWS_H
