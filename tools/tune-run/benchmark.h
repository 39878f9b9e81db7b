//===- benchmark.h - Modules built, checked and timed ------------------------------===//
//
// What a call of tune-run does, in order: the modules are opened and built, the machine is
// looked at, and tune-measure runs all of them in turns. What comes of it stays here for
// the reports.
//
// Threads: one.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_RUN_BENCHMARK_H
#define TUNE_TOOLS_TUNE_RUN_BENCHMARK_H

#include "formats/measure_replies.h"
#include "support/scratch.h"
#include "tools/tune-run/expected.h"
#include "tools/tune-run/figures.h"
#include "tools/tune-run/settings.h"
#include "tools/tune-run/subject.h"
#include "tuning/evaluators/conditions.h"

typedef struct benchmark {
  const run_settings *settings; // borrowed
  tune_target_facts *facts;     // owned
  char *database;               // NULL: none
  tune_cores cores;
  tune_conditions before, after; // the measurement
  tune_connection *worker, *measurer;
  tune_scratch *scratch;
  subject *subjects; // the module and those that it is compared with
  size_t subject_count;
  given_arrays inputs;
  expected_outputs *expected; // NULL: nothing is
  char *reference;            // path of the plain lowering; NULL where nothing is checked
  json_t *reply;              // tune-measure's
  tune_run_reply run;         // what that says
  json_t *warnings, *notes;   // arrays of texts for people
} benchmark;

// Builds, checks and times. `facts` are those of the settings' target and become the benchmark's,
// whatever happens. A result that is wrong is not a failure; what is wrong with the input is.
tune_status benchmark_run(const run_settings *settings, tune_target_facts *facts,
                          benchmark **out_benchmark);
void benchmark_destroy(benchmark *b);

// The result of subject `index`, or NULL where it was not timed.
const tune_measure_reply *benchmark_result(const benchmark *b, size_t index);
// Its median, in seconds; 0 where it was not timed.
double benchmark_median(const benchmark *b, size_t index);
// The verdict on subject `index` and, where it is not "ok", why (else NULL). Borrowed.
const char *benchmark_verdict(const benchmark *b, size_t index, const char **out_error);
// Whether all verdicts are good.
bool benchmark_is_ok(const benchmark *b);
// Work and traffic of subject `index`.
figures benchmark_figures(const benchmark *b, size_t index);

#endif // TUNE_TOOLS_TUNE_RUN_BENCHMARK_H
