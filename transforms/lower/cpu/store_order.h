//===- store_order.h - Stores of vectors in the order of their places ----------------------===//
//
// Where buffers on the stack are written by several vectors and then read as one, LLVM 22's SROA
// puts the vectors together at the store of the highest address, whatever comes after it in the
// block: values that are computed between these stores are used before they are there, and the
// results are wrong without a word (mended in LLVM by llvm-project pull request 189680).
// With the stores in the order of their addresses the last one is that of the highest.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_STORE_ORDER_H
#define TUNE_TRANSFORMS_LOWER_CPU_STORE_ORDER_H

#include "mlir-c/IR.h"

#include "support/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// In each run of vector.store with nothing between them, of `module`, puts those into the same
// buffer of the stack at constant places in the order of these. Stores that overlap stay as they
// are, and so do all others.
tune_status tune_store_order_run(MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_STORE_ORDER_H
