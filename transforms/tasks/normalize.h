//===- normalize.h - One form for what many front ends write -----------------===//
//
// Brings a module into the form that tasks are extracted from, with upstream's transforms
// and passes only, so that stock mlir-opt can do the same (tune_outline_script):
//   decompose_interface           linalg.softmax becomes the chain that it is
//   inline                        private helpers (JAX's @_where, @relu) would cut chains
//   linalg-generalize-named-ops   one form for one meaning: keys do not depend on names
//   linalg-fold-unit-extent-dims  and the reshapes for them between the ops
//   canonicalize, cse
//   symbol-dce                    functions that only dead branches called
//
// Marks on locations (transforms/normalize/marks.h) survive these passes, and tell of an op that
// comes out which op went in.
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
// With `cpu_threads` operands are those that a CPU takes, on so many threads; 0: those of a device
// (tune_normalize_operands).
tune_status tune_normalize(MlirModule module, size_t cpu_threads);

// A unit attribute of a module: its tasks are to be the ones that stock mlir-opt finds in it, so
// that what is exported of their schedules can be replayed there.
#define TUNE_STOCK_ATTRIBUTE "tune.stock"

// What comes before all that, and upstream has nothing for: what transforms/normalize/ does with
// filters and images that have zeroes between their elements (zeroes.h, phases.h), with images of
// which a part is read (windows.h) or whose pixels are one line (pixels.h) and, for a CPU, with
// images whose channels come first (channels_last.h) or of which every second pixel is read
// (steps.h), products that are turned (orders.h) or whose result is reshaped (regroup.h), sums of
// prefixes (prefixes.h) and reductions one dimension at a time (sums.h), attention (attention/),
// and batches (batches.h), by the threads. Calls are inlined before: JAX has functions of its own
// for the parts of a softmax. What is allowed (dialects/allow.h) is placed before. None of it is
// done to a module that has TUNE_STOCK_ATTRIBUTE. A script that repeats a normalization starts from
// it. OUT_OF_MEMORY where a part of it may not be done.
tune_status tune_normalize_operands(MlirOperation root, size_t cpu_threads);

// Takes off what an extraction wrote (`tune.task`, `tune.anchor`) and another one is not to find,
// since schedules go by it. tune_normalize does that too.
void tune_normalize_forget_tasks(MlirOperation module);

// On a module that tune_normalize_operands has been at. What it does hangs on how a module is
// written, which is another way once passes have run: done twice it would not be the same.
#define TUNE_NORMALIZED_ATTRIBUTE "tune.normalized"

// Takes it away: for who sees the module.
void tune_normalize_forget_done(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_TASKS_NORMALIZE_H
