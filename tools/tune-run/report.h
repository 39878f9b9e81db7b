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

#endif // TUNE_TOOLS_TUNE_RUN_REPORT_H
