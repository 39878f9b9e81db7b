//===- reduction_plan.h - The plan of a task of reductions -------------------===//
//
// Three shapes of work:
//  - rows: every op works on the same rows (softmax, norms, row sums): one loop over rows
//    with all ops fused. What is left of a row is its line, of one loop or several: a
//    mean over height and width reduces lines of two loops. A task without rows (the sum
//    of everything) is one line;
//  - row blocks: one reduction along the contiguous loop, several rows at a time, which
//    share what does not depend on the row (a matrix-vector product);
//  - columns: the reduction runs across the contiguous loop: vectors of columns, with
//    several steps of the reduction in one pass.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_REDUCTION_REDUCTION_PLAN_H
#define TUNE_TRANSFORMS_RULES_REDUCTION_REDUCTION_PLAN_H

#include "transforms/rules/rule.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tune_reduction_shape {
  TUNE_REDUCTION_ROWS,
  TUNE_REDUCTION_ROW_BLOCK,
  TUNE_REDUCTION_COLUMNS,
} tune_reduction_shape;

typedef struct tune_reduction_plan {
  tune_reduction_shape shape;
  const tune_nest *root;       // the last op, which makes the result
  size_t generic_count;        // ops
  size_t reduction_count;      // of them
  bool is_row[TUNE_MAX_LOOPS]; // of the root's loops
  size_t row_count;
  size_t line_count;            // loops of a line (rows), of the reduction (the other shapes)
  int64_t line[TUNE_MAX_LOOPS]; // how far they run; known
  size_t along;                 // which of them becomes vectors
  size_t column;                // row blocks, columns: the parallel loop that is no row
  int64_t columns;              // how far it runs
  unsigned lanes;               // elements of the result in a vector
  size_t math;                  // functions such as exp
  // Rows: the nest that is cheaper made again by each of its users than kept (the centred values of
  // a norm), and the one reduction of these, the last; TUNE_NO_LOOP: none.
  size_t remade, remade_reduction;
} tune_reduction_plan;

// False where the task is for another rule.
bool tune_reduction_plan_make(const tune_structure *structure, const tune_machine *machine,
                              tune_reduction_plan *out_plan);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_REDUCTION_REDUCTION_PLAN_H
