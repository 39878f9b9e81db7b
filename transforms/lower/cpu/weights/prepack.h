//===- prepack.h - Prepacking: computing once what depends on constants alone -===//
//
// Where an entry has constant arguments (dialects/constant.h), what its code makes of them and of
// the module's constants alone is moved into a function of its own, which is to be called once:
//
//   func @main(%x, %w) { %p = alloc; copy %w to %p; ... uses %x, %p }
//
//   func @main_prepack(%w) -> memref { %p = alloc; copy %w to %p; return %p }
//   func @main(%x, %w, %p) { ... uses %x, %p }
//
// Where nothing but constants of the module go in, the function has no arguments, and the artifact
// calls it when it is loaded (entry.h); unless threads may be in it, since there are constant
// arguments for which there is a caller.
//
// The same is done to the private functions that it calls, the tasks of a module, whose callers
// hand the memory down. What the entry makes of constants alone is a constant to its callees, too:
// a filter that one task has turned is packed by another one, ahead of the calls. For calls from
// within loops it is packed before these. A function stays as it is where one of its calls is in a
// branch, in a function of several blocks, or from itself; as does what it calls.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_WEIGHTS_PREPACK_H
#define TUNE_TRANSFORMS_LOWER_CPU_WEIGHTS_PREPACK_H

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
  bool is_at_load; // nobody else calls it
  size_t *ranks; // of the memrefs that it gives back, which the entry takes after its own arguments
  size_t result_count;
} tune_prepack;

// Splits `entry`, a function of `module` after bufferization, before memory is given back, and what
// it calls. With `has_threads` what threads do together is not packed at load: a library that is
// being loaded starts none.
tune_status tune_prepack_split(MlirOperation module, MlirOperation entry, bool has_threads,
                               tune_prepack *out_prepack);
void tune_prepack_deinit(tune_prepack *prepack);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_WEIGHTS_PREPACK_H
