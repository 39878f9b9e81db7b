//===- measure_file.h - Measuring candidates that were made elsewhere ---------------------===//
//
// An export (tuning/remote/export_file.h) goes in, results (tuning/remote/results_file.h) come out:
// what tune-measure FILE does. Each candidate is checked and timed as for a driver, and is in the
// results before the next one begins; one that is there already is not measured again.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_MEASURE_FILE_H
#define TUNE_TOOLS_TUNE_MEASURE_MEASURE_FILE_H

#include "support/status.h"

typedef struct measure_file_options {
  const char *path;   // of the export
  const char *output; // of the results; NULL: the export's, with the ending .results
  const char *device; // of the export's target; NULL: whichever it takes
  const char *cpus;   // "2,3": to pin to; NULL: the last ones that this process may use
} measure_file_options;

// Progress goes to stderr. INVALID_ARGUMENT and DATA_LOSS for files that are not what they should
// be, UNAVAILABLE, NOT_FOUND and FAILED_PRECONDITION where they are not for this machine or this
// program: nothing was run then, and results that were there are as they were. INTERNAL where the
// reference of a task failed; the other tasks were measured.
tune_status measure_file(const measure_file_options *options);

#endif // TUNE_TOOLS_TUNE_MEASURE_MEASURE_FILE_H
