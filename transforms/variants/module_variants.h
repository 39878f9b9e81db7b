//===- module_variants.h - The variants of a module's function ---------------===//
//
// Threads: as the context of the module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_VARIANTS_MODULE_VARIANTS_H
#define TUNE_TRANSFORMS_VARIANTS_MODULE_VARIANTS_H

#include "transforms/variants/variant_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes the variants that `text` and tune.dim ask for (variant_plan.h) of the function that is
// meant in `module` (tune_ir_find_function), and has it call them. `*plan` is to be deinited;
// without variants, where neither says anything, or where the function has them already by the same
// words. INVALID_ARGUMENT (located) where it has them by others.
tune_status tune_module_variants_make(MlirOperation module, const char *function, const char *text,
                                      tune_variant_plan *plan);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_VARIANTS_MODULE_VARIANTS_H
