//===- cpu_flush.h - Emptying the caches of CPUs ---------------------------------------===//
//
// A run that comes after other work finds its data in memory, not in the caches that the run before
// filled. What makes it so is to read something else: twice what the caches hold, since they do not
// drop what is oldest but about that. It is read and not written, or the run would pay for writing
// it back.
//
// Threads: one thread at a time.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_CPU_CPU_FLUSH_H
#define TUNE_TARGETS_CPU_CPU_FLUSH_H

#include "targets/fingerprint.h"

#ifdef __cplusplus
extern "C" {
#endif

// Zeroes at first.
typedef struct cpu_flush {
  unsigned char *bytes; // NULL before the first use
  size_t size;
} cpu_flush;

// Empties the caches of `cpus`, to which the calling thread is pinned. OUT_OF_MEMORY.
tune_status cpu_flush_run(cpu_flush *flush, const tune_fingerprint *fingerprint, const int *cpus,
                          size_t cpu_count);
void cpu_flush_deinit(cpu_flush *flush);

// Twice the largest cache that `fingerprint` has, in bytes.
size_t cpu_flush_bytes(const tune_fingerprint *fingerprint);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TARGETS_CPU_CPU_FLUSH_H
