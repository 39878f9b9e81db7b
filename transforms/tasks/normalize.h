//===- normalize.h - One form for what many front ends write -----------------===//
//
// Brings a module into the form that tasks are extracted from, with upstream's transforms
// and passes only, so that stock mlir-opt can do the same (tune_outline_script):
//   decompose_interface           linalg.softmax becomes the chain that it is
//   inline                        private helpers (JAX's @_where, @relu) would cut chains
//   linalg-generalize-named-ops   one form for one meaning: keys do not depend on names
//   linalg-fold-unit-extent-dims  and the reshapes for them between the ops
//   canonicalize, cse
//
// Marks on locations survive these passes, and tell of an op that comes out which op went
// in.
//
// Threads: as the context of the module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_TASKS_NORMALIZE_H
#define TUNE_TRANSFORMS_TASKS_NORMALIZE_H

#include "support/status.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// The passes above by name, in order, ended by NULL.
extern const char *const tune_normalize_passes[];

// What comes before them: lines of a named sequence, in which %0 is the module, that take it apart
// where it has ops that the passes leave. NULL where `module` has none.
const char *tune_normalize_decomposition(MlirOperation module);

// Does all that to `module` in place, after taking choices (dialects/choices.h) off it, and putting
// what is allowed (dialects/allow.h) where it survives that. It is left
// in a valid but unspecified state on INTERNAL, which says what MLIR said. A module with
// linalg.softmax needs the dialect transform loaded, with the transforms of linalg.
// Where it is `for_cpu`, operands are those that a CPU takes (tune_normalize_operands).
tune_status tune_normalize(MlirModule module, bool for_cpu);

// What comes before all that, and upstream has nothing for: filters without the zeroes between
// their elements (normalize_zeroes.h), images without what is not read (normalize_windows.h) and,
// `for_cpu`, sums of prefixes as one window (normalize_prefixes.h) and reductions one dimension at
// a time as one (normalize_sums.h). A script that repeats a normalization starts from it.
void tune_normalize_operands(MlirOperation root, bool for_cpu);

// Takes off what an extraction wrote (`tune.task`, `tune.anchor`) and another one is not to find,
// since schedules go by it. tune_normalize does that too.
void tune_normalize_forget_tasks(MlirOperation module);

// Calls `callback` for each structured op (linalg ops and tensor.pad) of `root` in the order of a
// pre-order walk, with its number.
void tune_normalize_walk(MlirOperation root,
                         void (*callback)(MlirOperation op, size_t number, void *user_data),
                         void *user_data);

#define TUNE_NORMALIZE_NO_MARK ((size_t)-1)

// Marks the locations of the structured ops of `root` with their numbers.
void tune_normalize_mark(MlirOperation root);
// The number in the location of an op that comes from a marked one, or TUNE_NORMALIZE_NO_MARK.
size_t tune_normalize_get_mark(MlirLocation location);
// Takes the marks off the locations of all ops of `root`.
void tune_normalize_unmark(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_TASKS_NORMALIZE_H
