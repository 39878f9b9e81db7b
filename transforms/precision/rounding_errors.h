//===- rounding_errors.h - How far rounded products put outputs off -----------===//
//
// By a module that has a switch for each kind of products (error_module.h), built once and run on
// arrays that are given, or made by the seed.
//
// Threads: as a search.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_PRECISION_ROUNDING_ERRORS_H
#define TUNE_TRANSFORMS_PRECISION_ROUNDING_ERRORS_H

#include "transforms/ir/op_list.h"
#include "transforms/precision/rounding_inputs.h"
#include "transforms/search/search.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_rounding_errors tune_rounding_errors;

typedef struct tune_rounding_errors_wanted {
  MlirOperation module;
  const tune_search_options *options;
  const tune_op_list *products; // ops of the module
  const size_t *switch_of;      // of each: its switch; `switches` or more: it is never rounded
  size_t switches;              // at least 1
  size_t sets;                  // of a run, at most
  const tune_rounding_inputs *inputs;
  double deadline; // tune_clock_seconds; 0: none
} tune_rounding_errors_wanted;

// FAILED_PRECONDITION for a function that this cannot be done with, and where the module does not
// work; DEADLINE_EXCEEDED and CANCELLED where it took too long. Borrows all that `wanted` points
// to.
tune_status tune_rounding_errors_open(const tune_rounding_errors_wanted *wanted,
                                      tune_rounding_errors **out_errors);
// `sets` has a row of `switches` (tune_rounded_to) for each of `count` sets. Into `out_errors`, for
// each set: the root mean square of what its outputs are off, as a share of that of the outputs as
// they are; of the output where that is most. Infinite where that is not known: an output is no
// number, or all are zero.
tune_status tune_rounding_errors_run(tune_rounding_errors *errors, const unsigned char *sets,
                                     size_t count, double *out_errors);
// How many results are looked at.
size_t tune_rounding_errors_get_outputs(const tune_rounding_errors *errors);
// NULL may be given.
void tune_rounding_errors_close(tune_rounding_errors *errors);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_PRECISION_ROUNDING_ERRORS_H
