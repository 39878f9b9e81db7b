//===- cpu_features.h - Code for a CPU that is known by its fingerprint ----------------===//

#ifndef TUNE_TUNING_CPU_FEATURES_H
#define TUNE_TUNING_CPU_FEATURES_H

#include "support/status.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

// What LLVM is to be told of an x86-64 CPU with `fingerprint` (targets/fingerprint.h, whose
// features have Linux' names): "+avx2,+fma,…", for the CPU "x86-64". free() it. FAILED_PRECONDITION
// for a CPU that is none.
tune_status tune_cpu_features_to_llvm(const json_t *fingerprint, char **out_features);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_CPU_FEATURES_H
