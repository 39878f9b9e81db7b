//===- llvm.h - LLVM's optimizer and code generator --------------------------===//
//
// The last part of lowering: LLVM's optimiser and code generator through LLVM's C API,
// with the decisions that schedules make at this level.
//
// A schedule decides by discardable attributes on the function (transform.annotate):
//
//   tune.llvm.opt_level = 0..3          0, 2, 3: LLVM's pipeline of that level; 1: a light one for
//                                       code that is vectorized already, ten times quicker; 3
//   tune.llvm.prefer_vector_width = N   bits, for LLVM's own vectorizers and lowering; 0: the CPU's
//   tune.llvm.loop_unroll = 0 or 1      LLVM's loop unroller; 1
//   tune.llvm.interleave = 0 or 1       interleaving in LLVM's loop vectorizer; 1
//   tune.llvm.contract = 0 or 1         a * b + c may become one fused operation; 1
//
// Threads: a target is immutable once created; a module belongs to one thread.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_BACKEND_LLVM_H
#define TUNE_TRANSFORMS_LOWER_CPU_BACKEND_LLVM_H

#include "support/status.h"

#include "mlir-c/IR.h"
#include "llvm-c/TargetMachine.h"
#include "llvm-c/Types.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_llvm_options {
  int64_t opt_level;
  int64_t prefer_vector_width;
  int64_t loop_unroll;
  int64_t interleave;
  int64_t contract;
} tune_llvm_options;

// What holds where nothing was decided.
tune_llvm_options tune_llvm_options_default(void);
// Reads the attributes above off `function` into `options` and removes them. INVALID_ARGUMENT
// (located) for one that does not exist, with the nearest that does, or for a value it cannot have.
tune_status tune_llvm_options_take(MlirOperation function, tune_llvm_options *options);

typedef struct tune_llvm_target {
  char *triple;
  char *cpu;
  char *features;
  LLVMTargetMachineRef machine;
} tune_llvm_target;

// NULL for `triple` and `cpu` is this machine's; NULL for `features` is this machine's if `cpu` is
// NULL too, else those of the CPU. UNAVAILABLE where LLVM was built without that target,
// INVALID_ARGUMENT where it does not know the CPU.
tune_status tune_llvm_target_init(tune_llvm_target *target, const char *triple, const char *cpu,
                                  const char *features);
void tune_llvm_target_deinit(tune_llvm_target *target);

// Optimises `module` in place. All functions but the exported ones should be internal by now.
tune_status tune_llvm_optimize(LLVMModuleRef module, const tune_llvm_target *target,
                               const tune_llvm_options *options);

// Generates an object file (or assembly) in memory; LLVMDisposeMemoryBuffer it.
tune_status tune_llvm_generate(LLVMModuleRef module, const tune_llvm_target *target,
                               LLVMCodeGenFileType kind, LLVMMemoryBufferRef *out_buffer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_BACKEND_LLVM_H
