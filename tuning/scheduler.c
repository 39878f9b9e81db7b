//===- scheduler.c ------------------------------------------------------------===//

#include "tuning/scheduler.h"

#include "support/clock.h"

#include <math.h>
#include <stdlib.h>

// A core of today, for guessing: operations and bytes per second, and what a call costs.
#define TYPICAL_FLOPS 1e11
#define TYPICAL_BYTES 1e10
#define CALL_SECONDS 1e-6
#define EVEN_SHARE (1.0 / 3)
// The least share, in seconds: 0 would be no limit.
#define LEAST_SECONDS 1e-3

struct tune_scheduler {
  size_t *order; // those that matter most first; equals as they were given
  double *times; // what the program is expected to spend in each, by index
  size_t count;
  size_t position; // in `order`
  double deadline; // by tune_clock_seconds
  bool has_deadline;
};

static double expected_time(const tune_scheduler_task *task) {
  double seconds = fmax(task->flops / TYPICAL_FLOPS, task->bytes / TYPICAL_BYTES);
  return task->occurrences * (seconds + CALL_SECONDS);
}

// Insertion keeps equals in order; programs have hundreds of tasks at most.
static void sort(tune_scheduler *scheduler) {
  const double *times = scheduler->times;
  for (size_t i = 0; i < scheduler->count; ++i) {
    size_t at = i;
    for (; at > 0 && times[scheduler->order[at - 1]] < times[i]; --at)
      scheduler->order[at] = scheduler->order[at - 1];
    scheduler->order[at] = i;
  }
}

tune_status tune_scheduler_create(const tune_scheduler_task *tasks, size_t count, double seconds,
                                  tune_scheduler **out_scheduler) {
  *out_scheduler = NULL;
  if (!(seconds >= 0))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%g seconds for all tasks", seconds);
  tune_scheduler *scheduler = calloc(1, sizeof *scheduler);
  if (scheduler) {
    scheduler->order = calloc(count + 1, sizeof *scheduler->order);
    scheduler->times = calloc(count + 1, sizeof *scheduler->times);
  }
  if (!scheduler || !scheduler->order || !scheduler->times) {
    tune_scheduler_destroy(scheduler);
    return tune_status_make(TUNE_OUT_OF_MEMORY, "ordering tasks");
  }
  scheduler->count = count;
  scheduler->has_deadline = seconds > 0;
  scheduler->deadline = tune_clock_seconds() + seconds;
  for (size_t i = 0; i < count; ++i)
    scheduler->times[i] = expected_time(&tasks[i]);
  sort(scheduler);
  *out_scheduler = scheduler;
  return TUNE_OK;
}

void tune_scheduler_destroy(tune_scheduler *scheduler) {
  if (!scheduler)
    return;
  free(scheduler->order);
  free(scheduler->times);
  free(scheduler);
}

// The part of the rest of the time that belongs to the task at `position`, 0..1.
static double share(const tune_scheduler *scheduler) {
  double rest = 0;
  for (size_t i = scheduler->position; i < scheduler->count; ++i)
    rest += scheduler->times[scheduler->order[i]];
  double own = scheduler->times[scheduler->order[scheduler->position]];
  double even = 1.0 / (double)(scheduler->count - scheduler->position);
  return EVEN_SHARE * even + (1 - EVEN_SHARE) * own / rest;
}

bool tune_scheduler_next(tune_scheduler *scheduler, size_t *out_index, double *out_seconds) {
  if (scheduler->position == scheduler->count)
    return false;
  double left = scheduler->deadline - tune_clock_seconds();
  *out_seconds = scheduler->has_deadline ? fmax(left * share(scheduler), LEAST_SECONDS) : 0;
  *out_index = scheduler->order[scheduler->position++];
  return true;
}
