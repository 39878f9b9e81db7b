//===- link.h - Linking an object file to a shared object --------------------===//
//
// An artifact is an object file linked with our runtime (libtune_runtime.a), libm and, where
// it runs on threads, LLVM's OpenMP runtime. The system's linker does it: GNU ld takes 4 ms,
// ld.lld 15 (it has to load LLVM), so ld is asked for first. What libc provides stays open
// until the artifact is loaded.
//
// No compiler driver and no development files of libc are needed: the libm that this process
// itself runs with is what is linked against.
//
// Threads: a linker is immutable once made.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_BACKEND_LINK_H
#define TUNE_TRANSFORMS_LOWER_CPU_BACKEND_LINK_H

#include "support/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_linker tune_linker;

// Finds the linker ($TUNE_LINKER, ld, ld.gold, ld.lld-22, ld.lld) and the libraries. With `threads`
// the OpenMP runtime too. UNAVAILABLE says what was looked for and what to install.
tune_status tune_linker_create(bool threads, tune_linker **out_linker);
void tune_linker_destroy(tune_linker *linker);

// Links the object file of `size` bytes to the shared object `path`, where there had better be
// nothing yet: a failure removes it. Takes a file beside it, "<path>.o", which is gone afterwards.
// RESOURCE_EXHAUSTED where the disk is full; INTERNAL with what the linker said where it fails
// otherwise.
tune_status tune_linker_run(const tune_linker *linker, const void *object, size_t size,
                            const char *path);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_BACKEND_LINK_H
