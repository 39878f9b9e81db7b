//===- arena.h - One block of memory for what a module computes in between --------===//
//
// Where functions call others, tasks of a module mostly, their buffers lie in one block that is
// taken at the beginning of the caller:
//
//   %x = alloc                        %block = alloc : memref<5632xi8>
//   call @task_0(%in, %x)             %x = view %block[0]
//   %y = alloc                        call @task_0(%in, %x)
//   call @task_1(%x, %y)              %y = view %block[1024]
//   %z = alloc                        call @task_1(%x, %y)
//   call @task_2(%y, %z)              %z = view %block[0]
//                                     call @task_2(%y, %z)
//
// A buffer is needed from the first of the ops that have it, or views of it, as operands to the
// last one. What has no fixed size, is returned or goes around a loop stays apart. A loop that
// threads share and that calls has a block of each step's own.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_ARENA_ARENA_H
#define TUNE_TRANSFORMS_LOWER_CPU_ARENA_ARENA_H

#include "support/status.h"
#include "transforms/lower/common/code_report.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Lays the buffers of the functions of `module` together: after bufferization, before memory is
// given back. The memory of what they call has been handed to them (handed_memory.h). A function
// that calls none stays as it is. With more than one of `threads` loops may be parallel. The report
// is of the function with the largest blocks, with those of all threads.
tune_status tune_arena_make(MlirOperation module, int threads, tune_arena_report *out_report);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_ARENA_ARENA_H
