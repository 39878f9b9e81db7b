//===- reference_functions.h - Large references in small functions ----------------===//
//
// The plain lowering of a network is hundreds of loop nests in one function, and passes of LLVM 22
// (IndVarSimplify, LoopRotate) take time as the square of that. Each nest in a function of its own
// computes the same, to the same bits, and compiles in half of the time.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_REFERENCE_FUNCTIONS_H
#define TUNE_TRANSFORMS_LOWER_CPU_REFERENCE_FUNCTIONS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Moves the outermost linalg ops and loops of the functions of `module`, which is on buffers, into
// private functions that are not inlined, where a function has many of them.
tune_status tune_reference_functions_make(MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_REFERENCE_FUNCTIONS_H
