//===- stock_form.h - Modules in the form that stock mlir-opt finds ---------------===//
//
// What normalizing writes anew (transforms/normalize/) has other tasks than stock mlir-opt finds in
// the module, and what was chosen for those says nothing of these.
//
// Threads: as the context of the module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_TASKS_STOCK_FORM_H
#define TUNE_TRANSFORMS_TASKS_STOCK_FORM_H

#include "support/status.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Gives `module` TUNE_STOCK_ATTRIBUTE, and takes the choices off those of its ops whose tasks are
// others than before. `*out_has_others` is whether there are such; a module that has the attribute
// has none. The dialects that tune_extract needs have to be loaded.
tune_status tune_stock_form_take(MlirModule module, size_t cpu_threads, bool *out_has_others);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_TASKS_STOCK_FORM_H
