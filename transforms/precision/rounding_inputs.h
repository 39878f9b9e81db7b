//===- rounding_inputs.h - The data that errors are measured on ----------------===//
//
// A file of arrays that the user gives for the arguments of a function, by their order: what the
// module's text called them is forgotten where a pass runs. What is wrong with it is said before
// anything is built.
//
// Threads: one thread at a time per object.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_PRECISION_ROUNDING_INPUTS_H
#define TUNE_TRANSFORMS_PRECISION_ROUNDING_INPUTS_H

#include "support/scratch.h"
#include "transforms/ir/signature.h"
#include "tuning/arrays/array_file.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_rounding_inputs {
  tune_scratch *scratch;
  tune_array_file arrays;             // none where no file is given
  tune_function_signature *signature; // of the function
} tune_rounding_inputs;

// None for `function`: INVALID_ARGUMENT (located) where it takes or gives what artifacts do not. To
// be deinitialized whatever comes of it.
tune_status tune_rounding_inputs_init(tune_rounding_inputs *inputs, MlirOperation function);
// Unpacks those of `path`. INVALID_ARGUMENT for arrays that do not fit the arguments and for types
// that artifacts do not take; errors of reading.
tune_status tune_rounding_inputs_read(tune_rounding_inputs *inputs, const char *path);
void tune_rounding_inputs_deinit(tune_rounding_inputs *inputs);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_PRECISION_ROUNDING_INPUTS_H
