//===- pinning.c - The CPUs that a target's threads run on --------------------------===//

#include "targets/pinning.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static tune_status check_cpus(const tune_target_options *options, size_t threads) {
  if (options->cpu_count < threads)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%zu threads cannot be pinned to %zu CPUs",
                            threads, options->cpu_count);
  for (size_t i = 0; i < options->cpu_count; ++i)
    if (options->cpus[i] < 0 || options->cpus[i] >= CPU_SETSIZE)
      return tune_status_make(TUNE_INVALID_ARGUMENT, "no CPU %d", options->cpus[i]);
  return TUNE_OK;
}

// The first `count` CPUs this process may run on.
static tune_status pick_cpus(int *cpus, size_t count) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return tune_status_from_errno(errno, "asking for the CPUs of this process");
  size_t found = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE && found < count; ++cpu)
    if (CPU_ISSET(cpu, &set))
      cpus[found++] = cpu;
  if (found < count)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "%zu threads, but this process may run on %zu CPUs only", count, found);
  return TUNE_OK;
}

tune_status tune_pinning_choose(const tune_target_options *options, int **out_cpus,
                                size_t *out_count) {
  *out_cpus = NULL;
  *out_count = 0;
  size_t threads = options->threads ? options->threads : 1;
  if (options->cpus)
    TUNE_RETURN_IF_ERROR(check_cpus(options, threads));
  if (threads > CPU_SETSIZE)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%zu threads are too many", threads);
  int *cpus = calloc(threads, sizeof *cpus);
  if (!cpus)
    return tune_status_out_of_memory("pinning threads");
  tune_status status = TUNE_OK;
  if (options->cpus)
    memcpy(cpus, options->cpus, threads * sizeof *cpus);
  else
    status = pick_cpus(cpus, threads);
  if (!tune_status_is_ok(status)) {
    free(cpus);
    return status;
  }
  *out_cpus = cpus;
  *out_count = threads;
  return TUNE_OK;
}

tune_status tune_pinning_apply(const int *cpus, size_t count) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (size_t i = 0; i < count; ++i)
    CPU_SET(cpus[i], &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0)
    return tune_status_from_errno(errno, "pinning to CPU %d%s", cpus[0],
                                  count > 1 ? " and others" : "");
  return TUNE_OK;
}
