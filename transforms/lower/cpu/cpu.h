//===- cpu.h - The lowering for CPUs -----------------------------------------===//
//
// A tune_cpu_lowering holds what all builds of one kind share: parsed pass pipelines, the
// LLVM target. It is made once, in the process that forks a child per candidate; a child
// inherits it and runs it on its copy of the payload.
//
// What a run does:
//  1. tensors that the schedule left are bufferized (identity layouts at the function's border),
//     results go to where the signature says, temporaries get owners;
//     what depends on constant arguments alone goes into a function of its own (prepack.h);
//  2. what is left of linalg becomes loops; forall becomes loops, or with threads OpenMP, as do
//     loops that say so (parallel_loops.h);
//     everything goes to the LLVM dialect, with memory from the artifact's runtime;
//  3. LLVM IR gets the entry (entry.h), the decisions of the schedule (llvm.h), and is optimised.
//
// The plain lowering is the reference that candidates are compared with: no schedule, every linalg
// op as the loops it is defined by, in the order of its dimensions, and LLVM at O2 with its
// vectorizers but without contraction, so that sums are added up in the order of the loops, in
// wider types (accumulator_promotion.h).
//
// Threads: one at a time; the context must not be multi-threaded where children are forked.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_CPU_H
#define TUNE_TRANSFORMS_LOWER_CPU_CPU_H

#include "transforms/lower/common/build_order.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_cpu_options {
  const char *triple;   // NULL: this machine's
  const char *cpu;      // NULL: this machine's
  const char *features; // NULL: see tune_llvm_target_init
  int threads;          // 1: one thread; more: OpenMP
} tune_cpu_options;

typedef struct tune_cpu_lowering tune_cpu_lowering;

// Errors as tune_llvm_target_init's. mlirRegisterAllPasses must have been called, and `context`
// have the LLVM translations registered.
tune_status tune_cpu_lowering_create(MlirContext context, const tune_cpu_options *options,
                                     tune_cpu_lowering **out_lowering);
void tune_cpu_lowering_destroy(tune_cpu_lowering *lowering);

// Lowers the entry of what is ordered. Failures of passes carry their diagnostics.
tune_status tune_cpu_lowering_run(tune_cpu_lowering *lowering, const tune_build_order *order,
                                  tune_code *out_code);

// Lowers all of `module` to the LLVM dialect, for one that is to stay a module: its public
// functions keep the interface that bufferization gives them, memory is from the runtime. Of the
// decisions about the backend (llvm.h) the LLVM dialect can express the vector width; the others
// end here.
tune_status tune_cpu_lowering_run_module(tune_cpu_lowering *lowering, MlirOperation module);

// Runs the whole way once on a payload of two lines, so that what MLIR and LLVM initialise on first
// use is there before children are forked.
tune_status tune_cpu_lowering_warm_up(tune_cpu_lowering *lowering);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_CPU_H
