//===- code_report.h - Forms of code, and the report of making it ------------===//
//
// What all ways of lowering share with who asks for code: how far to go, what it took, what the
// code needs, and what whoever compiles it later is to be told.
//
// Threads: plain values.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_CODE_REPORT_H
#define TUNE_TRANSFORMS_LOWER_COMMON_CODE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// How far a run goes.
typedef enum tune_emit {
  TUNE_EMIT_MLIR,     // the LLVM dialect, as text
  TUNE_EMIT_LLVM,     // optimised LLVM IR, as text
  TUNE_EMIT_ASSEMBLY, //
  TUNE_EMIT_CUBIN,    // a device program of machine code where it would be PTX: of CUDA alone
  TUNE_EMIT_OBJECT,   //
} tune_emit;

// What a kernel takes of a device, as its assembler says; the most of all kernels in a text.
typedef struct tune_kernel_resources {
  int64_t registers;    // of 32 bits, of an invocation
  int64_t spilled;      // bytes written to memory for want of them, of an invocation
  int64_t stack;        // bytes of an invocation's frame, what is spilled among them
  int64_t shared_bytes; // static, of a group
  bool serializes;      // products of four warps (wgmma) wait for each other
} tune_kernel_resources;

// What a driver's compiler of PTX can be told (CU_JIT_OPTIMIZATION_LEVEL, CU_JIT_CACHE_MODE).
typedef struct tune_jit_options {
  int64_t opt_level;      // 1 to 4; 0: nothing is said, which is 4
  const char *load_cache; // of loads of what the kernel writes, too: "ca" or "cg"; NULL: not said
} tune_jit_options;

// What a function computes in between lies in one block of memory (cpu/arena/arena.h); in bytes.
typedef struct tune_arena_report {
  int64_t size;     // of the block; 0: there is none
  int64_t bound;    // of what is needed at once: no block is smaller
  int64_t separate; // of all buffers, each by itself until the function, or the call, ends
} tune_arena_report;

// What there is to say of a run. Times are in seconds.
typedef struct tune_code_report {
  double transform; // deciding and applying the schedule (transforms/build/build.h)
  double lower;     // MLIR passes and translation
  double optimize;  // LLVM's optimiser
  double codegen;   //
  // cpu/entry.h: the code has tune_prepack, which has to be called once; it packs constants of its
  // own when it is loaded.
  bool packs_ahead, packs_at_load;
  tune_arena_report arena; // of the function whose block is largest
  // Of a program for CUDA: what the kernel takes that takes most of each, with the shared memory
  // that its launch asks for; no registers where there is no assembler.
  tune_kernel_resources assembled;
} tune_code_report;

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_CODE_REPORT_H
