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
// Has tune-measure run the artifacts of `count` subjects from `first` on, and time each for
// `seconds`.
// `*out_run` borrows of `*out_reply`; both are the caller's.
tune_status measurement_run(const benchmark *b, size_t first, size_t count, double seconds,
                            json_t **out_reply, tune_run_reply *out_run);

#endif // TUNE_TOOLS_TUNE_RUN_MEASUREMENT_H
