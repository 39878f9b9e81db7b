//===- precision.h - Which products are rounded, within an error budget --------===//
//
// A user who can do with outputs that are off by so much, on data that is given, says so, and finds
// `tune.allow` (dialects/allow.h) on the products that save most for it, before the search. What
// each saves is measured (rounding_gains.h), as is what each costs, and all that are taken together
// (rounding_errors.h).
//
// Threads: as a search.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_PRECISION_PRECISION_H
#define TUNE_TRANSFORMS_PRECISION_PRECISION_H

#include "transforms/search/search.h"
#include "transforms/search/search_report.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_precision_wanted {
  double budget; // the root mean square of what an output may be off, as a share of that of the
                 // output; 0: nothing is to be rounded
  unsigned allowances; // what may be asked for, of TUNE_ROUNDED_ALL (rounded_to.h)
  const char *inputs;  // .npz or .safetensors with the arguments' arrays, by their order; NULL: all
                       // are made by the seed
} tune_precision_wanted;

// Writes `tune.allow = ["bf16"]`, `["f16"]` or `["int8"]` onto products of `module`, and prints
// what was found; what that takes goes off `options->seconds`, of which a part is kept for the
// search. Where no time is left for an answer, or one cannot be had, nothing is rounded, with a
// warning. What is in functions that others may call, too, is not. INVALID_ARGUMENT where the
// options are for something else than CPUs that are measured here, where the module has choices,
// which are for its tasks as they are, and for inputs that do not fit; errors of reading these.
tune_status tune_precision_search(MlirOperation module, tune_search_options *options,
                                  const tune_precision_wanted *wanted,
                                  const tune_search_reporting *reporting);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_PRECISION_PRECISION_H
