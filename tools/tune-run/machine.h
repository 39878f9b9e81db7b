//===- machine.h - What disturbs a measurement --------------------------------------===//
//
// Looks at the system's counters (/proc/stat) and settings (/sys) for what makes times
// unsteady. Where the system does not tell, nothing is found.
//
// Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_RUN_MACHINE_H
#define TUNE_TOOLS_TUNE_RUN_MACHINE_H

#include "support/status.h"
#include "tuning/evaluators/cores.h"

#include <jansson.h>

// Counters at one moment, of all CPUs and of those that measure.
typedef struct machine_counters {
  double all_busy, all_total; // in the system's ticks, over all CPUs
  double own_busy, own_total, own_stolen;
  long cpu_count;
  bool are_known;
} machine_counters;

machine_counters machine_read_counters(const tune_cores *cores);

// Waits a moment in which this program does nothing, and appends to `warnings`, an array, a text
// about each thing that will disturb what is measured next: other programs that keep the machine
// busy, a clock rate that is not held.
void machine_look_around(const tune_cores *cores, json_t *warnings);
// The same about what happened since `before`: time taken by the hypervisor.
void machine_look_back(const tune_cores *cores, const machine_counters *before, json_t *warnings);

#endif // TUNE_TOOLS_TUNE_RUN_MACHINE_H
