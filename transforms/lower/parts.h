//===- parts.h - The functions of a module that have decisions of their own ---------===//
//
// What a schedule decides about math and the backend (math.h, llvm.h) holds for its function.
// In a module of several tasks each of them is lowered and optimised apart, under its own
// decisions, just as it was when it was measured alone. So the module is taken apart after
// bufferization: a function with decisions goes into a module of its own, with copies of what
// it refers to, and leaves a declaration.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_PARTS_H
#define TUNE_TRANSFORMS_LOWER_PARTS_H

#include "transforms/lower/llvm.h"
#include "transforms/lower/math.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_part {
  MlirOperation module; // owned
  char *function;       // the name of its only function with a body
  bool is_private;      // before it left; in its module no function with a body is
  tune_llvm_options llvm;
  tune_math_options math;
  // The parameters of the lowered function that point to the memory of memref arguments, which do
  // not overlap where one of them is written: bufferization sees to that at the call.
  unsigned *pointers;
  size_t pointer_count;
} tune_part;

typedef struct tune_parts {
  tune_part *items;
  size_t count;
} tune_parts;

// Takes the functions with decisions out of the bufferized `module`, but for the one named `entry`
// (NULL: none), which stays. INVALID_ARGUMENT (located) for decisions that do not exist.
tune_status tune_parts_split(MlirOperation module, const char *entry, tune_parts *out_parts);
void tune_parts_deinit(tune_parts *parts);

// Puts the parts, in the LLVM dialect by now as is `module`, back in the place of their
// declarations. What is left in the parts' modules is of no use.
void tune_parts_merge(tune_parts *parts, MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_PARTS_H
