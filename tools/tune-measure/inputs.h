//===- inputs.h - Arguments that candidates are run on -----------------------===//
//
// Arguments come from files or from a seed. The seeded ones are there twice: dense, which is what
// is timed, and sparse (targets/sparse.h), where a few terms make an output.
//
// Threads: one.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_INPUTS_H
#define TUNE_TOOLS_TUNE_MEASURE_INPUTS_H

#include "tools/tune-measure/task.h"

// What seeded inputs are made from, and whether they are positive.
typedef struct inputs_source {
  const tune_inputs_wanted *wanted;
  tune_fill fill;
  double
      shrinkage; // that dense floats are divided by, unless a range keeps them from zero; 0: none
} inputs_source;

// Makes `t->dense.values`, and reads those that come from files.
tune_status inputs_make(const tune_inputs_wanted *wanted, task *t);
// Fills the others.
void inputs_fill(const inputs_source *source, task *t);
// Kinds of sparse ones (targets/sparse.h).
typedef enum inputs_kind {
  INPUTS_FEW,     // few are not zero
  INPUTS_LARGE,   // and these are large
  INPUTS_STEPPED, // where rounding decides; and NaN and infinities
} inputs_kind;

// Whether NaN and infinities are among these: on the CPU alone, since Vulkan leaves much of them
// open.
bool inputs_take_special(const task *t);
// Whether there is no sum, of which the terms would matter together.
bool inputs_add_nothing(const task *t);
// Whether large ones are of any magnitude: where nothing is summed up.
bool inputs_are_wide(const task *t);
// Makes the values of a set, of the shapes of the dense ones; those from files are the same.
tune_status inputs_make_sparse(const inputs_source *source, const task *t, inputs_kind kind,
                               task_inputs *set);
// The same for set `number` of a plan (targets/exact.h); `striped` is the argument that has zeros.
tune_status inputs_make_exact(const inputs_source *source, const task *t,
                              const tune_exact_plan *plan, size_t number, size_t striped,
                              task_inputs *set);
// Whether it is an integer by itself, which may say how often a loop turns.
bool inputs_are_number(const tune_buffer *input);
// Whether floats come from a file.
bool inputs_have_file_of_floats(const tune_inputs_wanted *wanted, const task *t);
// Leaves NULL.
void inputs_destroy(const task *t, task_inputs *set);

#endif // TUNE_TOOLS_TUNE_MEASURE_INPUTS_H
