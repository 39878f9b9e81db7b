//===- measure_run.h - An export, its results so far, and the device here -----------------===//
//
// What measure_file.c has throughout: the export is read and fits the device that is here, and the
// file of results is of the same export, machine and device, whether it was begun before or now.
//
// Threads: one.
//
//===--------------------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_MEASURE_RUN_H
#define TUNE_TOOLS_TUNE_MEASURE_MEASURE_RUN_H

#include "formats/measure_requests.h"
#include "support/progress.h"
#include "support/scratch.h"
// Before our own `task`, which names in them would hide.
#include "tuning/remote/export_file.h"
#include "tuning/remote/results_file.h"

#include "tools/tune-measure/child.h"
#include "tools/tune-measure/measure_file.h"

typedef struct measure_run {
  const measure_file_options *options;
  tune_export *exported;
  tune_results *results;
  tune_scratch *scratch;
  tune_progress *progress;
  tune_int_list cpus;
  json_t *fingerprint; // of the device here
  tune_digest digest;  // that records go by
  bool has_told_counters;
  bool has_told_waiting;

  // Of the task being measured.
  const tune_exported_task *task;
  const char *key, *schedule;
  size_t number;         // the first is 0
  double best;           // seconds; 0: none
  const json_t **trials; // of each artifact, the first one; borrowed from the results
  tune_progress_state shown;
} measure_run;

// Reads the export, looks at the device and begins the results, or goes on with those that are
// there; statuses as of measure_file. The run is to be ended after a failure too.
tune_status measure_run_begin(const measure_file_options *options, measure_run *out_run);
void measure_run_end(measure_run *r);

// The text `name` of `object`; "" where there is none.
const char *measure_run_text(const json_t *object, const char *name);
// What is measured on.
tune_place measure_run_place(const measure_run *r);
bool measure_run_flushes_cache(const measure_run *r);
// Of a child: tells users of waiting for others that time on the same cores.
child_watch measure_run_watch(measure_run *r);

#endif // TUNE_TOOLS_TUNE_MEASURE_MEASURE_RUN_H
