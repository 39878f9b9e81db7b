//===- dispatch.h - A function that calls a variant of itself by size --------===//
//
//   func.func @main(%x: tensor<?x784xf32>) -> tensor<?x10xf32> attributes {tune.variants = "64"} {
//     %size = tensor.dim %x, %c0
//     %is_64 = arith.cmpi eq, %size, %c64
//     %r = scf.if %is_64 -> tensor<?x10xf32> {
//       …call @main_64, between casts…
//     } else {
//       …call @main_any…
//     }
//     return %r
//   }
//   func.func private @main_64(%x: tensor<64x784xf32>) -> tensor<64x10xf32> { … }
//   func.func private @main_any(%x: tensor<?x784xf32>) -> tensor<?x10xf32> { … }
//
// It is a module like any other: what is found for the ops of a variant is on these ops. Each size
// of a group is compared; where one is another the function for any sizes runs.
//
// Threads: as the context of the module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_VARIANTS_DISPATCH_H
#define TUNE_TRANSFORMS_VARIANTS_DISPATCH_H

#include "transforms/variants/variant_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

// On a function that calls variants of itself: what the sizes were said to be.
#define TUNE_VARIANTS_ATTRIBUTE "tune.variants"

// Makes the variants of `plan` out of `function`, private functions of `module`, and has it call
// them; the plan gets their names. `text` is what was said of sizes, for the mark. A variant with
// sizes that do not go together is INVALID_ARGUMENT, located.
tune_status tune_variants_make(MlirOperation module, MlirOperation function,
                               tune_variant_plan *plan, const char *text);

// Makes one more variant of `function`, which calls those of `plan`, and has it call that, too. It
// is for the sizes of `sizes`, all fixed, and has no choices. The plan owns it then.
tune_status tune_variants_add(MlirOperation module, MlirOperation function, tune_variant_plan *plan,
                              const tune_variant *sizes);

// Has `function` call the variants of `plan` as they are now, which are there, and no others.
tune_status tune_variants_write_dispatch(MlirOperation module, MlirOperation function,
                                         const tune_variant_plan *plan);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_VARIANTS_DISPATCH_H
