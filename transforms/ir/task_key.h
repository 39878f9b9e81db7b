//===- task_key.h - The name of a structure ----------------------------------===//
//
// A task's key is the XXH3-128 of the text of its canonical function (task_function.h):
// ops, bodies, indexing maps, shapes, element types and scalar constants. Names, locations,
// the order of independent ops, discardable attributes and everything around the task are
// not in it. So equal structures have equal keys, in any module, process and run; the key
// is what records in the database belong to.
//
// The text is that of MLIR 22. A release of MLIR that prints ops differently gives new keys.
//
// Threads: reading IR, as MLIR allows.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_IR_TASK_KEY_H
#define TUNE_TRANSFORMS_IR_TASK_KEY_H

#include "support/digest.h"
#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// The name of the function in a payload.
#define TUNE_TASK_FUNCTION_NAME "tune_task"

// Prints a function in canonical form, without a module around it; free() the text.
tune_status tune_task_key_print(MlirOperation function, char **out_text);

// The key of the text above.
tune_digest tune_task_key_of_text(const char *text);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_IR_TASK_KEY_H
