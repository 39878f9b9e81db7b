//===- search_sizes.h - How variants do at the sizes that come ---------------===//
//
// After a search of a module with variants (transforms/variants/): each is measured at its size,
// beside those that could take its place, and goes where one of these is nearly as fast. What is
// left is measured once more at sizes between those that it was tuned at. The times are those of
// the module as a whole, checked.
//
// Threads: as a search.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SEARCH_SEARCH_SIZES_H
#define TUNE_TRANSFORMS_SEARCH_SEARCH_SIZES_H

#include "transforms/search/search.h"
#include "transforms/variants/variant_plan.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// A size, and how the module does at it.
typedef struct tune_size_row {
  char size[TUNE_VARIANT_TEXT];
  double weight;  // share of the calls; 0: it was held out, between two that were tuned
  char *variant;  // the function that runs it; owned
  double seconds; // by that; 0: not known
  double best;    // the shortest of all that was measured there
  int64_t order[TUNE_MOST_SIZE_GROUPS]; // rows come in that
} tune_size_row;

typedef struct tune_size_rows {
  tune_size_row *rows;
  size_t count;
  size_t variants, merged; // that there are now, and that went
  size_t added;            // that are fixed at a size of a range, by default
  double slowdown;         // seconds over best, the mean by weight; 0: not known
  bool has_ended;          // before all was measured
} tune_size_rows;

// Measures, merges and measures what is between, until `deadline` (tune_clock_seconds; 0: none).
// `module` and `plan` lose the variants that went. Errors are those of the target's facts and of
// the servers; the module is whole then, too. `*out_rows` is to be deinited.
tune_status tune_search_sizes_run(MlirModule module, const tune_search_options *options,
                                  double deadline, tune_variant_plan *plan,
                                  tune_size_rows *out_rows);
void tune_size_rows_deinit(tune_size_rows *rows);

// Prints the rows as a table, with a line below it.
tune_status tune_size_rows_print(const tune_size_rows *rows, FILE *stream);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SEARCH_SEARCH_SIZES_H
