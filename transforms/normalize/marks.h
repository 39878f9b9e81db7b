//===- marks.h - Which op of a module an op comes from -----------------------------===//
//
// Before a module is normalized the locations of its ops are marked with their numbers. Passes keep
// locations, so that what an op became can be told afterwards. So can at which sizes the function
// is measured that it was in (transforms/tasks/measured_sizes.h).
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_MARKS_H
#define TUNE_TRANSFORMS_NORMALIZE_MARKS_H

#include "mlir-c/IR.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_MARKS_NONE ((size_t)-1)

// Calls `callback` for each structured op (linalg ops and tensor.pad) of `root` in the order of a
// pre-order walk, with its number.
void tune_marks_walk(MlirOperation root,
                     void (*callback)(MlirOperation op, size_t number, void *user_data),
                     void *user_data);

// Marks the locations of the structured ops of `root` with their numbers.
void tune_marks_set(MlirOperation root);
// The number in the location of an op that comes from a marked one, or TUNE_MARKS_NONE.
size_t tune_marks_get(MlirLocation location);
// Takes these numbers off the locations of all ops of `root`.
void tune_marks_clear(MlirOperation root);
// `location` without marks: for an op that is made beside the one that a marked one becomes, since
// two tasks of one op can carry no choices.
MlirLocation tune_marks_without(MlirLocation location);

// Marks the location of `op` with `sizes`, a text, beside its number.
void tune_marks_add_sizes(MlirOperation op, const char *sizes);
// That text in the location of an op that comes from one that is so marked, or NULL. It lives as
// long as the context.
const char *tune_marks_get_sizes(MlirLocation location);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_MARKS_H
