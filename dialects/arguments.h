//===- arguments.h - Attributes of a function's arguments --------------------===//
//
// Threads: reading IR, as MLIR allows.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_DIALECTS_ARGUMENTS_H
#define TUNE_DIALECTS_ARGUMENTS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// All attributes of argument `index` of `function`, a dictionary, or null where it has none.
MlirAttribute tune_argument_attributes(MlirOperation function, intptr_t index);
// The one called `name`, or null.
MlirAttribute tune_argument_attribute(MlirOperation function, intptr_t index, const char *name);

#ifdef __cplusplus
}
#endif

#endif // TUNE_DIALECTS_ARGUMENTS_H
