//===- cpu_models.h - CPUs that code is made for by name ----------------------===//
//
// "cpu:znver4": a CPU that need not be here, by the name that LLVM knows it under. What it has of
// instructions is LLVM's (cpu_list.h). Caches are those of one of its machines where they are
// known, else those of none in particular: 32 KiB of L1, 512 KiB of L2 and 16 MiB of L3 for eight
// cores. The vectors of AArch64 are NEON's, also where there is SVE, whose length is known at run
// time only.
//
// Threads: any; the table is constant.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FORMATS_CPU_MODELS_H
#define TUNE_FORMATS_CPU_MODELS_H

#include "formats/fingerprint.h"
#include "support/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// NOT_FOUND with names that are near, where LLVM knows no CPU called `name`.
tune_status tune_cpu_model_check(const char *name);

// The fingerprint of a CPU called `name`, with "cpu" and "triple". Errors as above.
tune_status tune_cpu_model_describe(const char *name, tune_fingerprint *out_fingerprint);

// Fills in what follows from the features of a CPU: registers, and which instructions rules ask
// for.
void tune_cpu_model_read_vectors(tune_fingerprint *fingerprint);

#ifdef __cplusplus
}
#endif

#endif // TUNE_FORMATS_CPU_MODELS_H
