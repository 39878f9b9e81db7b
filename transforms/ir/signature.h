//===- signature.h - The signature of a function, for its artifact -----------===//
//
// The signature of an artifact's entry is read off its function before any schedule ran
// on it, so that all candidates and the reference of a task have the same one:
//
//  - tensors and memrefs of fixed rank, and scalars, are arguments as they stand;
//  - a result that is made in the memory of a tensor argument (the function returns what
//    an op wrote into its destination, and that chain of destinations begins at the
//    argument) is not a result but makes that argument "readwrite", as does a memref
//    argument that some op may write to;
//  - all other results are fresh memory;
//  - input_hints.h says which values the arguments should have, and input_facts.h for which of them
//    outputs are defined;
//  - exactness.h says for which values its outputs are exact.
//
// formats/signature.h has its JSON, docs/protocol.md the layout in memory.
//
// Threads: a signature is immutable once made.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_IR_SIGNATURE_H
#define TUNE_TRANSFORMS_IR_SIGNATURE_H

#include "formats/signature.h"
#include "support/status.h"

#include "mlir-c/IR.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_function_signature {
  tune_signature interface; // of the artifact; its results are those with memory of their own
  // For each result of the function as it is in the IR, the argument that it is written to, or -1.
  size_t function_result_count;
  ptrdiff_t *destinations;
} tune_function_signature;

// Reads the signature of `function`, a func.func with a body. INVALID_ARGUMENT (located) for a type
// that an artifact cannot take: unranked, complex, vectors, unusual integers.
tune_status tune_function_signature_create(MlirOperation function,
                                           tune_function_signature **out_signature);
void tune_function_signature_destroy(tune_function_signature *signature);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_IR_SIGNATURE_H
