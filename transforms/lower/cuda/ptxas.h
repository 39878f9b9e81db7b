//===- ptxas.h - NVIDIA's assembler, where it is here ------------------------===//
//
// A driver assembles PTX when it loads it. The toolkit's assembler does the same without a GPU: it
// says how many registers code takes, and how much of it spills, before anything is measured. It is
// a program of its own (NVIDIA's, of the CUDA toolkit, or of PyPI's nvidia-cuda-nvcc): everything
// but cubins works without it.
//
// Threads: immutable once made; a run starts a process.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CUDA_PTXAS_H
#define TUNE_TRANSFORMS_LOWER_CUDA_PTXAS_H

#include "support/status.h"
#include "transforms/lower/common/code_report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_ptxas tune_ptxas;

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
                           tune_jit_options told, tune_kernel_resources *out_report,
                           char **out_cubin, size_t *out_size);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CUDA_PTXAS_H
