//===- variant_function.h - A function for some of the sizes that come -------===//
//
// Threads: as the context of the module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_VARIANTS_VARIANT_FUNCTION_H
#define TUNE_TRANSFORMS_VARIANTS_VARIANT_FUNCTION_H

#include "transforms/variants/variant_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

// Adds a private copy of `function` to `module`, for the sizes of `variant`: those that it fixes
// are in its types and in its body, and for those that stay open its arguments say at what it is
// measured (tune.measured_at). NULL: for any sizes. `*out_name` is the caller's: "main_64",
// "main_near_256", "main_any", or where that is taken another one. INVALID_ARGUMENT (located) where
// the body contradicts the sizes.
tune_status tune_variant_function_make(MlirOperation module, MlirOperation function,
                                       const tune_variant_plan *plan, const tune_variant *variant,
                                       char **out_name);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_VARIANTS_VARIANT_FUNCTION_H
