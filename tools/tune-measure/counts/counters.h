//===- counters.h - Performance counters of a run ----------------------------===//
//
// Cycles, instructions, misses of the last cache and of branches by perf_event_open(2), in user
// mode, of this thread and all that it starts later; floating-point operations by events of the
// processor's own (flop_events.h); page faults in the same way, and how often other work took the
// processor (getrusage(2)). Kernels have them where they let users have them
// (/proc/sys/kernel/perf_event_paranoid), and where there are any: most virtual machines have none
// of the processor's.
//
// A processor counts some four events at once, so they are shared out to passes, and the kernel
// runs as often in each. Where others count meanwhile, and the kernel has to take turns, what was
// counted is scaled up to the time that it ran.
//
// Threads: one.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_COUNTS_COUNTERS_H
#define TUNE_TOOLS_TUNE_MEASURE_COUNTS_COUNTERS_H

#include "support/status.h"
#include "tools/tune-measure/counts/flop_events.h"
#include "tuning/record/counts.h"

#include <jansson.h>
#include <stdint.h>

// Events that each pass counts of the processor's at most.
#define COUNTERS_OF_PASS 4
#define COUNTERS_EVENT_LIMIT (COUNTERS_OF_PASS + 1 + FLOP_EVENT_LIMIT)
#define COUNTERS_PASS_LIMIT 3

typedef struct counters_event {
  tune_count_kind kind;
  double weight; // what one of them counts for
  size_t pass;
  int fd;    // -1: not to be had
  int error; // errno then
} counters_event;

typedef struct counters {
  counters_event events[COUNTERS_EVENT_LIMIT];
  size_t event_count;
  cpu_identity cpu;
  int64_t switches, switches_before;  // in the first pass
  uint64_t runs[COUNTERS_PASS_LIMIT]; // counted
} counters;

// Before threads are started that are to be counted. `cpu` is what this runs on: it decides what
// counts FLOPs.
void counters_open(counters *c, const cpu_identity *cpu);
void counters_close(counters *c);

// How many passes there are, at least 1.
size_t counters_pass_count(const counters *c);
// Counts from here to counters_stop, in which the kernel runs `runs` times, what is of `pass`.
void counters_start(counters *c, size_t pass);
void counters_stop(counters *c, size_t pass, uint64_t runs);

// For one run, in the mean, by the names of tune_count_kind: {"cycles": n, "instructions": n, …};
// what is not to be had is null, and "missing" says why. FAILED_PRECONDITION before each pass was
// counted.
tune_status counters_to_json(const counters *c, json_t **out_object);

#endif // TUNE_TOOLS_TUNE_MEASURE_COUNTS_COUNTERS_H
