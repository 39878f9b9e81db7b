//===- variant_module.h - A module that runs one variant, at one size --------===//
//
// For measuring: what a variant takes at sizes that are its own, or another's.
//
// Threads: as the context of the module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_VARIANTS_VARIANT_MODULE_H
#define TUNE_TRANSFORMS_VARIANTS_VARIANT_MODULE_H

#include "transforms/variants/variant_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_variant_module_options {
  const char *called; // the variant of the function that runs whatever comes
  // Of each open size of the plan.
  const int64_t *sizes;
  // The code is made for these sizes alone, as devices need it; else it is measured at them.
  bool is_fixed;
  bool by_default; // without the choices on its ops
} tune_variant_module_options;

// Makes a copy of `module` in which `function`, of which `plan` has the variants, runs one of them.
// `*out_module` is the caller's. INVALID_ARGUMENT where that one does not take such sizes.
tune_status tune_variant_module_make(MlirOperation module, MlirOperation function,
                                     const tune_variant_plan *plan,
                                     const tune_variant_module_options *options,
                                     MlirOperation *out_module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_VARIANTS_VARIANT_MODULE_H
