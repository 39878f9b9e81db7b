//===- sized_module.h - A module for a device, made for sizes that it leaves open ---===//
//
// Spaces and choices of tasks are for sizes that are known, on devices. Where functions of a module
// leave some open, passes look at a copy that is made for one size
// (transforms/lower/common/fixed_sizes.h), and what they choose goes back to the module's own ops.
//
// Threads: as the context of the module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SPACES_SIZED_MODULE_H
#define TUNE_TRANSFORMS_SPACES_SIZED_MODULE_H

#include "support/status.h"
#include "transforms/ir/op_list.h"

#include "mlir-c/IR.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_sized_module {
  MlirOperation module; // to look at: the copy, or the module itself
  MlirOperation copy;   // null: there is none
  tune_op_list ops;     // of the copy, those that may have choices,
  tune_op_list origins; // and what each is in the module
} tune_sized_module;

// `target` is the name of what code is for (tuning/device/target_name.h). What is open becomes
// `size`. A function that cannot be made for it is left out, with a warning. After a failure there
// is nothing to release.
tune_status tune_sized_module_init(tune_sized_module *sized, MlirOperation module,
                                   const char *target, int64_t size);

// The same with a copy of `function` of it alone, and what that calls, for `sizes`
// (tune_fixed_sizes_apply). INVALID_ARGUMENT (located) where it cannot be made for them.
tune_status tune_sized_module_init_function(tune_sized_module *sized, MlirOperation module,
                                            MlirOperation function, const int64_t *sizes,
                                            size_t count);

// Gives the ops of the module the choices that those of the copy have.
void tune_sized_module_take_choices(tune_sized_module *sized);

void tune_sized_module_deinit(tune_sized_module *sized);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SPACES_SIZED_MODULE_H
