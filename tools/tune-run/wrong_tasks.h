//===- wrong_tasks.h - Other schedules for tasks that compute what is wrong --===//
//
// Where the check of a module finds it wrong, or it crashes, some task of it is to blame. It is
// found by halves: the module is built with the last schedules of some of its tasks, which are
// plain loops on a CPU, and checked; where that is wrong too, with those of their parts, down to
// single ops. That task then has the first of its schedules with which the module is right, or its
// parts have. A module that is compared with the first may say something else than that, which no
// schedule mends: where its plain lowering is wrong, too, none is looked for. One that does not
// build, crashes or does not end tells nothing of that.
//
// Threads: one.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_RUN_WRONG_TASKS_H
#define TUNE_TOOLS_TUNE_RUN_WRONG_TASKS_H

#include "tools/tune-run/benchmark.h"

// Builds the artifact of subject `index`, which is wrong, anew, so that it is right, and tells
// which tasks have other schedules. `*out_is_right` is false where no others help: the artifact is
// as it was then.
tune_status wrong_tasks_mend(benchmark *b, size_t index, bool *out_is_right);

#endif // TUNE_TOOLS_TUNE_RUN_WRONG_TASKS_H
