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

// Helpers of both. Seconds of one sample; `name` is a member of a result that is a number.
double report_number(const json_t *result, const char *name);
void report_range(const json_t *result, double *out_minimum, double *out_maximum);

// Writes where the schedules of `tasks` of an opened module are from: "3 tasks (2 by the database,
// 1 by default)", and ends the line.
void report_tasks(const json_t *tasks, FILE *stream);

#endif // TUNE_TOOLS_TUNE_RUN_REPORT_H
