//===- task_times.c -----------------------------------------------------------------------===//

#include "tools/tune-measure/counts/task_times.h"

#include "tuning/measure/statistics.h"

#include <stdlib.h>
#include <string.h>

static void reset(tune_kernel *kernel) {
  for (tune_task_time *t = kernel->task_times; t && t->name; t++)
    t->nanoseconds = t->calls = 0;
}

tune_status task_times_begin(task_times *times, tune_kernel *kernel) {
  *times = (task_times){.is_on = true};
  while (kernel->task_times && kernel->task_times[times->task_count].name)
    times->task_count++;
  times->calls = calloc(times->task_count + 1, sizeof *times->calls);
  reset(kernel);
  return times->calls ? TUNE_OK : tune_status_out_of_memory("timing tasks");
}

tune_status task_times_add(task_times *times, tune_kernel *kernel, uint64_t repeats) {
  if (!times->is_on || times->task_count == 0)
    return TUNE_OK;
  if (times->count == times->room) {
    size_t room = times->room ? 2 * times->room : 64;
    double *grown = realloc(times->samples, room * times->task_count * sizeof *grown);
    if (!grown)
      return tune_status_out_of_memory("timing tasks");
    times->samples = grown;
    times->room = room;
  }
  double *sample = times->samples + times->count++ * times->task_count;
  for (size_t i = 0; i < times->task_count; i++) {
    sample[i] = (double)kernel->task_times[i].nanoseconds * 1e-9 / (double)repeats;
    times->calls[i] += kernel->task_times[i].calls;
  }
  times->runs += repeats;
  reset(kernel);
  return TUNE_OK;
}

static tune_status find_median(const task_times *times, size_t task, double *scratch,
                               double *out_median) {
  tune_summary summary;
  for (size_t i = 0; i < times->count; i++)
    scratch[i] = times->samples[i * times->task_count + task];
  TUNE_RETURN_IF_ERROR(tune_statistics_summarize(scratch, times->count, &summary));
  *out_median = summary.median;
  return TUNE_OK;
}

tune_status task_times_end(task_times *times, const tune_kernel *kernel,
                           tune_task_seconds_list *out_list) {
  times->is_on = false;
  *out_list = (tune_task_seconds_list){.count = 0};
  if (times->count == 0)
    return TUNE_OK;
  double *scratch = malloc(times->count * sizeof *scratch);
  out_list->items = calloc(times->task_count, sizeof *out_list->items);
  if (!scratch || !out_list->items) {
    free(scratch);
    return tune_status_out_of_memory("timing tasks");
  }
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < times->task_count && tune_status_is_ok(status); i++) {
    if (times->calls[i] < times->runs)
      continue;
    tune_task_seconds *said = &out_list->items[out_list->count++];
    *said = (tune_task_seconds){.name = kernel->task_times[i].name,
                                .calls = (double)times->calls[i] / (double)times->runs};
    status = find_median(times, i, scratch, &said->seconds);
  }
  free(scratch);
  return status;
}
