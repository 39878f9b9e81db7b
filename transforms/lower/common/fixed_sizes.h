//===- fixed_sizes.h - A module made for sizes that its arguments leave open -===//
//
// Kernels of devices have fixed sizes, and so a module whose arguments leave some open (`?`) is
// made for those that come: the arguments of a function get them, and they are carried through the
// module by upstream's folding of casts. What the function gives back has fixed sizes then, too.
//
// Threads: as the context of the module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_FIXED_SIZES_H
#define TUNE_TRANSFORMS_LOWER_COMMON_FIXED_SIZES_H

#include "support/status.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// In place of a size: it stays open.
#define TUNE_SIZE_STAYS_OPEN (-1)

// How many sizes the arguments of `function`, which has a body, leave open.
size_t tune_fixed_sizes_count(MlirOperation function);

// Whether a public function of `module` has an argument that leaves a size open.
bool tune_fixed_sizes_are_open(MlirOperation module);

// Makes `function`, of `module`, for `sizes`, in the order of the arguments and their dimensions;
// one alone is that of all. What it calls is inlined where that goes, and all of `module` is
// canonicalized. INVALID_ARGUMENT (located) for another number of sizes, and where the sizes of a
// result do not follow from those of arguments: then it stays open where `may_be_open` says so, or
// where sizes of arguments do.
tune_status tune_fixed_sizes_apply(MlirOperation module, MlirOperation function,
                                   const int64_t *sizes, size_t count, bool may_be_open);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_FIXED_SIZES_H
