//===- memory.h - Places of results and temporaries in memory ----------------===//
//
// What a schedule left on tensors is bufferized, results go to where the signature says,
// and temporary buffers are given back. All of it works on the module that holds the
// entry function and changes it in place.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_MEMORY_H
#define TUNE_TRANSFORMS_LOWER_COMMON_MEMORY_H

#include "transforms/ir/signature.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes `module` a module of `function` alone, before any schedule runs on it: all other functions
// become private and those it does not reach are erased; arguments that `signature` says are only
// read are marked so for bufferization. FAILED_PRECONDITION where `function` calls itself.
tune_status tune_memory_prepare(MlirOperation module, MlirOperation function,
                                const tune_function_signature *signature);

// The first part of it: makes `module` one of `function` and what that reaches.
tune_status tune_memory_keep_reached(MlirOperation module, MlirOperation function);

// Whether any value in `module` is a tensor.
bool tune_memory_has_tensors(MlirOperation module);
// Whether any op in `module` allocates a buffer that has to be freed.
bool tune_memory_has_allocations(MlirOperation module);

// After bufferization: the results that the signature places in arguments are copied there, unless
// they are there already, and returned no more.
tune_status tune_memory_place_results(MlirOperation function,
                                      const tune_function_signature *signature);

// Makes copies between memrefs that are not contiguous ops of linalg, which become loops that LLVM
// sees through; the others stay and become memcpy.
tune_status tune_memory_open_copies(MlirOperation module);

// Makes `copy`, a memref.copy, an op of linalg.
void tune_memory_open_copy(MlirOperation copy);

// Moves buffers on the stack out of loops: a loop lowered to branches never gives back what its
// body allocates, and some thousand turns later the stack is full. They go to the beginning of the
// function, or with `has_threads` of the body of the parallel loop that they are in.
void tune_memory_hoist_stack(MlirOperation module, bool has_threads);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_MEMORY_H
