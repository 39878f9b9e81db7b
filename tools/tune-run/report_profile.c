//===- report_profile.c - Where the time of a module goes ---------------------------===//
//
// What each task takes in place, by the clock that the module reads around its calls
// (transforms/lower/cpu/backend/task_times.h).
//
//===--------------------------------------------------------------------------===//

#include "tools/tune-run/report.h"

#include "formats/task_function.h"
#include "support/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const tune_described_task *find_task(const tune_described_task_list *tasks,
                                            const char *function) {
  size_t index = tune_task_function_index(function);
  return index < tasks->count ? &tasks->items[index] : NULL;
}

// What a call takes at best; NAN where that is not known.
static double roofline_seconds(const benchmark *b, const tune_described_task *task) {
  if (!b->facts->roofline || task->empty || !(task->bytes > 0))
    return NAN;
  tune_roofline_work work = {.type = task->type,
                             .flops = (double)task->flops,
                             .bytes = (double)task->bytes,
                             .flushes_cache = b->facts->flushes_cache};
  double seconds = tune_roofline_find_place(b->facts->roofline, &work).seconds;
  return seconds > 0 ? seconds : NAN;
}

static int by_seconds(const void *a, const void *b) {
  double one = ((const report_profile_row *)a)->seconds;
  double other = ((const report_profile_row *)b)->seconds;
  return one < other ? 1 : one > other ? -1 : 0;
}

// The row of `name`, a new one where there is none.
static report_profile_row *find_row(report_profile *profile, const char *name) {
  for (size_t i = 0; i < profile->count; i++)
    if (profile->rows[i].name == name)
      return &profile->rows[i];
  profile->rows[profile->count] = (report_profile_row){.name = name, .roofline_seconds = NAN};
  return &profile->rows[profile->count++];
}

tune_status report_list_profile(const benchmark *b, size_t index, report_profile *out_profile) {
  const tune_measure_reply *result = benchmark_result(b, index);
  *out_profile = (report_profile){.count = 0};
  if (!result || result->tasks.count == 0)
    return TUNE_OK;
  out_profile->rows = calloc(result->tasks.count, sizeof *out_profile->rows);
  if (!out_profile->rows)
    return tune_status_out_of_memory("reporting");
  out_profile->between = result->times.median;
  for (size_t i = 0; i < result->tasks.count; i++) {
    const tune_task_seconds *said = &result->tasks.items[i];
    const tune_described_task *task =
        find_task(&b->subjects[index].opened.module.tasks, said->name);
    report_profile_row *row = find_row(out_profile, task ? task->name : said->name);
    // Of what threads did at once that of one counts.
    double at_once = task && task->at_once > 1 ? (double)task->at_once : 1;
    row->seconds += said->seconds / at_once;
    row->calls += said->calls;
    if (task)
      row->roofline_seconds = row->calls * roofline_seconds(b, task);
    out_profile->between -= said->seconds / at_once;
  }
  qsort(out_profile->rows, out_profile->count, sizeof *out_profile->rows, by_seconds);
  return TUNE_OK;
}

void report_profile_deinit(report_profile *profile) { free(profile->rows); }

tune_status report_print_profile(const benchmark *b, size_t index, FILE *stream) {
  report_profile profile;
  TUNE_RETURN_IF_ERROR(report_list_profile(b, index, &profile));
  double median = benchmark_median(b, index);
  if (profile.count > 0)
    fprintf(stream, "  %8s  %9s  %6s  %8s  %s\n", "share", "time", "calls", "roofline", "task");
  for (size_t i = 0; i < profile.count; i++) {
    const report_profile_row *row = &profile.rows[i];
    double share = row->roofline_seconds / row->seconds;
    fprintf(stream, "  %8s  %9s  %6.4g  %8s  %s\n", tune_figure_percent(row->seconds / median).text,
            tune_figure_seconds(row->seconds).text, row->calls,
            isfinite(share) ? tune_figure_percent(share).text : "-", row->name);
  }
  if (profile.count > 0 && profile.between > 0)
    fprintf(stream, "  %8s  %9s  %6s  %8s  %s\n",
            tune_figure_percent(profile.between / median).text,
            tune_figure_seconds(profile.between).text, "", "", "between tasks");
  report_profile_deinit(&profile);
  return TUNE_OK;
}
