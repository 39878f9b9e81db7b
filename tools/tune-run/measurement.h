//===- measurement.h - Asking tune-measure to check and time artifacts -------===//
//
// Threads: one.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_RUN_MEASUREMENT_H
#define TUNE_TOOLS_TUNE_RUN_MEASUREMENT_H

#include "formats/measure_requests.h"
#include "tools/tune-run/benchmark.h"

// How outputs of the benchmark's modules are compared.
tune_check_wanted measurement_check(const benchmark *b);

typedef struct measured_subjects {
  size_t first, count;
  double seconds; // for which each is timed
  bool is_tried;  // one that may not be what the benchmark ends with: no outputs are written
} measured_subjects;

// Has tune-measure run, check and time the artifacts of some subjects; the outputs that the
// settings want are those of the first. `*out_run` borrows of `*out_reply`; both are the caller's.
tune_status measurement_run(const benchmark *b, const measured_subjects *of, json_t **out_reply,
                            tune_run_reply *out_run);

#endif // TUNE_TOOLS_TUNE_RUN_MEASUREMENT_H
