//===- function_modules.h - Splitting a module by the decisions of its functions -===//
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

#ifndef TUNE_TRANSFORMS_LOWER_CPU_FUNCTION_MODULES_H
#define TUNE_TRANSFORMS_LOWER_CPU_FUNCTION_MODULES_H

#include "transforms/lower/cpu/backend/llvm.h"
#include "transforms/lower/cpu/vectors/math.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_function_module {
  MlirOperation module; // owned
  char *function;       // the name of its only function with a body
  bool is_private;      // before it left; in its module no function with a body is
  tune_llvm_options llvm;
  tune_math_options math;
  // The parameters of the lowered function that point to the memory of memref arguments, which do
  // not overlap where one of them is written: bufferization sees to that at the call.
  unsigned *pointers;
  size_t pointer_count;
} tune_function_module;

typedef struct tune_function_modules {
  tune_function_module *items;
  size_t count;
} tune_function_modules;

// Takes the functions with decisions out of the bufferized `module`, but for the one named `entry`
// (NULL: none), which stays. INVALID_ARGUMENT (located) for decisions that do not exist.
tune_status tune_function_modules_split(MlirOperation module, const char *entry,
                                        tune_function_modules *out_parts);
void tune_function_modules_deinit(tune_function_modules *parts);

// Puts the parts, in the LLVM dialect by now as is `module`, back in the place of their
// declarations. What is left in the parts' modules is of no use.
void tune_function_modules_merge(tune_function_modules *parts, MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_FUNCTION_MODULES_H
