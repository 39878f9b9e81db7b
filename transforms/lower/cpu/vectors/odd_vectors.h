//===- odd_vectors.h - Vectors of 24 elements as 16 and 8 ------------------------------===//
//
// LLVM rounds the length of a vector up to a power of two. What a loop carries of 24 or 40 elements
// it takes apart into scalars and puts together again in each step: a kernel of 24 columns ran at a
// twentieth of the speed. In pieces of 16 and 8, and of 32 and 8, each is a register or several,
// and nothing is rounded up: on cores that split the widest registers 24 columns take three
// quarters of the time of 32.
//
//   for iter_args(%s : vector<4x24xf32>)      for iter_args(%0 : vector<16xf32>, %1 :
//   vector<8xf32>,
//                                        =>                 four times)
//
// Threads: as the context of the IR.
//
//===----------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_VECTORS_ODD_VECTORS_H
#define TUNE_TRANSFORMS_LOWER_CPU_VECTORS_ODD_VECTORS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Splits what computes with such vectors in each function of `module` that has a scf.for with one:
// vectors and tiles (their last dimension counts) of a multiple of four elements that
// is no power of two. What takes no pieces gets them put together. OUT_OF_MEMORY alone.
tune_status tune_odd_vectors_split(MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_VECTORS_ODD_VECTORS_H
