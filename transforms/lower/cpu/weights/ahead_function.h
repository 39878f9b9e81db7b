//===- ahead_function.h - Splitting off what a function computes ahead --------===//
//
// One step of prepacking (prepack.h): of one function, what depends on constants alone goes into a
// function of its own, and its memory comes back as arguments. Callers are prepack.c's to change.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_WEIGHTS_AHEAD_FUNCTION_H
#define TUNE_TRANSFORMS_LOWER_CPU_WEIGHTS_AHEAD_FUNCTION_H

#include "support/status.h"
#include "transforms/lower/common/constant_dependence.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// What was split off a function.
typedef struct tune_ahead_function {
  MlirOperation op;  // private, marked TUNE_AHEAD_ATTRIBUTE, in the module before the function
  size_t *arguments; // those of the function that it takes, in order; owned, also after a failure
  size_t argument_count;
} tune_ahead_function;

// Moves `ahead`, which was found in `function`, into a function of its own that returns what is
// kept, which `function` takes after its own arguments from then on. Its calls are as they were.
// OUT_OF_MEMORY alone: the module is of no use then.
tune_status tune_ahead_function_split(MlirOperation module, MlirOperation function,
                                      const tune_constant_dependence *ahead,
                                      tune_ahead_function *out_ahead);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_WEIGHTS_AHEAD_FUNCTION_H
