//===- keep_drivers.h - For leak checks of programs that open Vulkan -------------------------===//
//
// Mesa's drivers bring LLVM 15 along, which keeps some things until the process ends. Where the
// library itself is unloaded before (with the instance), nothing points to them any more, and
// LeakSanitizer takes them for leaks of a module that it cannot even name.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_COMMON_KEEP_DRIVERS_H
#define TUNE_UNITTESTS_COMMON_KEEP_DRIVERS_H

#include <dlfcn.h>

// Keeps lavapipe, if it is there, in this process to its end.
static inline void keep_drivers(void) {
  void *library = dlopen("libvulkan_lvp.so", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (library)
    dlclose(library);
}

#endif // TUNE_UNITTESTS_COMMON_KEEP_DRIVERS_H
