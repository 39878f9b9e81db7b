//===- dot_plan.h - The plan of a contraction by dot products ----------------===//
//
// The plan of a contraction (contraction_plan.h) for the rule 'dot_contraction': its
// instruction, its loops, the domains of its knobs.
//
// Threads: plain values.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONTRACTION_DOT_PLAN_H
#define TUNE_TRANSFORMS_RULES_CONTRACTION_DOT_PLAN_H

#include "transforms/rules/contraction/contraction_plan.h"
#include "transforms/rules/contraction/dot_patterns.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_DOT_WIDEST_TILE 64 // columns

typedef struct tune_dot_plan {
  tune_contraction_plan contraction; // its parts; the domains are those of this rule
  tune_dot dot;
  bool folds;     // loops of one step fall away first: the kernel has row, col, depth and windows
  bool has_lines; // all loops beside these are A's alone: they run within a panel
  size_t order[TUNE_MAX_LOOPS]; // the kernel's loops
  size_t loop_count;
  int64_t groups; // of the depth
  // Of these, what is split off to put the sums right, if B is turned: any `kr` divides the rest,
  // and it is no single one beside the others, whose nests look alike.
  int64_t last_groups;
  bool fills_up; // the depth ends within the last group
  bool b_transposed;
} tune_dot_plan;

// False where the structure is no product of narrow elements that the rule can do on the machine.
bool tune_dot_plan_make(const tune_structure *structure, const tune_machine *machine,
                        tune_dot_plan *out_plan);

// Whether some tile of rows ends with one of a single row, which has no place of its own.
bool tune_dot_plan_has_single_row(const tune_dot_plan *plan);
// Rows as A has them once unit dimensions have fallen away.
tune_dot_row tune_dot_plan_row(const tune_dot_plan *plan);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONTRACTION_DOT_PLAN_H
