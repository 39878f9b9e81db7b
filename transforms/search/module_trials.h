//===- module_trials.h - Forms of a module, side by side ---------------------===//
//
// Each form is a module of its own, with servers of its own. It is built once, checked, and
// measured in turns with the others, so that what drifts takes all of them along.
//
// Threads: one thread at a time per process is what the cores are good for.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SEARCH_MODULE_TRIALS_H
#define TUNE_TRANSFORMS_SEARCH_MODULE_TRIALS_H

#include "transforms/search/search.h"

#ifdef __cplusplus
extern "C" {
#endif

// Where and how; borrows all.
typedef struct tune_module_trials {
  const tune_search_options *options;
  const tune_target_facts *facts;
  double deadline; // tune_clock_seconds; 0: none
} tune_module_trials;

// Forms at once, at most.
#define TUNE_MOST_MODULE_FORMS 16

typedef struct tune_module_form {
  MlirOperation module; // borrowed; null: it could not be made
  // Choices of it are for other sizes: they are taken where they fit. Else the form does not work
  // where one does not.
  bool takes_what_fits;
  // It is wanted what each of its tasks takes in it, by their order in tune_extract: nothing is
  // checked then. It is a module of one function, but for such that this calls.
  bool times_tasks;
  double seconds; // out; 0: it does not work, or there was no time
  // Out, to be freed: of all runs of a task in one of the module, in seconds, the least of what was
  // measured. NULL where nothing was.
  double *task_seconds;
  size_t task_count;
} tune_module_form;

// Measures `count` forms. One that cannot be built or is wrong has no time; errors are those of the
// servers. `*out_ended`: it did not come to an end, since it was interrupted, or no time was left.
tune_status tune_module_trials_run(const tune_module_trials *trials, tune_module_form *forms,
                                   size_t count, bool *out_ended);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SEARCH_MODULE_TRIALS_H
