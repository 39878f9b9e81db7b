//===- counters.h - What the processor counted while a kernel ran -----------------------===//
//
// Cycles, instructions, misses of the last cache and of branches by perf_event_open(2), in user
// mode, of this thread and all that it starts later; page faults in the same way, and how often
// other work took the processor (getrusage(2)). Kernels have them where they let users have them
// (/proc/sys/kernel/perf_event_paranoid), and where there are any: most virtual machines have none
// of the processor's.
//
// A processor counts some four events at once. Where it has to take turns, what was counted is
// scaled up to the time that it ran.
//
// Threads: one.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_COUNTERS_H
#define TUNE_TOOLS_TUNE_MEASURE_COUNTERS_H

#include "support/status.h"

#include <jansson.h>
#include <stdint.h>

typedef enum counter_kind {
  COUNTER_CYCLES,
  COUNTER_INSTRUCTIONS,
  COUNTER_CACHE_MISSES,
  COUNTER_BRANCH_MISSES,
  COUNTER_PAGE_FAULTS,
} counter_kind;

#define COUNTER_KINDS (COUNTER_PAGE_FAULTS + 1)

typedef struct counters {
  int fds[COUNTER_KINDS];    // -1: not to be had
  int errors[COUNTER_KINDS]; // errno of those
  int64_t switches, switches_before;
  uint64_t runs; // counted
} counters;

// Before threads are started that are to be counted.
void counters_open(counters *c);
void counters_close(counters *c);

// Counts from here to counters_stop, in which the kernel runs `runs` times.
void counters_start(counters *c);
void counters_stop(counters *c, uint64_t runs);

// For one run, in the mean: {"cycles": n, "instructions": n, "cache_misses": n, "branch_misses": n,
// "page_faults": n, "context_switches": n}; what is not to be had is null, and "missing" says why.
// FAILED_PRECONDITION before the first run.
tune_status counters_to_json(const counters *c, json_t **out_object);

#endif // TUNE_TOOLS_TUNE_MEASURE_COUNTERS_H
