//===- openmp_noalias.h - Alias information for outlined OpenMP regions ------===//
//
// OpenMP code is outlined: a function of its own gets what it uses of the function around it in a
// struct. What was known there of memory, that arguments and allocations do not overlap, is lost
// with it, and LLVM then keeps no accumulator in a register across a loop: each step of it loads
// and stores them (a convolution of AlexNet took 1.25 times as long per thread as on one thread).
// Here it is said again, as scoped noalias metadata on loads and stores.
//
// Threads: a module belongs to one thread.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_BACKEND_OPENMP_NOALIAS_H
#define TUNE_TRANSFORMS_LOWER_CPU_BACKEND_OPENMP_NOALIAS_H

#include "llvm-c/Types.h"

#ifdef __cplusplus
extern "C" {
#endif

// For `module` as the translation to LLVM leaves it, with `noalias` on arguments, before it is
// optimised.
void tune_openmp_noalias_declare(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_BACKEND_OPENMP_NOALIAS_H
