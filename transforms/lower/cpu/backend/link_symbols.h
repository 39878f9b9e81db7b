//===- link_symbols.h - What a shared object needs and nothing gives ----------===//
//
// A linker makes a shared object of anything: a symbol that nothing defines is noticed where it is
// loaded, by somebody else and later. To let the linker look would be to let it read all of libc.
//
// Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_BACKEND_LINK_SYMBOLS_H
#define TUNE_TRANSFORMS_LOWER_CPU_BACKEND_LINK_SYMBOLS_H

#include "support/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// FAILED_PRECONDITION names a symbol that the shared object at `path` needs, and that neither the
// libraries it was linked with nor libc define. DATA_LOSS: it is no shared object of this machine.
tune_status tune_link_check_symbols(const char *path);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_BACKEND_LINK_SYMBOLS_H
