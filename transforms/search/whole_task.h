//===- whole_task.h - A module as a whole, as what is built and timed --------===//
//
// What looking at the module with all winners (search_whole.c) and at its sizes (size_trials.c)
// share.
//
// Threads: plain values.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SEARCH_WHOLE_TASK_H
#define TUNE_TRANSFORMS_SEARCH_WHOLE_TASK_H

#include "support/scratch.h"
#include "transforms/search/search.h"
#include "transforms/spaces/module_tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

// The task that is the module of `extraction`; borrows all.
tune_task tune_whole_task_describe(const tune_search_options *options,
                                   const tune_target_facts *facts,
                                   const tune_extraction *extraction, const tune_space *space,
                                   const tune_task_module *module);

// The options of an evaluator that measures here; they borrow of what is given.
void tune_search_describe_evaluator(const tune_search_options *options,
                                    const tune_target_facts *facts,
                                    tune_process_evaluator_options *out_options);

// Lets builds and runs take as long as those of whole modules do; nobody builds beside them.
void tune_whole_task_set_limits(tune_process_evaluator_options *options);

// Writes the text of `module` into the scratch folder, as NAME.mlir; `*out_path` is the caller's,
// to free.
tune_status tune_whole_task_write(MlirModule module, const tune_scratch *scratch, const char *name,
                                  char **out_path);

// When looking is to end, by tune_clock_seconds, of a search that began at `begin`: with its time,
// where it has one, else after as long as it took so far, within limits.
double tune_whole_task_deadline(const tune_search_options *options, double begin);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SEARCH_WHOLE_TASK_H
