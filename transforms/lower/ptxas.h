//===- ptxas.h - NVIDIA's assembler, where it is here -----------------------------------===//
//
// A driver assembles PTX when it loads it. The toolkit's assembler does the same without a GPU: it
// says how many registers code takes, and how much of it spills, before anything is measured. It is
// a program of its own (NVIDIA's, of the CUDA toolkit, or of PyPI's nvidia-cuda-nvcc): everything
// but cubins works without it.
//
// Threads: immutable once made; a run starts a process.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_PTXAS_H
#define TUNE_TRANSFORMS_LOWER_PTXAS_H

#include "support/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_ptxas tune_ptxas;

// What a kernel takes; the most of all kernels in the text.
typedef struct tune_ptxas_report {
  int64_t registers;    // of 32 bits, of an invocation
  int64_t spilled;      // bytes written to memory for want of them, of an invocation
  int64_t stack;        // bytes of an invocation's frame, what is spilled among them
  int64_t shared_bytes; // static, of a group
  bool serializes;      // products of four warps (wgmma) wait for each other
} tune_ptxas_report;

// What a driver's compiler can be told as well (CU_JIT_OPTIMIZATION_LEVEL, CU_JIT_CACHE_MODE).
typedef struct tune_ptxas_options {
  int64_t opt_level;      // 1 to 4; 0: nothing is said, which is 4
  const char *load_cache; // of loads of what the kernel writes, too: "ca" or "cg"; NULL: not said
} tune_ptxas_options;

// Looks for it: $TUNE_PTXAS, $CUDA_HOME/bin, the PATH, /usr/local/cuda/bin. UNAVAILABLE says where
// it looked and what to install.
tune_status tune_ptxas_create(tune_ptxas **out_ptxas);
// That UNAVAILABLE.
tune_status tune_ptxas_refuse(void);
void tune_ptxas_destroy(tune_ptxas *ptxas);

// Assembles `text` for compute capability `arch` (90: sm_90, or sm_90a where its target says so).
// `*out_cubin` (free() it) may be NULL where only the report is wanted. INVALID_ARGUMENT with what
// the assembler said.
tune_status tune_ptxas_run(const tune_ptxas *ptxas, const char *text, size_t size, int arch,
                           tune_ptxas_options told, tune_ptxas_report *out_report, char **out_cubin,
                           size_t *out_size);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_PTXAS_H
