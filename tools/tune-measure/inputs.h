//===- inputs.h - What a task's arguments are ------------------------------------------===//
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
// Makes `t->sparse.values`, of the shapes of the dense ones; those from files are the same.
tune_status inputs_make_sparse(const json_t *request, uint64_t seed, tune_fill fill, task *t);
// Leaves NULL.
void inputs_destroy(const task *t, task_inputs *set);

#endif // TUNE_TOOLS_TUNE_MEASURE_INPUTS_H
