//===- variant_plan.h - Which variants of a function there are to be ---------===//
//
// From what is said of the sizes that a function's arguments leave open (size_spec.h, tune.dim) to
// variants of it: for each size that is named one in which it is fixed, and for a range some sizes
// in it, powers of two where there are, each with a variant that takes the sizes around it and is
// measured at it.
//
// Sizes that have to be equal are a group: all that a text for the whole function is about, or
// those with the same name in tune.dim. Of several groups, variants are all combinations.
//
// Threads: as the context of the function.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_VARIANTS_VARIANT_PLAN_H
#define TUNE_TRANSFORMS_VARIANTS_VARIANT_PLAN_H

#include "transforms/variants/size_spec.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Variants of a function, besides the one that takes any size.
#define TUNE_MOST_VARIANTS 10
#define TUNE_MOST_SIZE_GROUPS 4
// No group: nothing is said of that size.
#define TUNE_SIZE_GROUP_NONE ((size_t)-1)

// A size that an argument leaves open.
typedef struct tune_open_size {
  intptr_t argument, dimension;
  size_t group; // or TUNE_SIZE_GROUP_NONE
} tune_open_size;

// The sizes of a group that a variant takes.
typedef struct tune_variant_sizes {
  int64_t first, last; // one alone is fixed in the variant; from a range it may still be open
  int64_t at;          // what it is measured at
  bool is_fixed;
} tune_variant_sizes;

typedef struct tune_variant {
  tune_variant_sizes sizes[TUNE_MOST_SIZE_GROUPS];
  double weight;  // share of the calls
  char *function; // its name, once it is made (dispatch.h); owned
} tune_variant;

typedef struct tune_variant_plan {
  char *names[TUNE_MOST_SIZE_GROUPS]; // of groups, owned; "" for that without one
  tune_size_spec specs[TUNE_MOST_SIZE_GROUPS];
  size_t group_count; // 0: nothing is said of any size
  tune_open_size *open;
  size_t open_count; // all of them, in the order of arguments and dimensions
  tune_variant *variants;
  size_t count;  // up to TUNE_MOST_VARIANTS, in the order in which sizes are compared
  char *general; // the name of the function that takes any size, once it is made; owned
} tune_variant_plan;

// The plan for `function`, which has a body. `text` is about all sizes of which tune.dim says
// nothing; NULL: it says nothing either. INVALID_ARGUMENT (located) for texts that are wrong, for
// `text` where no size is open, and where there would be too many variants.
tune_status tune_variant_plan_init(tune_variant_plan *plan, MlirOperation function,
                                   const char *text);
void tune_variant_plan_deinit(tune_variant_plan *plan);

// Adds a variant, whose function becomes the plan's, also where memory runs out.
tune_status tune_variant_plan_add(tune_variant_plan *plan, const tune_variant *variant);

// Whether an argument of `function` has tune.dim.
bool tune_variant_plan_is_wanted(MlirOperation function);

// The size that open size `open` has where `variant` is measured; 0: nobody says.
int64_t tune_variant_plan_size_at(const tune_variant_plan *plan, const tune_variant *variant,
                                  size_t open);

// Whether all sizes of `variant` are fixed.
bool tune_variant_plan_is_fixed(const tune_variant_plan *plan, const tune_variant *variant);
// Whether `variant` takes the sizes `at`, one for each group.
bool tune_variant_plan_takes(const tune_variant_plan *plan, const tune_variant *variant,
                             const int64_t *at);

// "64", or "128-512", or for several groups "batch=1 tokens=16-31".
#define TUNE_VARIANT_TEXT 256
void tune_variant_plan_describe(const tune_variant_plan *plan, const tune_variant *variant,
                                char out_text[TUNE_VARIANT_TEXT]);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_VARIANTS_VARIANT_PLAN_H
