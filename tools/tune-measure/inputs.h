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

// Makes `t->dense.values`, and reads those that "inputs" of the request has paths for.
tune_status inputs_make(const json_t *request, task *t);
// Fills the others.
void inputs_fill(const json_t *request, uint64_t seed, tune_fill fill, task *t);
// What sparse inputs are made from, and what for: their seed, and whether they are positive.
typedef struct inputs_source {
  const json_t *request;
  uint64_t seed;
  tune_fill fill;
} inputs_source;

// Makes the values of a set, of the shapes of the dense ones; those from files are the same.
tune_status inputs_make_sparse(const inputs_source *source, const task *t, bool is_large,
                               task_inputs *set);
// The same for set `number` of a plan (targets/exact.h); `striped` is the argument that has zeros.
tune_status inputs_make_exact(const inputs_source *source, const task *t,
                              const tune_exact_plan *plan, size_t number, size_t striped,
                              task_inputs *set);
// Whether floats come from a file.
bool inputs_have_file_of_floats(const json_t *request, const task *t);
// Leaves NULL.
void inputs_destroy(const task *t, task_inputs *set);

#endif // TUNE_TOOLS_TUNE_MEASURE_INPUTS_H
