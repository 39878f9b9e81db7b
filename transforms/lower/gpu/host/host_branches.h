//===- host_branches.h - Branches and loops of the host's part ---------------===//
//
// Kernels are launched from branches and loops, too: for that the host's part of a function becomes
// one block in which ops that mark say where branches and loops begin and end. What they go by, and
// what goes from one turn of a loop to the next or out of a branch, is in memory of the device:
// scalars in buffers of one element, which kernels of one invocation write (host_scalars.h), and
// buffers copied to one of their own. So all other steps see a function without branches; a device
// program has branches where the marks are (device_program.h).
//
// Marks are calls of functions that are declared alone, which nothing moves memory accesses across.
//
//   if    (condition)  else?  end      what is between
//   loop  while (condition)  again     from the first to the last, as long as the condition holds
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_HOST_HOST_BRANCHES_H
#define TUNE_TRANSFORMS_LOWER_GPU_HOST_HOST_BRANCHES_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tune_host_mark {
  TUNE_MARK_NONE,
  TUNE_MARK_IF, // operand 0: the condition's memory, an i32 that is not 0 where it holds
  TUNE_MARK_ELSE,
  TUNE_MARK_END,
  TUNE_MARK_LOOP,
  TUNE_MARK_WHILE, // operand 0 as above
  TUNE_MARK_AGAIN,
} tune_host_mark;

// Which mark `op` is.
tune_host_mark tune_host_branches_mark(MlirOperation op);

// Makes marks of what is directly in the body of `function`, on buffers: scf.if, scf.for,
// scf.while, scf.index_switch, and such in them. Short loops and branches of scalars alone become
// kernels of one invocation. INVALID_ARGUMENT (located) for values that have no
// place in memory, or one of a size known only at run time.
tune_status tune_host_branches_flatten(MlirOperation module, MlirOperation function);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_HOST_HOST_BRANCHES_H
