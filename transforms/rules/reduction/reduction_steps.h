//===- reduction_steps.h - The pieces of the schedule of reductions -------===//
//
// What reduction.c puts together, for its own files alone. %root is the task's last op.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_REDUCTION_REDUCTION_STEPS_H
#define TUNE_TRANSFORMS_RULES_REDUCTION_REDUCTION_STEPS_H

#include "transforms/rules/reduction/reduction_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reductions that are to be cut into partial results.
typedef struct tune_reduction_sums {
  const char *handle; // of ops whose loops are `before` others and then the line
  int64_t length;     // of their lines, along the loop that becomes vectors
  size_t before;
  const tune_nest *remakes; // what makes p->remade again, part by part; or NULL
} tune_reduction_sums;

// Puts p->remade, which %op reads in slices in %loop, into it: once for each operand of `user`.
// Their handles are %remade_<operand>. (reduction_partial.c)
void tune_reduction_write_remade(const tune_reduction_plan *plan, const tune_nest *user,
                                 const char *op, const char *loop, tune_writer *writer);

// The knob `partial`: how many results of a line are made at a time, in vectors, before they become
// one. What is left of a line is a vector of its own. (reduction_partial.c)
void tune_reduction_write_partials(const tune_reduction_plan *plan, const tune_reduction_sums *sums,
                                   size_t count, tune_writer *writer);

// With threads, divides the only reduction of a task without rows into the knob `shares`.
// `out_sums` (room for two) is what is left to be cut into partial results. (reduction_partial.c)
size_t tune_reduction_write_shares(const tune_reduction_plan *plan, const tune_machine *machine,
                                   tune_reduction_sums *out_sums, tune_writer *writer);

void tune_reduction_write_rows(const tune_structure *structure, const tune_machine *machine,
                               const tune_reduction_plan *plan, tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_REDUCTION_REDUCTION_STEPS_H
