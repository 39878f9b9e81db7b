//===- pinning.h - The CPUs that a target's threads run on --------------------------===//
//
// Threads: changes the calling thread; those that it starts afterwards inherit it.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_PINNING_H
#define TUNE_TARGETS_PINNING_H

#include "targets/target.h"

#ifdef __cplusplus
extern "C" {
#endif

// The CPUs that `options` ask for: one for each of its threads, of which there is one at least.
// `*out_cpus` is to be freed. INVALID_ARGUMENT for more threads than CPUs, or a CPU that cannot be.
tune_status tune_pinning_choose(const tune_target_options *options, int **out_cpus,
                                size_t *out_count);
// Lets the calling thread run on `cpus` only.
tune_status tune_pinning_apply(const int *cpus, size_t count);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TARGETS_PINNING_H
