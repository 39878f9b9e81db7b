//===- small_loops.h - Loops with too little to do for several threads ---------------------===//
//
// Threads take some microseconds to begin a loop together and to wait for each other at its end. A
// loop that one thread has done by then is better left to it, whatever the schedule says: rules
// divide what they know, and that is not how long a step takes.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_SMALL_LOOPS_H
#define TUNE_TRANSFORMS_LOWER_CPU_SMALL_LOOPS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether `function`, on buffers and before its vectors are lowered, has loops that threads would
// share (parallel_loops.h), and each of them does less than threads take to begin it: an estimate
// by the vectors that its ops work on. What is not known is not small: loops whose ends are not
// constant, calls, and linalg ops.
bool tune_small_loops_are_all(MlirOperation function);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_SMALL_LOOPS_H
