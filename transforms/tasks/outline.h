//===- outline.h - Each task a function, each occurrence a call --------------===//
//
// Two ways to the same functions: in C, for our own passes, and as a transform script, for
// stock mlir-opt. The keys of the functions are equal (task_key.h).
//
// Threads: as the context of the extraction.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_TASKS_OUTLINE_H
#define TUNE_TRANSFORMS_TASKS_OUTLINE_H

#include "support/status.h"
#include "support/string_builder.h"
#include "transforms/tasks/extract.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// A name (formats/task_function.h) for the function of the extraction's task that `module` does not
// have yet.
void tune_outline_find_name(MlirOperation module, size_t task, char *name, size_t size);

// Makes a copy of the extraction's normalized module, in which each occurrence of a task is a call
// to a private function, one for each task, with the body of the task's payload and its key in the
// attribute `tune.task`. The caller allocates the destinations. The module belongs to the caller.
tune_status tune_outline_module(const tune_extraction *extraction, MlirModule *out_module);

// The name of the named sequence that tune_outline_script writes.
#define TUNE_OUTLINE_SEQUENCE "tune_outline"

// Appends the text of a named sequence,
//
//   transform.named_sequence @tune_outline(%module: !transform.any_op {transform.consumed})
//       -> !transform.any_op
//
// which normalizes the module it is given, and moves each occurrence of a task into a private
// function of its own with the task's key in `tune.task`. It yields the module. Everything in it is
// upstream's, and preserves what the module computes whatever module it is run on: it finds ops by
// function and order, and fails where there are not as many as there were.
//
// The functions compute what the payloads do; their arguments may stand in another order, and sizes
// known only at run time may be arguments.
// OUT_OF_MEMORY only.
tune_status tune_outline_script(const tune_extraction *extraction, tune_string_builder *builder);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_TASKS_OUTLINE_H
