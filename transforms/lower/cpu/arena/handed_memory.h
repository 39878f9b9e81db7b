//===- handed_memory.h - Memory that callers hand to the functions they call ---===//
//
// A private function whose calls are all known, a task of a module mostly, takes the memory of its
// results and its temporaries from those who call it:
//
//   func private @task(%x, %unused) { %r = alloc; %t = alloc; ... return %r }    call @task(%x, %y)
//
//   func private @task(%x, %r, %t) { ... }      %r = alloc; %t = alloc; call @task(%x, %r, %t)
//
// The entry then has all of it, and can place it in one block (arena.h). Each buffer is an argument
// of its own, so that what is known of arguments still holds: they do not overlap.
//
// Functions stay as they are that call themselves, have several blocks, or are called who knows
// how; so does memory of a size known at run time only, or of what threads do together.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_ARENA_HANDED_MEMORY_H
#define TUNE_TRANSFORMS_LOWER_CPU_ARENA_HANDED_MEMORY_H

#include "support/status.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Before bufferization: calls in `module` that write to one tensor.empty, one after the other, get
// one each, and so do ops in loops that threads share (dialects/threads.h). What each makes has a
// place of its own then, for as long as it is needed: what is made of constants stays. The same
// after a schedule has bufferized the module, of memory that calls alone write, before results that
// are arguments are dropped.
tune_status tune_handed_memory_separate(MlirOperation module);

// Of the functions of `module`, after bufferization: memory that they return. Arguments that
// nothing uses go, and memory that nobody else wanted.
tune_status tune_handed_memory_results(MlirOperation module);

// Temporaries, before memory is given back. With `has_threads` loops may be parallel.
tune_status tune_handed_memory_temporaries(MlirOperation module, bool has_threads);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_ARENA_HANDED_MEMORY_H
