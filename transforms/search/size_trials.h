//===- size_trials.h - A module at one size, in several forms ----------------===//
//
// What variants of a function take at a size: each form is a module of its own
// (transforms/variants/variant_module.h), measured beside the others (module_trials.h).
//
// Threads: one thread at a time per process is what the cores are good for.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SEARCH_SIZE_TRIALS_H
#define TUNE_TRANSFORMS_SEARCH_SIZE_TRIALS_H

#include "transforms/search/module_trials.h"
#include "transforms/variants/variant_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

// Where and how; borrows all.
typedef struct tune_size_trials {
  MlirModule module;
  const tune_variant_plan *plan; // of its function
  const tune_search_options *options;
  const tune_target_facts *facts;
  double deadline; // tune_clock_seconds; 0: none
} tune_size_trials;

// Forms at one size, at most.
#define TUNE_MOST_SIZE_FORMS TUNE_MOST_MODULE_FORMS

typedef struct tune_size_form {
  const char *called; // the variant that runs
  bool by_default;    // its code is made for that size alone, by default schedules
  // Of a device's code, whose choices are for one size: they are taken where they fit. Else the
  // form does not work where one does not.
  bool takes_what_fits;
  double seconds; // out; 0: it does not work, or there was no time
} tune_size_form;

// Measures `count` forms at `sizes`, one for each open size of the plan. A form that cannot be
// built or is wrong has no time; errors are those of the servers. `*out_ended`: it did not come to
// an end, since it was interrupted, or no time was left.
tune_status tune_size_trials_run(const tune_size_trials *trials, const int64_t *sizes,
                                 tune_size_form *forms, size_t count, bool *out_ended);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SEARCH_SIZE_TRIALS_H
