//===- rounding_gains.h - What rounding the products of a module saves ---------===//
//
// A module as it is, and those in which all its products may be rounded (rounded_to.h), are built
// by default and run in turns; what each task takes in them says what it saves. What makes bytes is
// tasks of its own: products have a share of that by how many elements they have rounded. Products
// of one task are of one kind: all of a kind are rounded or none, so that they stay one task.
//
// Threads: as a search.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_PRECISION_ROUNDING_GAINS_H
#define TUNE_TRANSFORMS_PRECISION_ROUNDING_GAINS_H

#include "transforms/ir/op_list.h"
#include "transforms/precision/rounded_to.h"
#include "transforms/search/search.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_product_kind {
  char *name;      // of the task
  size_t products; // how many there are
  double elements; // that are rounded to bytes in a run
  // Seconds of a run of the module, by what they are rounded to; as where they are not rounded
  // where they have no such form, or it was not asked for.
  double seconds[TUNE_ROUNDED_COUNT];
} tune_product_kind;

typedef struct tune_product_kinds {
  tune_product_kind *items;
  size_t count;
  size_t *of;     // of each product: its kind; SIZE_MAX where it has none
  double seconds; // of a run of the module as it is; 0: it was not measured
} tune_product_kinds;

// Looks at `products`, ops of `module`, in what its function `options->function` computes, rounded
// as far as `allowances` (dialects/allow.h) say, until `deadline` (tune_clock_seconds; 0: none).
// `*out_ended`: it did not come to an end. The kinds are to be deinitialized whatever comes of it.
tune_status tune_product_kinds_find(MlirOperation module, const tune_search_options *options,
                                    const tune_op_list *products, unsigned allowances,
                                    double deadline, tune_product_kinds *out_kinds,
                                    bool *out_ended);
void tune_product_kinds_deinit(tune_product_kinds *kinds);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_PRECISION_ROUNDING_GAINS_H
