//===- figures.c --------------------------------------------------------------===//

#include "tools/tune-run/figures.h"

#include <math.h>
#include <string.h>

#define UNKNOWN_REDUCTION 4096

static void add_bound(const char name[TUNE_ROOFLINE_BOUND], double seconds, figures *sum) {
  size_t i = 0;
  while (i < sum->bound_count && strcmp(sum->bounds[i].name, name) != 0)
    ++i;
  if (i == FIGURES_BOUNDS)
    return;
  if (i == sum->bound_count)
    strcpy(sum->bounds[sum->bound_count++].name, name);
  sum->bounds[i].seconds += seconds;
}

// Adds what `count` runs of a task take at best.
static void add_best_times(const tune_target_facts *facts, const tune_roofline_work *work,
                           double count, figures *sum) {
  double peak = tune_target_facts_peak(facts, work->type);
  double bandwidth = tune_target_facts_bandwidth(facts, work->bytes);
  // What only moves data needs no arithmetic, whatever its type.
  double computing = work->flops > 0 ? work->flops / peak : 0;
  if (work->flops > 0 && !(peak > 0))
    computing = NAN;
  tune_roofline_share place = tune_roofline_find_place(facts->roofline, work);
  sum->peak_seconds += count * computing;
  if (isnan(computing) || !(bandwidth > 0))
    sum->roofline_seconds = NAN;
  sum->roofline_seconds += count * place.seconds;
  if (*place.bound)
    add_bound(place.bound, count * place.seconds, sum);
}

figures figures_of_tasks(const tune_described_task_list *tasks, const tune_target_facts *facts) {
  static const figures UNKNOWN = {
      .flops = NAN, .bytes = NAN, .peak_seconds = NAN, .roofline_seconds = NAN};
  figures sum = {0};
  for (size_t i = 0; i < tasks->count; ++i) {
    const tune_described_task *task = &tasks->items[i];
    double flops = (double)task->flops, bytes = (double)task->bytes, count = (double)task->runs;
    if (task->empty || task->runs == 0)
      continue;
    // There is no other task without traffic: this is how an unknown dimension shows.
    if (!(bytes > 0) || task->runs < 0)
      return UNKNOWN;
    sum.flops += count * flops;
    sum.bytes += count * bytes;
    tune_roofline_work work = {.type = task->type,
                               .flops = flops,
                               .bytes = bytes,
                               .flushes_cache = facts && facts->flushes_cache};
    if (facts && facts->roofline)
      add_best_times(facts, &work, count, &sum);
    else
      sum.peak_seconds = sum.roofline_seconds = NAN;
  }
  if (isnan(sum.roofline_seconds))
    sum.bound_count = 0;
  return tasks->count ? sum : UNKNOWN;
}

int64_t figures_reduction(const tune_described_task_list *tasks) {
  int64_t longest = 1;
  for (size_t i = 0; i < tasks->count; ++i) {
    int64_t length = tasks->items[i].reduction;
    if (length < 1)
      length = UNKNOWN_REDUCTION;
    if (length > longest)
      longest = length;
  }
  return longest;
}
