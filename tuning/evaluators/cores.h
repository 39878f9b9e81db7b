//===- cores.h - Choice of cores for measuring and for building --------------===//
//
// What is being timed has its cores to itself. Of the cores that this process may use, the
// last ones measure, since the first ones get more of the system's interrupts; the others
// build, except those that share a physical core with one that measures.
//
// Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_EVALUATORS_CORES_H
#define TUNE_TUNING_EVALUATORS_CORES_H

#include "support/status.h"

#include <jansson.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_cores {
  int *measure;         // CPU numbers; owned
  size_t measure_count; // as many as there are threads to measure with
  int *build;           // owned
  size_t build_count;   // at least 1
  size_t beside_count; // the first so many of `build` are neither measured on nor share a core with
                       // one that is
  bool are_shared;     // no core is left for building alone: builds and measurements alternate,
                       // and `build` are all cores
} tune_cores;

// INVALID_ARGUMENT where `threads` is 0 or more than there are cores.
tune_status tune_cores_init(tune_cores *cores, size_t threads);
void tune_cores_deinit(tune_cores *cores);
// Has builds run on all cores, in turns with measurements: where there is little to measure.
tune_status tune_cores_share(tune_cores *cores);

// The same for a machine with `count` usable CPUs; core_of[i] names the physical core of cpus[i].
// For tests, and for tune_cores_init.
tune_status tune_cores_assign(tune_cores *cores, size_t threads, const int *cpus,
                              const int *core_of, size_t count);

// CPU numbers as an array, a new reference. NULL where memory ran out.
json_t *tune_cores_list_to_json(const int *cpus, size_t count);

// The physical core of a CPU: the first CPU of those that share it. Where the system does not say,
// each CPU is a core; it is an error only where there are no descriptors or no memory to ask it.
tune_status tune_cores_find_core(int cpu, int *out_core);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_EVALUATORS_CORES_H
