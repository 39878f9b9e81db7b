//===- cpu_features.h - Target features of a CPU, from its fingerprint -------===//

#ifndef TUNE_TUNING_DEVICE_CPU_FEATURES_H
#define TUNE_TUNING_DEVICE_CPU_FEATURES_H

#include "support/status.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

// What LLVM is to be told of an x86-64 CPU with `fingerprint` (formats/fingerprint.h, whose
// features have Linux' names): "+avx2,+fma,…", for the CPU "x86-64". free() it. FAILED_PRECONDITION
// for a CPU that is none.
tune_status tune_cpu_features_to_llvm(const json_t *fingerprint, char **out_features);

// What references are made for that are to run where the target is a device: on a CPU of this
// machine's architecture as servers have had for ten years, since half-precision numbers are
// converted by it. "x86-64-v3", as LLVM calls it, and "generic" for others.
const char *tune_cpu_reference_name(void);
// What of it not every CPU of the architecture has, as fingerprints name it: a new reference.
json_t *tune_cpu_reference_features(void);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_DEVICE_CPU_FEATURES_H
