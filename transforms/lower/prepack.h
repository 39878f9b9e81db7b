//===- prepack.h - What is computed once, ahead of the calls ------------------------===//
//
// Where an entry has constant arguments (dialects/constant.h), what its code makes of them alone
// is moved into a function of its own, which is to be called once:
//
//   func @main(%x, %w) { %p = alloc; copy %w to %p; ... uses %x, %p }
//
//   func @main_prepack(%w) -> memref { %p = alloc; copy %w to %p; return %p }
//   func @main(%x, %w, %p) { ... uses %x, %p }
//
// Where nothing but constants of the module go in, the function has no arguments, and the artifact
// calls it when it is loaded (entry.h).
//
// The same is done to the private functions that it calls, the tasks of a module, whose callers
// hand the memory down. A function stays as it is where one of its calls is from within a loop,
// from a function of several blocks, or from itself; as does what it calls.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_PREPACK_H
#define TUNE_TRANSFORMS_LOWER_PREPACK_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// How the entry was split.
typedef struct tune_prepack {
  char *function;    // makes what is packed; NULL: there is nothing
  size_t *arguments; // those of the entry that it takes, in order; maybe none
  size_t argument_count;
  size_t *ranks; // of the memrefs that it gives back, which the entry takes after its own arguments
  size_t result_count;
} tune_prepack;

// Splits `entry`, a function of `module` after bufferization, before memory is given back, and what
// it calls. With `with_own` constants of the module count; packing them at load is not for code
// that starts threads.
tune_status tune_prepack_split(MlirOperation module, MlirOperation entry, bool with_own,
                               tune_prepack *out_prepack);
void tune_prepack_deinit(tune_prepack *prepack);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_PREPACK_H
