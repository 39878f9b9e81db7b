//===- conditions.h - Conditions of measuring, read from the system ----------===//
//
// A time is worth what the machine was like: which CPUs measured, who holds their clock rate,
// how much else ran. From the system's counters (/proc/stat) and settings (/sys); what these
// do not tell is not known, and nothing is found there.
//
// Threads: any.
//
//===--------------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_EVALUATORS_CONDITIONS_H
#define TUNE_TUNING_EVALUATORS_CONDITIONS_H

#include "support/string_builder.h"
#include "tuning/evaluators/cores.h"
#include "tuning/record/kept_conditions.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

// At one moment.
typedef struct tune_conditions {
  bool has_counters;                      // those in seconds of CPU time since the system began:
  double all_busy, all_total;             // of all CPUs
  double own_busy, own_total, own_stolen; // of those that measure
  size_t cpu_count;
  double program_seconds; // of CPU time that this process and children of it that ended have taken
  double load;            // mean of the last minute; below 0: not known
  double others_busy;     // CPUs that other programs kept busy just before; below 0: not known
  char governor[TUNE_CONDITIONS_GOVERNOR_SIZE]; // of the CPUs that measure, "mixed" where they
                                                // differ; "": not known
} tune_conditions;

void tune_conditions_read(const tune_cores *cores, tune_conditions *out_conditions);

// The functions below append a text to `warnings`, an array, about each thing that makes times
// unsteady.

// Reads the conditions after a moment (0.1 s) in which this program does nothing: other programs
// that keep the machine busy, a clock rate that is not held.
void tune_conditions_look_around(const tune_cores *cores, tune_conditions *out_conditions,
                                 json_t *warnings);
// What `before` and a moment 0.1 s later tell of other programs.
void tune_conditions_find_others(const tune_conditions *before, const tune_conditions *after,
                                 size_t measuring, json_t *warnings);
// Between the two: time taken by the hypervisor.
void tune_conditions_find_stolen(const tune_conditions *before, const tune_conditions *after,
                                 json_t *warnings);
// The same of other programs, where all that this one started between the two has ended.
void tune_conditions_find_company(const tune_conditions *before, const tune_conditions *after,
                                  json_t *warnings);

// What records keep of it: `before` is when a search began, by look_around, `now` when one of its
// sessions does.
void tune_conditions_keep(const tune_conditions *before, const tune_conditions *now,
                          const tune_cores *cores, tune_kept_conditions *out_kept);

// "CPUs 2-3, governor performance, load 0.25".
void tune_conditions_append(const tune_conditions *conditions, const tune_cores *cores,
                            tune_string_builder *text);
// {"cpus": [2, 3], "governor": "performance", "load": [0.25, 0.5]}; null for what is not known.
// NULL where memory ran out.
json_t *tune_conditions_to_json(const tune_conditions *before, const tune_conditions *after,
                                const tune_cores *cores);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_EVALUATORS_CONDITIONS_H
