//===- task_times.h - Code that times the tasks it calls ---------------------===//
//
// A module that is built to tell where its time goes (`tune-run --profile`, and the searches of
// networks) reads the clock before and after each call of a task. Its artifact exports
//
//   struct { const char *name; uint64_t nanoseconds, calls; } tune_task_times[]
//
// which has what all calls since it was loaded took, of each task by the name of its function; an
// element without a name is the last. Whoever runs it sets nanoseconds and calls to 0 where it
// wants. Calls on several threads at once are added up: of these it is the time of all threads.
//
// Threads: a module belongs to one thread.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_BACKEND_TASK_TIMES_H
#define TUNE_TRANSFORMS_LOWER_CPU_BACKEND_TASK_TIMES_H

#include "support/status.h"

#include "llvm-c/Types.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_TASK_TIMES_NAME "tune_task_times"

// Has the calls of `functions`, which are in `module` by name, timed. To be done after the module
// was optimised, which would move code across the clock. INTERNAL where a function is missing.
tune_status tune_task_times_add(LLVMModuleRef module, const char *const *functions, size_t count);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_BACKEND_TASK_TIMES_H
