//===- report.h - Reports of a benchmark -------------------------------------===//
//
// docs/tune-run.md lists the keys of the JSON; they stay.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_RUN_REPORT_H
#define TUNE_TOOLS_TUNE_RUN_REPORT_H

#include "tools/tune-run/benchmark.h"

#include <stdio.h>

// Both fail where the stream cannot be written to.
tune_status report_text(const benchmark *b, FILE *stream);
tune_status report_json(const benchmark *b, FILE *stream);

// Of both: the least and the most seconds of a sample.
void report_range(const tune_times *times, double *out_minimum, double *out_maximum);

// Writes where the schedules of `tasks` of an opened module are from: "3 tasks (2 by the database,
// 1 by default)", and ends the line.
void report_tasks(const tune_described_task_list *tasks, FILE *stream);

// A task of a module that was built to time them (--profile), in a run.
typedef struct report_profile_row {
  const char *name; // of the task, borrowed
  double seconds;   // all calls
  double calls;
  double roofline_seconds; // what these take at best; NAN where that is not known
} report_profile_row;

typedef struct report_profile {
  report_profile_row *rows; // that with the most seconds first
  size_t count;             // 0: nothing was timed so
  double between;           // seconds that no task has
} report_profile;

// Of subject `index`; to be deinitialised in any case.
tune_status report_list_profile(const benchmark *b, size_t index, report_profile *out_profile);
void report_profile_deinit(report_profile *profile);
// As a table; nothing where nothing was timed so.
tune_status report_print_profile(const benchmark *b, size_t index, FILE *stream);

#endif // TUNE_TOOLS_TUNE_RUN_REPORT_H
