//===- function_type.h - The type of a function whose block has changed -------===//
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_IR_FUNCTION_TYPE_H
#define TUNE_TRANSFORMS_IR_FUNCTION_TYPE_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Sets the type of `function`, of one block, by the arguments of that and what it returns.
// Attributes of its arguments and results, of which there may be another number now, go.
tune_status tune_function_type_set(MlirOperation function);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_IR_FUNCTION_TYPE_H
