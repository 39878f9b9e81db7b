//===- module_key.h - Which modules are the same --------------------------------===//
//
// What a search decides about tasks together holds where the same tasks come together: in the same
// order, as often. Names and places are not part of it, as of a task's key.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_TASKS_MODULE_KEY_H
#define TUNE_TRANSFORMS_TASKS_MODULE_KEY_H

#include "transforms/tasks/extract.h"

#ifdef __cplusplus
extern "C" {
#endif

tune_status tune_module_key(const tune_extraction *extraction, tune_digest *out_key);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_TASKS_MODULE_KEY_H
